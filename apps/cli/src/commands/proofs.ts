import { type BeingName, stanceOf, TreeosError } from '@treeos/core'
import type { Envelope, ExportRequest } from '@treeos/proofs'
import type { Cli, InstanceOptions } from '../cli.ts'
import type { ReadConnection } from '../instance/connection.ts'
import { requireLivingBeing, withReality, withRegistry } from '../instance/with-instance.ts'
import { callPortal } from '../login/call-portal.ts'
import { receiptByApi, receiptsByApi } from '../served/past.ts'
import { shownExported } from '../show/proofs.ts'
import { fileError, UsageError } from '../text/failure.ts'
import { momentNumber, parseNumber, requireStance } from '../text/input.ts'

interface ExportOptions extends InstanceOptions {
  readonly being?: string
  readonly since?: number
  readonly until?: number
  readonly wait?: number
  readonly unproven?: boolean
  readonly prompts?: boolean
}

interface ReceiptOptions extends InstanceOptions {
  readonly whole?: boolean
  readonly since?: number
  readonly until?: number
  readonly wait?: number
}

/** A signer makes a checkpoint a second. */
const WAIT_SECONDS = 30
const RECEIPT_WAIT_SECONDS = 5
/** Witnesses are asked every few seconds. */
const WITNESS_WAIT_SECONDS = 15
const waitNumber = parseNumber('--wait', { min: 0, max: 3600, whole: false })

/**
 * `treeos export | receipt`: what people outside check, with `treeos verify` or with @treeos/verify alone.
 */
export function addProofs(cli: Cli): void {
  addExport(cli)
  addReceipt(cli)
}

function addExport(cli: Cli): void {
  cli
    .onInstance(
      'export <file>',
      'write the record as an audit bundle\n`treeos verify --bundle` checks it offline.',
    )
    .option('--being <stance>', 'only what this being lived, with the facts that it wrote or cites')
    .option('--since <n>', 'with --being: from this moment on', momentNumber('--since'))
    .option('--until <n>', 'with --being: up to this moment', momentNumber('--until'))
    .option(
      '--wait <seconds>',
      `wait this long for a checkpoint that covers all of it (default ${WAIT_SECONDS})`,
      waitNumber,
    )
    .option('--prompts', 'with the texts of the prompts that models were shown')
    .option('--unproven', 'do not wait, and write it without proofs: its check then says `unproven`')
    .action(
      cli.run(async (out, file: string, options: ExportOptions) => {
        if (file === '-')
          throw new UsageError(
            'export writes a file, not standard output: name one, and read it when it is whole',
          )
        const being = options.being === undefined ? undefined : requireStance(options.being)
        const { since, until } = options
        if (being === undefined && (since !== undefined || until !== undefined))
          throw new UsageError('--since and --until count the moments of one being: name it with --being')
        const { exportBundle } = await import('@treeos/proofs')
        const { coveringLog } = await import('../instance/log-cover.ts')
        const exporting = async (at: ReadConnection, prompts?: ExportRequest['prompts']) => {
          if (being !== undefined) await requireLivingBeing(at, being)
          const onProgress = (line: string) => out.progress(line)
          const covering = { seconds: options.wait ?? WAIT_SECONDS, onProgress }
          const log = options.unproven === true ? null : () => coveringLog(options, at, covering)
          return exportBundle(at.db, at.reality, {
            file,
            being,
            since,
            until,
            log,
            prompts,
            onProgress,
          }).catch((error: NodeJS.ErrnoException) => {
            // errors of the file system name a path; those of the database have a code too
            throw error.path === undefined ? error : fileError(file, 'cannot be written', error)
          })
        }
        const exported =
          options.prompts === true
            ? await withRegistry(options, (at, { recordedPrompt }) =>
                exporting(at, (name, n) => recordedPrompt(at.db, at.registry, name, n)),
              )
            : await withReality(options, (at) => exporting(at))
        out.value(exported, shownExported)
      }),
    )
}

