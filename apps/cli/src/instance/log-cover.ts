import { setTimeout as sleep } from 'node:timers/promises'
import { TreeosError } from '@treeos/core'
import { instanceDir } from '@treeos/local'
import { type CheckpointedLog, readLogState } from '@treeos/proofs'
import type { InstanceOptions } from '../cli.ts'
import type { ReadConnection } from './connection.ts'
import { checkpointedLog, hasWitnesses } from './signed-checkpoints.ts'

const POLL_MS = 200
const TOLD_MS = 3000

export interface CoverOptions {
  /** how long to wait at most */
  readonly seconds: number
  readonly onProgress: (line: string) => void
}

/**
 * Waits until a signed checkpoint covers all that is in the record now, which a quorum of witnesses cosigned
 * where the instance has witnesses. In time, the newest one that only the signer signed will do: witnesses
 * that are away stop nothing.
 * @returns null when none does in time
 */
async function awaitLog(
  options: InstanceOptions,
  at: ReadConnection,
  { seconds, onProgress }: CoverOptions,
): Promise<CheckpointedLog | null> {
  const began = Date.now()
  const cosigned = hasWitnesses(instanceDir(options))
  const { newest } = await readLogState(at.db)
  /** entries of the log once it holds all that there was */
  let due: number | null = null
  for (let told = began; ; await sleep(POLL_MS)) {
    const { size, newest: later, behind } = await readLogState(at.db)
    if (due === null && later - behind >= newest) due = size
    const log = due === null ? null : checkpointedLog(options, at, { cosigned })
    // A larger one is of a log that lost entries: the signer refuses it, and `treeos verify` names them.
    if (log !== null && log.size >= (due ?? 0) && log.size <= size) return log
    const now = Date.now()
    if (now - began >= 1000 * seconds)
      return cosigned && due !== null ? signedAlone(options, at, { due, size }, onProgress) : null
    if (now - told < TOLD_MS) continue
    told = now
    const waited = Math.round((now - began) / 1000)
    onProgress(`waiting for a checkpoint that covers the newest facts, ${waited} of ${seconds} s`)
  }
}

function signedAlone(
  options: InstanceOptions,
  at: ReadConnection,
  { due, size }: { readonly due: number; readonly size: number },
  onProgress: CoverOptions['onProgress'],
): CheckpointedLog | null {
  const log = checkpointedLog(options, at)
  if (log === null || log.size < due || log.size > size) return null
  onProgress(
    'no quorum of witnesses cosigned a checkpoint that covers the newest facts: it rests on one that the signer alone signed',
  )
  return log
}

/**
 * A checkpoint that covers all that is in the record now.
 * @throws {TreeosError} SERVICE_UNAVAILABLE when none does in time
 */
export async function coveringLog(
  options: InstanceOptions,
  at: ReadConnection,
  covering: CoverOptions,
): Promise<CheckpointedLog> {
  const log = await awaitLog(options, at, covering)
  if (log !== null) return log
  throw new TreeosError(
    'SERVICE_UNAVAILABLE',
    `no signed checkpoint covered the newest facts within ${covering.seconds} s: \`treeos status\` says how the signer of checkpoints is, ` +
      'and `treeos up` starts it; with --unproven the bundle is written without proofs, and its check says so',
  )
}

/** The checkpoint that a receipt rests on: one that covers all, or after that time the newest there is. */
export async function newestLog(
  options: InstanceOptions,
  at: ReadConnection,
  covering: CoverOptions,
): Promise<CheckpointedLog | null> {
  const log = await awaitLog(options, at, covering)
  if (log === null)
    covering.onProgress('no checkpoint covers the newest facts: a receipt of them has no proof')
  return log ?? checkpointedLog(options, at)
}
