import {
  type BeingName,
  canonicalJson,
  FACT_VERSION,
  type FactHeader,
  isJsonObject,
  type Json,
  type JsonObject,
  momentsReel,
  type ReelId,
  SPEECH_KIND,
} from '@treeos/core'
import { type Kysely, type Selectable, sql } from 'kysely'
import { factHash, genesisHash, momentHash, payloadHash } from '../ledger/hash.ts'
import { type Db, inSnapshot } from '../sql/database.ts'
import type { ChainDb, FactTable, MomentOutcomeTable } from '../sql/schema.ts'

/**
 * What is wrong with a chain, in the order it is looked for.
 * - `seq-gap`: the fact with this number is missing
 * - `prev-mismatch`: it does not name the hash of the fact before
 * - `hash-mismatch`: its header or record is not what was hashed
 * - `header-mismatch`: the header or record is not canonical, or says other things than the row's columns
 * - `payload-mismatch`: the payload is not the one the header cites, or lies where no fact is
 * - `head-mismatch`: the head does not stand where the last fact is
 */
export type BrokenReason =
  | 'seq-gap'
  | 'prev-mismatch'
  | 'hash-mismatch'
  | 'header-mismatch'
  | 'payload-mismatch'
  | 'head-mismatch'

/** The first fault of one chain; whatever follows it is suspect. */
export interface Broken {
  /** `moments:<being>` for the records of a being's moments */
  readonly reel: ReelId
  /** the fault's place; of a wrong head, that of the last fact there is */
  readonly seq: number
  readonly reason: BrokenReason
}

export interface Verified {
  readonly reels: number
  readonly facts: number
  /** records of moments */
  readonly moments: number
  readonly ok: boolean
  /** at most one a chain, sorted by reel */
  readonly broken: readonly Broken[]
}

export interface VerifyOptions {
  readonly onProgress?: (done: { readonly facts: number; readonly moments: number }) => void
}

const BATCH_LENGTH = 500 // of up to 64 KiB a payload

/**
 * Checks every chain over the stored bytes, in one snapshot: numbers, links, hashes, headers, payloads, heads, and the
 * records of moments likewise. An erased payload is no fault. What a rewritten chain hides, only checkpoints show.
 * @param reality the id that the first links are derived from
 */
export function verifyChains(
  db: Kysely<ChainDb>,
  reality: string,
  { onProgress = () => undefined }: VerifyOptions = {},
): Promise<Verified> {
  return inSnapshot(db, async (tx) => {
    const heads = await tx.selectFrom('head').selectAll().execute()
    const walk = new Walk(
      reality,
      new Map(heads.map((head) => [head.reel, { ...head, stateSeq: head.state_seq }])),
    )
    let facts = 0
    for await (const batch of batches((last) => factsAfter(tx, last))) {
      for (const row of batch) walk.step(row, () => faultOfFact(row), row.kind !== SPEECH_KIND)
      facts += batch.length
      onProgress({ facts, moments: 0 })
    }
    const reels = walk.chains
    let moments = 0
    for await (const batch of batches((last) => recordsAfter(tx, last))) {
      for (const row of batch) walk.step(row, () => faultOfRecord(row), false)
      moments += batch.length
      onProgress({ facts, moments })
    }
    walk.end()
    for (const { reel, seq } of await strayPayloads(tx))
      walk.report({ reel, seq, reason: 'payload-mismatch' })
    return { reels, facts, moments, ok: walk.broken.size === 0, broken: sorted(walk.broken.values()) }
  })
}

export function sorted(broken: Iterable<Broken>): Broken[] {
  return [...broken].sort((a, b) => (a.reel < b.reel ? -1 : Number(a.reel > b.reel)))
}

interface Link {
  readonly reel: ReelId
  readonly seq: number
  readonly prev: Buffer
  readonly hash: Buffer
}

interface Standing {
  readonly seq: number
  readonly hash: Buffer
  readonly stateSeq: number
}

/** Follows one chain after another, link by link, and compares each one's end with its head. */
class Walk {
  readonly broken = new Map<ReelId, Broken>()
  chains = 0
  readonly #reality: string
  readonly #heads: Map<ReelId, Standing>
  #reel: ReelId | null = null
  #last: Standing = { seq: 0, hash: Buffer.alloc(0), stateSeq: 0 }

  constructor(reality: string, heads: Map<ReelId, Standing>) {
    this.#reality = reality
    this.#heads = heads
  }

  step(link: Link, faultOfBody: () => BrokenReason | null, changes: boolean): void {
    const { reel, seq, hash } = link
    if (reel !== this.#reel) this.#begin(reel)
    if (this.broken.has(reel)) return
    const expected = this.#last.seq + 1
    let reason: BrokenReason | null = 'seq-gap'
    if (seq === expected) reason = link.prev.equals(this.#last.hash) ? faultOfBody() : 'prev-mismatch'
    if (reason !== null) this.report({ reel, seq: expected, reason })
    else this.#last = { seq, hash, stateSeq: changes ? seq : this.#last.stateSeq }
  }

  /** A head without a chain stands at its beginning. */
  end(): void {
    this.#finish()
    for (const [reel, head] of this.#heads) this.#compare(reel, head, this.#origin(reel))
  }

  /** Keeps the first fault of a chain. */
  report(fault: Broken): void {
    const known = this.broken.get(fault.reel)
    if (known === undefined || fault.seq < known.seq) this.broken.set(fault.reel, fault)
  }

  #begin(reel: ReelId): void {
    this.#finish()
    this.chains += 1
    this.#reel = reel
    this.#last = this.#origin(reel)
  }

  #finish(): void {
    const reel = this.#reel
    if (reel === null) return
    if (!this.broken.has(reel)) this.#compare(reel, this.#heads.get(reel), this.#last)
    this.#heads.delete(reel)
    this.#reel = null
  }

  #compare(reel: ReelId, head: Standing | undefined, { seq, hash, stateSeq }: Standing): void {
    if (head?.seq === seq && head.stateSeq === stateSeq && head.hash.equals(hash)) return
    this.report({ reel, seq, reason: 'head-mismatch' })
  }

