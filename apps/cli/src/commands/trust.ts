import type { MarkedView } from '@treeos/client/records'
import { parseAddress, stanceOf } from '@treeos/core'
import type { ActingOptions, Cli } from '../cli.ts'
import { withReality, withServices } from '../instance/with-instance.ts'
import { shownDone } from '../show/acts.ts'
import { argument } from '../text/failure.ts'
import { requireStance } from '../text/input.ts'
import { prettyJson } from '../text/output.ts'
import { programName } from '../text/program-name.ts'
import { doing } from './shared/act.ts'

interface VouchOptions extends ActingOptions {
  readonly role?: string
  readonly namespace?: string
  readonly seen?: string
}

/** `treeos vouch`: a person clears the mark of words from outside, of what it has seen. */
export function addVouch(cli: Cli): void {
  cli
    .asBeing(
      'vouch <address>',
      'show what was written there in moments with words from outside; vouch for it',
    )
    .option('--role <name>', 'of /: for a role')
    .option('--namespace <ns>', 'of /: for the signals of a namespace')
    .option('--seen <digest>', 'vouch for what was shown with this digest, if it is still the same')
    .action(
      cli.run(async (out, named: string, options: VouchOptions) => {
        const { role, namespace, seen } = options
        const address = wholeAddress(named)
        const of = {
          ...(role === undefined ? {} : { role }),
          ...(namespace === undefined ? {} : { namespace }),
        }
        const as = requireStance(options.as)
        if (seen !== undefined) {
          const call = doing(address, 'vouch', { ...of, seen })
          return out.value(await withServices(options, (at, { act }) => act(at, as, call)), shownDone)
        }
        const asked = role !== undefined ? { role } : namespace !== undefined ? { namespace } : { address }
        const view = await withReality(options, (at, { markedView }) => markedView(at, asked))
        out.value(view, (found) => shownMarked(found, address, of))
      }),
    )
}

/** The act has to name what it vouches for by its whole address. */
function wholeAddress(text: string): string {
  const address = argument(() => parseAddress(text))
  if (address.kind === 'being') return stanceOf(address.being)
  return address.kind === 'space' ? address.path : text
}

function shownMarked(
  { seen, holds }: MarkedView,
  address: string,
  of: Readonly<Record<string, string>>,
): string {
  const options = Object.entries(of).map(([name, value]) => ` --${name} ${value}`)
  return `${prettyJson(holds)}\n\nto vouch for exactly this: ${programName()} vouch ${address}${options.join('')} --seen ${seen}`
}
