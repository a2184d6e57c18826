import { PRIORITIES, type Priority } from '@treeos/core'
import { Option } from 'commander'
import type { ActingOptions, Cli } from '../cli.ts'
import { parseNumber, requireStance } from '../text/input.ts'
import { shownGathered } from './shared/show.ts'
import { contentOf } from './verbs.ts'

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
      'ask several beings the same and wait for their answers; - reads the text from standard input',
    )
    .addOption(
      new Option('--need <n>', 'end with so many answers (default: all)').argParser(
        parseNumber('--need', { min: 1, max: TARGETS_MAX, whole: true }),
      ),
    )
    .addOption(
      new Option('--wait <seconds>', 'wait this long for them')
        .argParser(parseNumber('--wait', { min: 0, max: WAIT_SECONDS_MAX, whole: false }))
        .default(WAIT_SECONDS),
    )
    .addOption(new Option('--priority <priority>', 'how urgent it is').choices(Object.keys(PRIORITIES)))
    .action(
      cli.run(async (out, text: string, stances: string[], options: GatherOptions) => {
        const { need, wait, priority } = options
        const as = requireStance(options.as)
        const targets = stances.map((stance) => requireStance(stance, as))
        const content = await contentOf(text)
        const { gather } = await import('@treeos/client')
        const { withServices } = await import('../instance/connection.ts')
        const request = {
          targets,
          content,
          as,
          waitSeconds: wait,
          ...(need === undefined ? {} : { need }),
          ...(priority === undefined ? {} : { priority }),
        }
        const gathered = await withServices(options, (at) => gather(at, request))
        out.value(gathered, shownGathered)
        return gathered.complete ? 0 : 1
      }),
    )
}
