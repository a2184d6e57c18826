/** The log of a reality as RFC 6962 defines it, word by word: slow, and shares nothing with the product's. For tests of verifiers. */
import { createHash, createPrivateKey, createPublicKey, randomBytes, sign } from 'node:crypto'
import { canonicalJson } from '@treeos/core'
import type { CheckpointedLog, ReceiptSigner } from '@treeos/proofs'
import type { Reality, StoreDb } from '@treeos/store'
import { type Kysely, sql } from 'kysely'

const sha256 = (...parts: Uint8Array[]): Buffer =>
  parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest()

/** The largest power of two below n. */
function split(n: number): number {
  let k = 1
  while (k * 2 < n) k *= 2
  return k
}

/** MTH of RFC 6962, 2.1. */
function treeHash(leaves: readonly Buffer[]): Buffer {
  if (leaves.length === 0) return sha256()
  if (leaves.length === 1) return sha256(Buffer.of(0), leaves[0]!)
  const k = split(leaves.length)
  return sha256(Buffer.of(1), treeHash(leaves.slice(0, k)), treeHash(leaves.slice(k)))
}

/** PATH of RFC 6962, 2.1.1. */
function pathOf(index: number, leaves: readonly Buffer[]): Buffer[] {
  if (leaves.length <= 1) return []
  const k = split(leaves.length)
  return index < k
    ? [...pathOf(index, leaves.slice(0, k)), treeHash(leaves.slice(k))]
    : [...pathOf(index - k, leaves.slice(k)), treeHash(leaves.slice(0, k))]
}

/** A key with the text that verifiers take. */
export interface LogKey extends ReceiptSigner {
  readonly verifier: string
}

/** What RFC 8410 puts before the 32 secret bytes of an ed25519 key. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex')

/** @param seed 32 bytes that give the key; random when left out */
export function newLogKey(reality: Pick<Reality, 'id'>, seed: Uint8Array = randomBytes(32)): LogKey {
  const privateKey = createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' })
  const publicKey = createPublicKey(privateKey)
  const name = `treeos/${reality.id}`
  const typed = Buffer.concat([Buffer.of(1), publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)])
  const id = sha256(Buffer.from(`${name}\n`), typed).subarray(0, 4)
  return { name, id, privateKey, verifier: `${name}+${id.toString('hex')}+${typed.toString('base64')}` }
}

/** Everything in a reality as a log, with a checkpoint over all of it but the last entries. */
export async function naiveLog(db: Kysely<StoreDb>, key: LogKey, without = 0): Promise<CheckpointedLog> {
  const { rows } = await sql<{ reel: string; seq: number; hash: Buffer }>`
    select reel, seq, hash from (
      select reel, seq, hash, coalesce(moment, '') as moment from treeos.fact
      union all select 'moments:' || being, n, hash, moment from treeos.moment_outcome
    ) as entry order by reel, seq`.execute(db)
  const entries = rows.slice(0, rows.length - without)
  const leaves = entries.map(({ reel, seq, hash }) => {
    const being = /^moments:(.*)$/.exec(reel)?.[1]
    const ref = [being ?? reel, seq, hash.toString('hex')]
    return Buffer.from(canonicalJson(being === undefined ? { fact: ref } : { record: ref }))
  })
  const text = `${key.name}\n${leaves.length}\n${treeHash(leaves).toString('base64')}\n`
  const signature = Buffer.concat([key.id, sign(null, Buffer.from(text), key.privateKey)])
  return {
    note: `${text}\n— ${key.name} ${signature.toString('base64')}\n`,
    async prove(reel, seq) {
      const index = entries.findLastIndex((entry) => entry.reel === reel && entry.seq <= seq)
      const path = pathOf(index, leaves).map((hash) => hash.toString('hex'))
      return index < 0 ? null : { seq: entries[index]!.seq, index, path }
    },
  }
}
