import {
  type BeingName,
  canonicalJson,
  type Decision,
  type Digest,
  type Json,
  type MomentId,
  type OutcomeKind,
} from '@treeos/core'
import { type Selectable, sql } from 'kysely'
import { throwStaleGeneration } from '../inbox/life.ts'
import { newSalt, saltedDigest, utf8 } from '../ledger/hash.ts'
import type { MomentRecord, OpenRecord } from '../ledger/records.ts'
import type { Db } from '../sql/database.ts'
import type { MomentOutcomeTable } from '../sql/schema.ts'

/** What a moment was opened with. Written after the snapshot it records; the first write wins. */
export interface OpenWrite {
  readonly moment: MomentId
  readonly being: BeingName
  readonly n: number
  readonly wake: string
  readonly openedAt: number
  readonly record: OpenRecord
  readonly basis: Json
  /** kept with the record under its digest; null where there is nothing to see for */
  readonly face: { readonly digest: Digest; readonly content: Json } | null
}

export interface StoredOpen {
  readonly record: OpenRecord
  readonly basis: Json
  readonly face: Digest | null
}

/**
 * Stores the open record unless this moment has one.
 * @returns false when an earlier write stands
 * @throws {StaleGenerationError} when a younger life has begun: nothing could ever close such a moment
 */
export async function recordOpen(db: Db, open: OpenWrite): Promise<boolean> {
  const face = open.face === null ? null : utf8(canonicalJson(open.face.content))
  const { numAffectedRows } = await sql`
    with seen as (
      insert into treeos.blob (digest, bytes)
      select digest, bytes from (values (${open.face?.digest ?? null}::text, ${face}::bytea)) as face (digest, bytes)
      where digest is not null
      on conflict do nothing)
    insert into treeos.moment_open (moment, being, n, wake, opened_at, record, basis, face)
    values (${open.moment}, ${open.being}, ${open.n}, ${open.wake}, ${open.openedAt}, ${utf8(canonicalJson(open.record))},
      ${utf8(canonicalJson(open.basis))}, ${open.face?.digest ?? null})
    on conflict (moment) do nothing`
    .execute(db)
    .catch(throwStaleGeneration)
  return (numAffectedRows ?? 0n) > 0n
}

export async function readOpen(db: Db, moment: MomentId): Promise<StoredOpen | null> {
  const row = await db
    .selectFrom('moment_open')
    .select(['record', 'basis', 'face'])
    .where('moment', '=', moment)
    .executeTakeFirst()
  if (row === undefined) return null
  return { record: parse(row.record) as unknown as OpenRecord, basis: parse(row.basis), face: row.face }
}

/** What a mind answered, with what it cost. */
export interface StoredDecision {
  readonly decision: Decision
  readonly digest: Digest
}

/** Stores the decision unless this moment has one: the first answer is the one that counts. */
export async function recordDecision(
  db: Db,
  moment: MomentId,
  decision: Decision,
  usage: Json = null,
): Promise<StoredDecision> {
  const bytes = utf8(canonicalJson(decision))
  const salt = newSalt()
  const digest = saltedDigest(salt, bytes)
  const written = await db
    .insertInto('moment_decision')
    .values({
      moment,
      kind: decision.kind,
      digest,
      salt,
      bytes,
      usage: usage === null ? null : JSON.stringify(usage),
    })
    .onConflict((conflict) => conflict.column('moment').doNothing())
    .executeTakeFirst()
  if ((written.numInsertedOrUpdatedRows ?? 0n) > 0n) return { decision, digest }
  const stored = await readDecision(db, moment)
  if (stored === null) throw new Error(`the decision of ${moment} was there and is gone`)
  return stored
}

export async function readDecision(db: Db, moment: MomentId): Promise<StoredDecision | null> {
  const row = await db
    .selectFrom('moment_decision')
    .select(['bytes', 'digest'])
    .where('moment', '=', moment)
    .executeTakeFirst()
  return row === undefined ? null : { decision: parse(row.bytes) as unknown as Decision, digest: row.digest }
}

