import { TreeosError } from '@treeos/core'
import { checkpointsFolder } from '@treeos/local'
import {
  type ChainFault,
  findNewest,
  type LogVerified,
  originOf,
  readCheckpointFiles,
  readKeys,
  readVerifier,
  type Verifier,
  verifierKeyOf,
  verifyLog,
} from '@treeos/proofs'
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
}

/** The log beside its checkpoints. @param source null: without checkpoints */
export async function compareLog(
  { db, reality }: ReadConnection,
  source: CheckpointSource | null,
): Promise<LogVerified> {
  if (source === null) return verifyLog(db, [])
  const origin = originOf(reality.id)
  // Read before the record: it may grow meanwhile.
  const { checkpoints, faults } = readCheckpointFiles(source.folder, origin, keysOf(source))
  if (source.isNamed && checkpoints.length + faults.length === 0)
    throw new TreeosError('INVALID_INPUT', `${source.folder} holds no checkpoints`)
  const log = await verifyLog(db, checkpoints)
  const unreadable = faults.map(
    ({ note }): ChainFault => ({ reel: 'log', seq: note, reason: 'checkpoint-unreadable' }),
  )
  return { ...log, ok: log.ok && faults.length === 0, broken: [...log.broken, ...unreadable] }
}

function keysOf({ folder, keys }: CheckpointSource): Verifier[] {
  if (keys === null) return readKeys(folder)
  return keys
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => readVerifier(line.trim()))
}
