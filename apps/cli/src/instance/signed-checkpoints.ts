import { join, resolve } from 'node:path'
import { checkpointsFolder, instanceDir } from '@treeos/local'
import {
  type Checkpoint,
  type CheckpointedLog,
  findCosigned,
  findLogIndex,
  findNewest,
  findWitnessing,
  HeadsOfLog,
  loadSigners,
  logOrigin,
  type ReceiptSigner,
  readInclusionProof,
  readKeys,
  type SignerPlace,
  verifierKeyOf,
} from '@treeos/proofs'
import type { Reality } from '@treeos/store'
import { isQuorum, parseKey, parsePolicy, readCheckpoint, type WitnessPolicy } from '@treeos/verify'
import type { InstanceOptions } from '../cli.ts'
import type { ReadConnection } from './connection.ts'

/** What the signer keeps to itself: its key, and what it signed last. */
export const signerFolder = (dataDir: string): string => join(dataDir, 'signer')

export const lastSignedFile = (dataDir: string): string => join(signerFolder(dataDir), 'last.json')

/** How the witnesses are that the signer asks. */
export const witnessesFile = (dataDir: string): string => join(signerFolder(dataDir), 'witnesses.json')

export function signerPlace(
  dataDir: string,
  { origin, folder }: Pick<SignerPlace, 'origin' | 'folder'>,
  { TREEOS_CHECKPOINT_KEY: key }: NodeJS.ProcessEnv = process.env,
): SignerPlace {
  const keyFile = key ? resolve(key) : join(signerFolder(dataDir), 'key')
  return { origin, folder, keyFile, lastFile: lastSignedFile(dataDir) }
}

/** The key that signs the checkpoints of an instance: the newest, when a new one is taking over. */
export function receiptSigner(options: InstanceOptions, { id }: Pick<Reality, 'id'>): ReceiptSigner {
  const dataDir = instanceDir(options)
  const { keyFile, origin } = signerPlace(dataDir, {
    origin: logOrigin(id),
    folder: checkpointsFolder(dataDir),
  })
  return loadSigners(keyFile, origin).at(-1)!
}

/**
 * The newest checkpoint that a quorum of the instance's witnesses cosigned; null without one, and where it
 * has no witnesses.
 */
export function newestCosigned(dataDir: string, origin: string): Checkpoint | null {
  const policy = findWitnessing(witnessesFile(dataDir))?.policy
  if (!policy) return null
  const { quorum, ...rest } = parsePolicy(policy)
  const folder = checkpointsFolder(dataDir)
  const keys = readKeys(folder)
  const own = { ...rest, quorum, logs: keys.map((key) => parseKey(verifierKeyOf(key))) }
  return findCosigned(folder, origin, keys, (note) => isCosigned(note, own))
}

function isCosigned(note: string, policy: WitnessPolicy): boolean {
  try {
    return isQuorum(policy.quorum, readCheckpoint(note, policy).cosigned)
  } catch {
    return false // a signature in it is wrong
  }
}

/** Whether this instance asks witnesses. */
export const hasWitnesses = (dataDir: string): boolean =>
  (findWitnessing(witnessesFile(dataDir))?.witnesses.length ?? 0) > 0

/**
 * The newest checkpoint of an instance, and what its log proves of it. Null while there is none.
 * @param cosigned the newest one that a quorum of witnesses cosigned
 */
export function checkpointedLog(
  options: InstanceOptions,
  { db, reality }: ReadConnection,
  { cosigned = false }: { readonly cosigned?: boolean } = {},
): CheckpointedLog | null {
  const dataDir = instanceDir(options)
  const [folder, origin] = [checkpointsFolder(dataDir), logOrigin(reality.id)]
  const checkpoint = cosigned ? newestCosigned(dataDir, origin) : findNewest(folder, origin, readKeys(folder))
  if (checkpoint === null) return null
  const { note, size } = checkpoint
  const heads = new HeadsOfLog(reality.id)
  return {
    note,
    size,
    ends: () => heads.at(db, size),
    async prove(reel, seq) {
      // The entries of a chain stand in the log in their order, so the last one that the checkpoint covers is
      // found by halving.
      let [low, high, index] = [0, seq, -1]
      for (let at = high; low < high; at = Math.ceil((low + high) / 2)) {
        const found = await findLogIndex(db, { reel, seq: at })
        if (found !== null && found < size) [low, index] = [at, found]
        else high = at - 1
      }
      if (low === 0) return null
      const path = (await readInclusionProof(db, index, size)).map((hash) => hash.toString('hex'))
      return { seq: low, index, path }
    },
  }
}
