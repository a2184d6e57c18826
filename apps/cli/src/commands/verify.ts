import type { LogVerified } from '@treeos/proofs'
import type { Cli, InstanceOptions } from '../cli.ts'
import type { LogCompared } from '../instance/checkpoints.ts'
import { withReality } from '../instance/with-instance.ts'
import { shownRefolded, shownVerified } from '../show/proofs.ts'
import { UsageError } from '../text/failure.ts'
import { parseNumber } from '../text/input.ts'

interface VerifyOptions extends InstanceOptions {
  readonly checkpoints: string | boolean
  readonly bundle?: string
  readonly beside?: string
  readonly receipt?: string
  readonly key?: string
  readonly policy?: string
  readonly maxAge?: number
  readonly strict?: boolean
}

/** `treeos verify | refold`: only refold writes. */
export function addVerify(cli: Cli): void {
  cli
    .onInstance(
      'verify',
      'check the whole record, or a bundle or receipt offline\nIt checks every hash chain, all that is derived from them, and the signed checkpoints.',
    )
    .option('--checkpoints <dir>', 'folder of the checkpoints (default: that of the instance)')
    .option('--no-checkpoints', 'without them: what was rewritten as a whole then passes')
    .option('--bundle <file>', 'check an audit bundle instead; - reads standard input')
    .option('--beside <file>', 'another bundle of the same reality: they must not tell two histories')
    .option('--receipt <file>', 'check a receipt instead; - reads standard input')
    .option(
      '--key <vkey>',
      'verifier key of the checkpoints (default: those in their folder), or of whoever signed the bundle or receipt',
    )
    .option(
      '--policy <file>',
      'keys of the log, witnesses and the quorum of them that must have cosigned (C2SP tlog-policy)',
    )
    .option(
      '--max-age <seconds>',
      'of the checkpoint of a file: as its witnesses say, else as its newest entry does',
      parseNumber('--max-age', { min: 0, max: 1_000_000_000, whole: true }),
    )
    .option('--strict', 'what is not proven is not ok: then the status is `unproven`, and the exit status 3')
    .action(
      cli.run(async (out, options: VerifyOptions) => {
        const { STATUS_EXIT, verifyFile } = await import('./shared/verify-file.ts')
        const ofFile = await verifyFile(out, options)
        if (ofFile !== null) return ofFile
        const { verifyAll } = await import('@treeos/proofs')
        const { FOLD } = await import('@treeos/world')
        const { compareLog } = await import('../instance/checkpoints.ts')
        const source = await checkpointsOf(options)
        const verified = await withReality(options, async (at) => {
          const { broken: ofLog, ...log } = await compareLog(at, source)
          const { unsigned, unchecked, ...chains } = await verifyAll(at.db, at.reality.id, FOLD)
          const uncosigned = [...uncosignedOf(log)]
          const unproven = [...unsigned, ...unchecked, ...uncoveredBy(log), ...uncosigned]
          const isBroken = !chains.ok || !log.ok
          const isProven = options.strict
            ? unproven.length === 0
            : log.cosigned !== null && unsigned.length === 0
          const status = isBroken ? 'broken' : isProven ? 'ok' : 'unproven'
          const told = { status, ok: status === 'ok', unproven } as const
          return { ...chains, ...told, broken: [...chains.broken, ...ofLog], log }
        })
        out.value(verified, shownVerified)
        return STATUS_EXIT[verified.status]
      }),
    )
  cli.onInstance('refold', 'make every row again from its facts, and repair what differs').action(
    cli.run(async (out, options: InstanceOptions) => {
      const { refoldAll } = await import('@treeos/store')
      const { FOLD } = await import('@treeos/world')
      const { asOwner } = await import('../instance/connection.ts')
      const { rows, changed, erased } = await asOwner(options, (owner) => refoldAll(owner, FOLD))
      out.value({ rows, changed: changed.length, keys: changed, erased }, shownRefolded)
    }),
  )
}

/** What no checkpoint says of the record. */
function* uncoveredBy({ entries, lastGood }: Omit<LogVerified, 'broken'>): Generator<string> {
  if (lastGood === null) yield 'no checkpoint was compared: a record that was rewritten as a whole would pass'
  else if (lastGood.size < entries)
    yield `${entries - lastGood.size} entries of the log are younger than the last checkpoint`
}

/** What the witnesses of a policy do not say of it. */
function* uncosignedOf({ entries, cosigned }: Omit<LogCompared, 'broken'>): Generator<string> {
  if (cosigned === null) yield 'no checkpoint that fits was cosigned by the quorum of the policy'
  else if (cosigned !== undefined && cosigned.size < entries)
    yield `${entries - cosigned.size} entries of the log are younger than the last checkpoint that a quorum cosigned`
}

async function checkpointsOf({ checkpoints, key, policy: policyFile, ...options }: VerifyOptions) {
  if (checkpoints === false) {
    if (policyFile !== undefined) throw new UsageError('--policy is asked of checkpoints')
    return null
  }
  const { readTrust } = await import('./shared/verify-file.ts')
  const policy = policyFile === undefined ? null : (await readTrust({ key, policy: policyFile })).policy
  const { checkpointsFolder, instanceDir } = await import('@treeos/local')
  const isNamed = typeof checkpoints === 'string'
  const folder = isNamed ? checkpoints : checkpointsFolder(instanceDir(options))
  return { folder, keys: key ?? null, isNamed, policy }
}