  #origin(reel: ReelId): Standing {
    return { seq: 0, hash: genesisHash(this.#reality, reel), stateSeq: 0 }
  }
}

type FactRow = Selectable<FactTable> & { readonly salt: Buffer | null; readonly bytes: Buffer | null }
type RecordRow = Selectable<MomentOutcomeTable> & { readonly reel: ReelId; readonly seq: number }

function faultOfFact(row: FactRow): BrokenReason | null {
  if (!row.hash.equals(factHash(row.prev, row.header))) return 'hash-mismatch'
  if (!isHeaderOf(row)) return 'header-mismatch'
  if (row.salt === null || row.bytes === null) return null // erased
  return row.payload_hash.equals(payloadHash(row.salt, row.bytes)) ? null : 'payload-mismatch'
}

/** Whether the stored header is the canonical one for these columns: the one form in which it could have been hashed. */
function isHeaderOf({ header, reel, seq, kind, moment, payload_hash }: FactRow): boolean {
  const said = parse(header) as Partial<FactHeader> | null
  if (said === null || !isText(said.actor) || !isText(said.code) || !Number.isSafeInteger(said.at))
    return false
  const { actor, driver, cause, at, stack, code } = said
  if (![driver, cause, stack].every((value) => value === null || isText(value))) return false
  const payloadHash = payload_hash.toString('hex')
  const own = { v: FACT_VERSION, reel, seq, kind, actor, driver, moment, cause, at, payloadHash, stack, code }
  return isCanonical(own as Json, header)
}

function faultOfRecord(row: RecordRow): BrokenReason | null {
  if (!row.hash.equals(momentHash(row.prev, row.record))) return 'hash-mismatch'
  const said = parse(row.record)
  return said !== null && isCanonical(said, row.record) && isRecordOf(said, row) ? null : 'header-mismatch'
}

function isRecordOf(said: JsonObject, row: RecordRow): boolean {
  const stack = said.stack as { primary?: { name?: Json } } | null | undefined
  return (
    said.being === row.being &&
    said.moment === row.moment &&
    said.n === row.n &&
    said.outcome === row.kind &&
    said.reason === row.reason &&
    said.wake === row.wake &&
    said.sealedAt === row.sealed_at &&
    (stack?.primary?.name ?? null) === row.primary_role
  )
}

const isText = (value: unknown): value is string => typeof value === 'string' && !value.includes('\0')

function parse(bytes: Buffer): JsonObject | null {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'))
    return isJsonObject(value) ? value : null
  } catch {
    return null
  }
}

function isCanonical(value: Json, bytes: Buffer): boolean {
  try {
    return bytes.equals(Buffer.from(canonicalJson(value), 'utf8'))
  } catch {
    return false // half a character, or a negative zero
  }
}

/** Reads the next batch while the last one is being looked at. */
async function* batches<R extends { reel: ReelId; seq: number }>(
  read: (last: { reel: ReelId; seq: number }) => Promise<R[]>,
): AsyncGenerator<R[]> {
  let reading: Promise<R[]> | null = read({ reel: '', seq: 0 })
  while (reading !== null) {
    const batch: R[] = await reading
    const last: R | undefined = batch.length < BATCH_LENGTH ? undefined : batch.at(-1)
    reading = last === undefined ? null : read(last)
    reading?.catch(() => undefined) // heard when it is awaited, unless the caller gave up before
    if (batch.length > 0) yield batch
  }
}

function factsAfter(tx: Db, { reel, seq }: { reel: ReelId; seq: number }): Promise<FactRow[]> {
  return tx
    .selectFrom('fact')
    .leftJoin('payload', (join) =>
      join.onRef('payload.reel', '=', 'fact.reel').onRef('payload.seq', '=', 'fact.seq'),
    )
    .selectAll('fact')
    .select(['payload.salt', 'payload.bytes'])
    .where(sql<boolean>`(fact.reel, fact.seq) > (${reel}, ${seq})`)
    .orderBy('fact.reel')
    .orderBy('fact.seq')
    .limit(BATCH_LENGTH)
    .execute()
}

async function recordsAfter(tx: Db, last: { reel: ReelId; seq: number }): Promise<RecordRow[]> {
  const being: BeingName = last.reel.slice(momentsReel('').length)
  const rows = await tx
    .selectFrom('moment_outcome')
    .selectAll()
    .where(sql<boolean>`(being, n) > (${being}, ${last.seq})`)
    .orderBy('being')
    .orderBy('n')
    .limit(BATCH_LENGTH)
    .execute()
  return rows.map((row) => ({ ...row, reel: momentsReel(row.being), seq: row.n }))
}

function strayPayloads(tx: Db): Promise<{ reel: ReelId; seq: number }[]> {
  return tx
    .selectFrom('payload')
    .select(['reel', 'seq'])
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('fact')
            .select('fact.seq')
            .whereRef('fact.reel', '=', 'payload.reel')
            .whereRef('fact.seq', '=', 'payload.seq'),
        ),
      ),
    )
    .execute()
}