/** The bytes of an answer with the salt they were digested under: what an audit recomputes. */
export async function readDecisionBytes(
  db: Db,
  moment: MomentId,
): Promise<{ salt: Buffer; bytes: Buffer } | null> {
  const row = await db
    .selectFrom('moment_decision')
    .select(['salt', 'bytes'])
    .where('moment', '=', moment)
    .executeTakeFirst()
  return row ?? null
}

/** The end of one moment as it is kept. */
export interface StoredOutcome {
  readonly moment: MomentId
  readonly being: BeingName
  readonly n: number
  readonly kind: OutcomeKind
  readonly reason: string | null
  readonly detail: string | null
  /** what the asker was told of the act */
  readonly result: Json
  readonly wake: string | null
  readonly sealedAt: number
  readonly primary: string | null
  readonly prev: Digest
  readonly hash: Digest
  readonly record: MomentRecord
}

export async function readOutcome(db: Db, moment: MomentId): Promise<StoredOutcome | null> {
  const row = await db
    .selectFrom('moment_outcome')
    .selectAll()
    .where('moment', '=', moment)
    .executeTakeFirst()
  return row === undefined ? null : outcomeOf(row)
}

/** The outcome that closed a wake; null while it is open, or when its moments were all superseded so far. */
export async function readOutcomeOfWake(db: Db, wake: string): Promise<StoredOutcome | null> {
  const row = await db
    .selectFrom('moment_outcome')
    .selectAll()
    .where('wake', '=', wake)
    .where(sql<boolean>`reason is distinct from 'superseded'`)
    .executeTakeFirst()
  return row === undefined ? null : outcomeOf(row)
}

/** Finished moments of a being by their number, oldest first. @param last at most this many, the newest ones */
export async function listOutcomes(db: Db, being: BeingName, last?: number): Promise<StoredOutcome[]> {
  const newest = db.selectFrom('moment_outcome').selectAll().where('being', '=', being).orderBy('n', 'desc')
  const rows = await (last === undefined ? newest : newest.limit(last)).execute()
  return rows.reverse().map(outcomeOf)
}

export async function readOutcomeByNumber(
  db: Db,
  being: BeingName,
  n: number,
): Promise<StoredOutcome | null> {
  const row = await db
    .selectFrom('moment_outcome')
    .selectAll()
    .where('being', '=', being)
    .where('n', '=', n)
    .executeTakeFirst()
  return row === undefined ? null : outcomeOf(row)
}

/** Moments that were opened and have no outcome: at most one a life. */
export async function listUnfinished(db: Db, being: BeingName): Promise<{ moment: MomentId; n: number }[]> {
  return await db
    .selectFrom('moment_open')
    .select(['moment_open.moment', 'moment_open.n'])
    .where('moment_open.being', '=', being)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('moment_outcome')
            .select('moment_outcome.n')
            .whereRef('moment_outcome.moment', '=', 'moment_open.moment'),
        ),
      ),
    )
    .orderBy('moment_open.n')
    .execute()
}

/** Postgres' clock, ms since 1970 UTC: the only clock there is. */
export async function readClock(db: Db): Promise<number> {
  const { rows } = await sql<{ now: number }>`
    select (extract(epoch from clock_timestamp()) * 1000)::bigint as now`.execute(db)
  const now = rows[0]?.now
  if (now === undefined) throw new Error('Postgres told no time')
  return now
}

function outcomeOf(row: Selectable<MomentOutcomeTable>): StoredOutcome {
  return {
    moment: row.moment,
    being: row.being,
    n: row.n,
    kind: row.kind,
    reason: row.reason,
    detail: row.detail,
    result: row.result === null ? null : (JSON.parse(row.result) as Json),
    wake: row.wake,
    sealedAt: row.sealed_at,
    primary: row.primary_role,
    prev: row.prev.toString('hex'),
    hash: row.hash.toString('hex'),
    record: parse(row.record) as unknown as MomentRecord,
  }
}

const parse = (bytes: Buffer): Json => JSON.parse(bytes.toString('utf8')) as Json
