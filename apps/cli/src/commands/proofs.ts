import type { Cli, InstanceOptions } from '../cli.ts'
import { requireBeing, withReality, withRegistry } from '../instance/with-instance.ts'
import { shownExported } from '../show/proofs.ts'
import { UsageError } from '../text/failure.ts'
import { momentNumber, parseNumber, requireStance } from '../text/input.ts'

interface ExportOptions extends InstanceOptions {
  readonly being?: string
  readonly since?: number
  readonly until?: number
  readonly wait?: number
  readonly unproven?: boolean
}

interface ReceiptOptions extends InstanceOptions {
  readonly whole?: boolean
  readonly wait?: number
}

/** A signer makes a checkpoint a second. */
const WAIT_SECONDS = 30
const RECEIPT_WAIT_SECONDS = 5
const waitNumber = parseNumber('--wait', { min: 0, max: 3600, whole: false })

/** `treeos export | receipt`: what people outside check, with `treeos verify` or with @treeos/verify alone. */
export function addProofs(cli: Cli): void {
  addExport(cli)
  addReceipt(cli)
}

function addExport(cli: Cli): void {
  cli
    .onInstance(
      'export <file>',
      'write the record as an audit bundle, which `treeos verify --bundle` checks offline',
    )
    .option('--being <stance>', 'only what this being lived, with the facts that it wrote or cites')
    .option('--since <n>', 'with --being: from this moment on', momentNumber('--since'))
    .option('--until <n>', 'with --being: up to this moment', momentNumber('--until'))
    .option(
      '--wait <seconds>',
      `wait this long for a checkpoint that covers all of it (default ${WAIT_SECONDS})`,
      waitNumber,
    )
    .option('--unproven', 'do not wait, and write it without proofs: its check then says `unproven`')
    .action(
      cli.run(async (out, file: string, options: ExportOptions) => {
        const being = options.being === undefined ? undefined : requireStance(options.being)
        const { since, until } = options
        if (being === undefined && (since !== undefined || until !== undefined))
          throw new UsageError('--since and --until count the moments of one being: name it with --being')
        const { exportBundle } = await import('@treeos/proofs')
        const { coveringLog } = await import('../instance/covering.ts')
        const exported = await withReality(options, async (at) => {
          if (being !== undefined) await requireBeing(at, being)
          const onProgress = (line: string) => out.progress(line)
          const covering = { seconds: options.wait ?? WAIT_SECONDS, onProgress }
          const log = options.unproven === true ? null : () => coveringLog(options, at, covering)
          return exportBundle(at.db, at.reality, { file, being, since, until, log, onProgress })
        })
        out.value(exported, shownExported)
      }),
    )
}

function addReceipt(cli: Cli): void {
  cli
    .onInstance(
      'receipt <moment-or-stance>',
      'print a signed receipt of what a moment called: whether it was permitted, by what, and what came of it',
    )
    .argument('[n]', 'number of the moment, after a stance', momentNumber('N'))
    .option(
      '--wait <seconds>',
      `wait this long for a checkpoint (default ${RECEIPT_WAIT_SECONDS})`,
      waitNumber,
    )
    .option('--whole', 'with every fact of the reels that it is derived from, however many there are')
    .action(
      cli.run(async (out, named: string, n: number | undefined, options: ReceiptOptions) => {
        const being = n === undefined ? null : requireStance(named)
        const { issueReceipt } = await import('@treeos/proofs')
        const { requireOutcome } = await import('@treeos/store')
        const { newestLog } = await import('../instance/covering.ts')
        const { receiptSigner } = await import('../instance/signing.ts')
        const { envelope } = await withRegistry(options, async (at) => {
          let moment = named
          if (being !== null && n !== undefined) {
            await requireBeing(at, being)
            moment = (await requireOutcome(at.db, being, n)).moment
          }
          return issueReceipt(at, moment, {
            signer: receiptSigner(options, at.reality),
            log: await newestLog(options, at, {
              seconds: options.wait ?? RECEIPT_WAIT_SECONDS,
              onProgress: (line) => out.progress(line),
            }),
            ...(options.whole === true ? { longest: Number.POSITIVE_INFINITY } : {}),
          })
        })
        out.value(envelope, (value) => JSON.stringify(value))
      }),
    )
}
