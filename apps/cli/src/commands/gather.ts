import { PRIORITIES, type Priority } from '@treeos/core'
import { Option } from 'commander'
import type { ActingOptions, Cli } from '../cli.ts'
import { withServices } from '../instance/with-instance.ts'
import { shownGathered } from '../show/acts.ts'
import { contentOf, parseNumber, requireStance, wholeNumber } from '../text/input.ts'

interface GatherOptions extends ActingOptions {
  readonly need?: number
  readonly wait: number
  readonly priority?: Priority
}

const TARGETS_MAX = 100
const WAIT_SECONDS = 60
const WAIT_SECONDS_MAX = 86_400

/** `treeos gather`: one question to several beings. */
export function addGather(cli: Cli): void {
  cli
    .asBeing(
      'gather <text> <stances...>',
      'ask several beings the same, and wait for their answers\nThe text - is read from standard input.',
    )
    .option('--need <n>', 'end with so many answers (default: all)', wholeNumber('--need', 1, TARGETS_MAX))
    .option(
      '--wait <seconds>',
      'wait this long for them',
      parseNumber('--wait', { min: 0, max: WAIT_SECONDS_MAX, whole: false }),
      WAIT_SECONDS,
    )
    .addOption(new Option('--priority <priority>', 'how urgent it is').choices(Object.keys(PRIORITIES)))
    .action(
      cli.run(async (out, text: string, stances: string[], options: GatherOptions) => {
        const { need, wait, priority } = options
        const as = requireStance(options.as)
        const targets = stances.map((stance) => requireStance(stance, as))
        const request = { targets, content: await contentOf(text), as, waitSeconds: wait, need, priority }
        const gathered = await withServices(options, (at, { gather }) => gather(at, request))
        out.value(gathered, shownGathered)
        return gathered.complete ? 0 : 1
      }),
    )
}
