import { TreeosError } from '@treeos/core'
import { checkpointsFolder } from '@treeos/local'
import {
  type ChainFault,
  type Checkpoint,
  findNewest,
  type LogVerified,
  logOrigin,
  readCheckpointFiles,
  readKeys,
  readVerifier,
  type Verifier,
  verifierKeyOf,
  verifyLog,
} from '@treeos/proofs'
import { isQuorum, readCheckpoint, type WitnessCosignature, type WitnessPolicy } from '@treeos/verify'
import type { ReadConnection } from './connection.ts'

/** A checkpoint as it is shown. */
export interface CheckpointView {
  readonly origin: string
  readonly size: number
  /** hex */
  readonly root: string
  /** the signed note */
  readonly note: string
  /** verifier keys that the folder names */
  readonly keys: readonly string[]
  readonly folder: string
}

/**
 * The newest checkpoint of a folder, or the one of a size.
 * @param folder null: that of the instance
 * @throws {TreeosError} INVALID_INPUT where there is none
 */
export function findCheckpoint(dataDir: string, folder: string | null, size: number | null): CheckpointView {
  const where = folder ?? checkpointsFolder(dataDir)
  const keys = readKeys(where)
  const origin = keys[0]?.name ?? ''
  const found =
    size === null
      ? findNewest(where, origin, keys)
      : readCheckpointFiles(where, origin, keys).checkpoints.findLast((one) => one.size === size)
  if (found == null)
    throw new TreeosError(
      'INVALID_INPUT',
      `${where} holds no checkpoint${size === null ? '' : ` over ${size} entries`}: \`treeos up\` makes one a second, while anything happens`,
    )
  return {
    origin: found.origin,
    size: found.size,
    root: found.root.toString('hex'),
    note: found.note,
    keys: keys.map(verifierKeyOf),
    folder: where,
  }
}

/** Where the checkpoints are that a record is compared with. */
export interface CheckpointSource {
  readonly folder: string
  /** verifier keys, one a line; null: those that the folder names */
  readonly keys: string | null
  /** it was asked for, so it must hold checkpoints */
  readonly isNamed: boolean
  /** whose signatures count; null: those of the keys */
  readonly policy: WitnessPolicy | null
}

export interface LogCompared extends LogVerified {
  /**
   * the newest checkpoint that fits and that enough witnesses of the policy cosigned; null for none; left out
   * without a policy
   */
  readonly cosigned?: { readonly size: number; readonly by: readonly WitnessCosignature[] } | null
}

/** The log beside its checkpoints. @param source null: without checkpoints */
export async function compareLog(
  { db, reality }: ReadConnection,
  source: CheckpointSource | null,
): Promise<LogCompared> {
  if (source === null) return verifyLog(db, [])
  const { folder, policy } = source
  const [origin, keys] = [logOrigin(reality.id), checkpointKeys(source)]
  // Read before the record: it may grow meanwhile.
  const { checkpoints, faults } = readCheckpointFiles(folder, origin, keys)
  const cosigned = readCheckpointFiles(folder, origin, keys, 'cosigned')
  if (source.isNamed && checkpoints.length + faults.length === 0)
    throw new TreeosError('INVALID_INPUT', `${folder} holds no checkpoints`)
  const log = await verifyLog(db, checkpoints, cosigned.checkpoints)
  const judged =
    policy === null ? null : judgeSignedCheckpoints(cosigned.checkpoints, policy, log.lastGood?.size ?? -1)
  const unreadable = [
    ...[...faults, ...cosigned.faults].map(({ note }) => note),
    ...(judged?.forged ?? []),
  ].map((seq): ChainFault => ({ reel: 'log', seq, reason: 'checkpoint-unreadable' }))
  return {
    ...log,
    ok: log.ok && unreadable.length === 0,
    broken: [...log.broken, ...unreadable],
    ...(judged === null ? {} : { cosigned: judged.newest }),
  }
}

/**
 * The newest of the checkpoints up to a size that enough witnesses cosigned, and the sizes of those with a
 * signature that is wrong.
 */
function judgeSignedCheckpoints(checkpoints: readonly Checkpoint[], policy: WitnessPolicy, sizeMax: number) {
  let newest: NonNullable<LogCompared['cosigned']> | null = null
  const forged: number[] = []
  for (const { note, size } of checkpoints)
    try {
      const { cosigned: by } = readCheckpoint(note, policy)
      const isEnough = isQuorum(policy.quorum, by)
      if (isEnough && size <= sizeMax && size >= (newest?.size ?? 0)) newest = { size, by }
    } catch {
      forged.push(size)
    }
  return { newest, forged }
}

function checkpointKeys({ folder, keys, policy }: CheckpointSource): Verifier[] {
  if (policy !== null) return policy.logs.map(({ key: publicKey, ...rest }) => ({ ...rest, publicKey }))
  if (keys === null) return readKeys(folder)
  return keys
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => readVerifier(line.trim()))
}
