import { Option } from 'commander'
import type { Cli, InstanceOptions } from '../cli.ts'
import { UsageError } from '../text/failure.ts'
import { parseNumber, wholeNumber } from '../text/input.ts'

interface CheckpointOptions extends InstanceOptions {
  readonly at?: number
  readonly checkpoints?: string
  readonly follow?: string
  readonly seconds?: number
  readonly supervised?: boolean
}

/** `treeos checkpoint` */
export function addCheckpoint(cli: Cli): void {
  cli
    .onInstance(
      'checkpoint',
      'show the newest signed checkpoint of all facts and moments\nWith --follow it signs them.',
    )
    .option('--at <size>', 'the one over this many entries', wholeNumber('--at', 0, Number.MAX_SAFE_INTEGER))
    .option('--checkpoints <dir>', 'folder of the checkpoints (default: that of the instance)')
    .option('--follow <dir>', 'sign what is new into this folder, until Ctrl-C; `treeos up` starts one')
    .option(
      '--seconds <n>',
      'with --follow: how often (default: TREEOS_CHECKPOINT_SECONDS, or 1)',
      parseNumber('--seconds', { min: 0.1, max: 3600, whole: false }),
    )
    .addOption(new Option('--supervised', 'goes on when its launcher ends').hideHelp())
    .action(
      cli.run(async (out, options: CheckpointOptions) => {
        const { instanceDir } = await import('@treeos/local')
        const dataDir = instanceDir(options)
        if (options.follow !== undefined) {
          if (options.at !== undefined || options.checkpoints !== undefined)
            throw new UsageError('--follow takes neither --at nor --checkpoints')
          const { signLog } = await import('../instance/signer.ts')
          return signLog(options, { dataDir, folder: options.follow, out })
        }
        const { findCheckpoint } = await import('../instance/checkpoints.ts')
        const folder = options.checkpoints ?? null
        out.value(findCheckpoint(dataDir, folder, options.at ?? null), ({ note }) => note.trimEnd())
      }),
    )
}
