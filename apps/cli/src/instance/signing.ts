import { join, resolve } from 'node:path'
import { checkpointsFolder } from '@treeos/local'
import {
  type CheckpointedLog,
  findLogIndex,
  findNewest,
  HeadsOfLog,
  loadSigners,
  originOf,
  type ReceiptSigner,
  readInclusionProof,
  readKeys,
  type SignerPlace,
} from '@treeos/proofs'
import type { Reality } from '@treeos/store'
import type { InstanceOptions } from '../cli.ts'
import type { ReadConnection } from './connection.ts'
import { dataDirOf } from './data-dir.ts'

/** What the signer keeps to itself: its key, and what it signed last. */
export const signerFolder = (dataDir: string): string => join(dataDir, 'signer')

export const lastSignedFile = (dataDir: string): string => join(signerFolder(dataDir), 'last.json')

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
  const dataDir = dataDirOf(options)
  const { keyFile, origin } = signerPlace(dataDir, {
    origin: originOf(id),
    folder: checkpointsFolder(dataDir),
  })
  return loadSigners(keyFile, origin).at(-1)!
}

/** The newest checkpoint of an instance, and what its log proves of it. Null while there is none. */
export function checkpointedLog(
  options: InstanceOptions,
  { db, reality }: ReadConnection,
): CheckpointedLog | null {
  const folder = checkpointsFolder(dataDirOf(options))
  const checkpoint = findNewest(folder, originOf(reality.id), readKeys(folder))
  if (checkpoint === null) return null
  const { note, size } = checkpoint
  const heads = new HeadsOfLog(reality.id)
  return {
    note,
    size,
    ends: () => heads.at(db, size),
    async prove(reel, seq) {
      // The entries of a chain stand in the log in their order, so the last one that the checkpoint covers is found by halving.
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
