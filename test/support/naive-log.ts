/**
 * The log of a reality as RFC 6962 defines it, word by word: slow, and shares nothing with the product's. For
 * tests of verifiers.
 */
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

export interface Entry {
  readonly reel: string
  readonly seq: number
  readonly hash: Buffer
}

function leafOf({ reel, seq, hash }: Entry): Buffer {
  const being = /^moments:(.*)$/.exec(reel)?.[1]
  const ref = [being ?? reel, seq, hash.toString('hex')]
  return Buffer.from(canonicalJson(being === undefined ? { fact: ref } : { record: ref }))
}

/**
 * The ends of all chains, in the order of their first entries; moments of a being follow on its reel, with
 * number 0 before the first.
 */
function endsOf(entries: readonly Entry[], reality: string): Entry[] {
  const ends: Entry[] = []
  for (const entry of entries) {
    const moments = entry.reel.replace(/^being:/, 'moments:')
    for (const reel of new Set([entry.reel, moments]))
      if (!ends.some((end) => end.reel === reel)) {
        const genesis = sha256(Buffer.from(`treeos.genesis.v1\0${reality}\0${reel}`))
        ends.push({ reel, seq: 0, hash: genesis })
      }
    ends[ends.findIndex((end) => end.reel === entry.reel)] = entry
  }
  return ends
}

/**
 * Everything in a reality as a log, with a checkpoint over all of it.
 * @param without as many of the last appends
 */
export async function naiveLog(db: Kysely<StoreDb>, key: LogKey, without = 0): Promise<CheckpointedLog> {
  const { rows } = await sql<Entry & { entry: number }>`
    select entry, reel, seq, hash from (
      select j.entry, u.at, f.reel, f.seq, f.hash from treeos.journal j
      cross join unnest(j.reels, j.seqs) with ordinality as u (reel, seq, at)
      join treeos.fact f on f.reel = u.reel and f.seq = u.seq
      union all
      select j.entry, 1e9, 'moments:' || o.being, o.n, o.hash
      from treeos.journal j join treeos.moment_outcome o on o.moment = j.moment
    ) as entries order by entry, at`.execute(db)
  const appends = [...new Set(rows.map(({ entry }) => entry))]
  const last = appends.at(-1 - without)!
  return naiveLogOf(
    rows.filter(({ entry }) => entry <= last),
    key,
  )
}

/** These entries as a log, with a checkpoint over all of them. */
export function naiveLogOf(entries: readonly Entry[], key: LogKey): CheckpointedLog {
  const leaves = entries.map(leafOf)
  const ends = endsOf(entries, key.name.slice('treeos/'.length))
  const endLeaves = ends.map(leafOf)
  const heads = `heads ${ends.length} ${treeHash(endLeaves).toString('base64')}\n`
  const text = `${key.name}\n${leaves.length}\n${treeHash(leaves).toString('base64')}\n${heads}`
  const signature = Buffer.concat([key.id, sign(null, Buffer.from(text), key.privateKey)])
  return {
    note: `${text}\n— ${key.name} ${signature.toString('base64')}\n`,
    size: leaves.length,
    ends: async () => ({
      ends,
      endOf: (reel) => ends.find((end) => end.reel === reel),
      prove(reel) {
        const index = ends.findIndex((end) => end.reel === reel)
        return { index, path: pathOf(index, endLeaves) }
      },
    }),
    async prove(reel, seq) {
      const index = entries.findLastIndex((entry) => entry.reel === reel && entry.seq <= seq)
      const path = pathOf(index, leaves).map((hash) => hash.toString('hex'))
      return index < 0 ? null : { seq: entries[index]!.seq, index, path }
    },
  }
}
