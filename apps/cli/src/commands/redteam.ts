import type { RedteamResult } from '@treeos/client'
import type { Cli, InstanceOptions } from '../cli.ts'
import { withRegistry } from '../instance/with-instance.ts'
import { requireStance, wholeNumber } from '../text/input.ts'
import { plain } from '../text/output.ts'

const TRIES_MAX = 1_000_000
const TRIES = 5000

interface RedteamOptions extends InstanceOptions {
  readonly tries: number
  readonly seed: number
}

/** `treeos redteam`: calls no model, and writes nothing. */
export function addRedteam(cli: Cli): void {
  cli
    .onInstance(
      'redteam <stance>',
      'attack a being with words from outside, without effect\nA hijacked mind makes calls, and both gates judge them. Nothing is written.',
    )
    .option('--tries <n>', 'how many calls', wholeNumber('--tries', 1, TRIES_MAX), TRIES)
    .option('--seed <n>', 'another seed makes other attacks', wholeNumber('--seed', 1, TRIES_MAX), 1)
    .action(
      cli.run(async (out, stance: string, { tries, seed, ...options }: RedteamOptions) => {
        const being = requireStance(stance)
        const found = await withRegistry(options, (at, { redteam }) => redteam(at, { being, tries, seed }))
        out.value(found, shownRedteam)
        return found.beyond === 0 ? 0 : 1
      }),
    )
}

function shownRedteam({ tries, beyond, refused, asked, examples }: RedteamResult): string {
  const within = tries - beyond - refused - asked
  const lines = examples.map(
    ({ carrier, call, roles }) =>
      `  ${plain(JSON.stringify(call))}  as ${roles.join(' + ')}, after ${carrier}`,
  )
  return [
    `${tries} calls: ${refused} refused, ${asked} asked about, ${within} answers, looks and no act, ${beyond} beyond`,
    ...lines,
  ].join('\n')
}