function addReceipt(cli: Cli): void {
  cli
    .onInstance(
      'receipt <moment-or-stance>',
      'print a signed receipt of what a moment called\nIt proves whether the call was permitted, by what, and what came of it.',
    )
    .argument('[n]', 'number of the moment, after a stance', momentNumber('N'))
    .option(
      '--wait <seconds>',
      `wait this long for a checkpoint (default ${RECEIPT_WAIT_SECONDS}, with witnesses ${WITNESS_WAIT_SECONDS})`,
      waitNumber,
    )
    .option('--since <n>', 'of a being: from this moment on, a receipt a line', momentNumber('--since'))
    .option('--until <n>', 'of a being: up to this moment, a receipt a line', momentNumber('--until'))
    .option('--whole', 'with every fact of the reels that it is derived from, however many there are')
    .action(
      cli.run(async (out, named: string, n: number | undefined, options: ReceiptOptions) => {
        const { since, until } = options
        const isRange = since !== undefined || until !== undefined
        if (isRange && n !== undefined) throw new UsageError('either N, or --since and --until')
        const being = isRange || n !== undefined ? requireStance(named) : null
        if (options.login !== undefined) {
          if (being === null)
            throw new UsageError(
              'by the API, a receipt is named by a stance and a number, as in `receipt @ann 3`',
            )
          if (n !== undefined) {
            const byApi = await callPortal(options.login, (treeos) => receiptByApi(treeos, { being, n }))
            return out.value(byApi, (value) => JSON.stringify(value))
          }
          const range = { being, since: since ?? 1, until: until ?? Number.MAX_SAFE_INTEGER }
          const byApi = await callPortal(options.login, (treeos) => receiptsByApi(treeos, range))
          for (const { receipt, why } of byApi) if (receipt === null) out.progress(`no receipt: ${why}`)
          const issued = byApi.flatMap(({ receipt }) => receipt ?? [])
          if (issued.length === 0) throw withoutReceipt(being)
          return out.lines(issued, (values) => values.map((value) => JSON.stringify(value)).join('\n'))
        }
        const { issueReceipt, issueReceipts } = await import('@treeos/proofs')
        const { findOutcomeByNumber, requireOutcome } = await import('@treeos/store')
        const { newestLog } = await import('../instance/log-cover.ts')
        const { instanceDir } = await import('@treeos/local')
        const { hasWitnesses, receiptSigner } = await import('../instance/signed-checkpoints.ts')
        const seconds = hasWitnesses(instanceDir(options)) ? WITNESS_WAIT_SECONDS : RECEIPT_WAIT_SECONDS
        const onProgress = (line: string) => out.progress(line)
        const envelopes = await withRegistry(options, async (at) => {
          if (being !== null) await requireLivingBeing(at, being)
          const issuing = {
            signer: receiptSigner(options, at.reality),
            log: await newestLog(options, at, { seconds: options.wait ?? seconds, onProgress }),
            ...(options.whole === true ? { longest: Number.POSITIVE_INFINITY } : {}),
          }
          const issue = async (moment: string) => (await issueReceipt(at, moment, issuing)).envelope
          if (being === null) return [await issue(named)]
          if (n !== undefined) return [await issue((await requireOutcome(at.db, being, n)).moment)]
          const envelopes: Envelope[] = []
          for (let number = since ?? 1; number <= (until ?? Number.MAX_SAFE_INTEGER); number++) {
            const outcome = await findOutcomeByNumber(at.db, being, number)
            if (outcome === null) break
            for (const made of await issueReceipts(at, [outcome.moment], issuing))
              if (made instanceof TreeosError) onProgress(`no receipt: ${made.message}`)
              else envelopes.push(made)
          }
          if (envelopes.length === 0) throw withoutReceipt(being)
          return envelopes
        })
        const [first] = envelopes
        if (!isRange && first !== undefined) out.value(first, (value) => JSON.stringify(value))
        else out.lines(envelopes, (values) => values.map((value) => JSON.stringify(value)).join('\n'))
      }),
    )
}

const withoutReceipt = (being: BeingName) =>
  new TreeosError('MOMENT_NOT_FOUND', `none of these moments of ${stanceOf(being)} has a receipt`)
