import { setTimeout as sleep } from 'node:timers/promises'
import {
  bad,
  CHECKPOINTS,
  type CheckResult,
  type DoctorCheck,
  dataFlag,
  good,
  locatePostgres,
  RECHECK,
  readInstance,
  serviceOf,
  unseen,
} from '@treeos/local'
import { findLastSigned, type LastSigned, type LogState, readLogState } from '@treeos/proofs'
import { openDatabase } from '@treeos/store'
import { lastSignedFile } from '../instance/signed-checkpoints.ts'
import { duration } from '../text/output.ts'

/** What the signer of an instance signed last. */
export interface CheckpointStatus {
  /** entries of the log */
  readonly size: number
  readonly ageSeconds: number
  /** the log was not what it had signed before */
  readonly refused: string | null
}

const RECHECK_MS = 3000
const WHY = {
  smaller: 'it is smaller than the one that was signed',
  fork: 'it has another root than the one that was signed',
  inconsistent: 'it does not begin with the one that was signed',
} as const

/** @returns null where nothing was signed, or what was signed last cannot be read */
export function readCheckpointStatus(dataDir: string): CheckpointStatus | null {
  try {
    const last = findLastSigned(lastSignedFile(dataDir))
    return last === null ? null : checkpointStatus(last)
  } catch {
    return null // doctor tells why
  }
}

const checkpointStatus = ({ size, at, refused }: LastSigned): CheckpointStatus => ({
  size,
  ageSeconds: Math.max(0, (Date.now() - at) / 1000),
  refused: refused === null ? null : WHY[refused.why],
})

export const describeCheckpoint = ({ size, ageSeconds, refused }: CheckpointStatus): string =>
  `${size} entries, signed ${duration(ageSeconds)} ago${refused === null ? '' : `; the log of now is refused: ${refused}`}`

/** @returns no check where no signer was started */
export async function examineCheckpoints(dataDir: string, env: NodeJS.ProcessEnv): Promise<DoctorCheck[]> {
  if (serviceOf(readInstance(dataDir), CHECKPOINTS) === null) return []
  const name = CHECKPOINTS
  try {
    const read = () => findLastSigned(lastSignedFile(dataDir))
    const flag = dataFlag(dataDir)
    const log = await readState(dataDir, env)
    const first = read()
    if (isCovered(first, log)) return [{ name, ...judgeCheckpoints(first, log, flag) }]
    await sleep(RECHECK_MS)
    const last = read()
    const isMoving = last !== null && last.size > (first?.size ?? 0)
    return [
      { name, ...judgeCheckpoints(last, isMoving ? { ...log, size: last.size, behind: 0 } : log, flag) },
    ]
  } catch (error) {
    return [unseen(name, error, RECHECK)]
  }
}

async function readState(dataDir: string, env: NodeJS.ProcessEnv): Promise<LogState> {
  const db = openDatabase(locatePostgres(dataDir, env).url, { poolMax: 1 })
  try {
    return await readLogState(db)
  } finally {
    await db.destroy()
  }
}

const isCovered = (last: LastSigned | null, { size, behind }: LogState): boolean =>
  last?.size === size && behind === 0

function judgeCheckpoints(last: LastSigned | null, log: LogState, flag: string): CheckResult {
  const mend = `treeos logs checkpoints${flag} says what keeps the signer`
  if (last === null) return bad('nothing was signed yet', mend)
  if (last.refused !== null)
    return bad(
      `the signer refuses the log of ${last.refused.size} entries after one of ${last.size}: ${WHY[last.refused.why]}`,
      `treeos verify${flag} says what was changed; after a restore, treeos restored, and see docs/proofs.md`,
    )
  if (!isCovered(last, log))
    return bad(`${describeCheckpoint(checkpointStatus(last))}, and what came later is not signed`, mend)
  return good(describeCheckpoint(checkpointStatus(last)))
}
