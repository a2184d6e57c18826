import {
  asJson,
  type BeingName,
  type Digest,
  type Json,
  type MomentId,
  type OutcomeKind,
  type RefusalFields,
  stanceOf,
  TreeosError,
} from '@treeos/core'
import { type Selectable, sql } from 'kysely'
import type { MomentRecord, OpenRecord } from '../ledger/records.ts'
import { detailOf, type RefusalWrite } from '../ledger/refusal-digest.ts'
import { offspringOf } from '../rows/offspring.ts'
import type { Db } from '../sql/database.ts'
import type { MomentOutcomeTable } from '../sql/schema.ts'
import { decodeJson } from '../sql/stored-json.ts'

/** The end of one moment as it is stored. */
export interface StoredOutcome {
  readonly moment: MomentId
  readonly being: BeingName
  readonly n: number
  readonly kind: OutcomeKind
  readonly reason: string | null
  /** in words: of a refusal by fields its sentence */
  readonly detail: string | null
  /** why a gate refused it, or which name nothing has; null for anything else */
  readonly refusal: RefusalFields | null
  /** the answer to the asker of the act */
  readonly result: Json
  readonly wake: string | null
  readonly sealedAt: number
  readonly primary: string | null
  readonly prev: Digest
  readonly hash: Digest
  readonly record: MomentRecord
}

export async function findOutcome(db: Db, moment: MomentId): Promise<StoredOutcome | null> {
  const row = await db
    .selectFrom('moment_outcome')
    .selectAll()
    .where('moment', '=', moment)
    .executeTakeFirst()
  return row === undefined ? null : outcomeOf(row)
}

/** Ends of moments by their ids, in any order. */
export async function listOutcomesOf(db: Db, moments: readonly MomentId[]): Promise<StoredOutcome[]> {
  if (moments.length === 0) return []
  const isAsked = sql<boolean>`moment = any(${[...moments]}::text[])`
  return (await db.selectFrom('moment_outcome').selectAll().where(isAsked).execute()).map(outcomeOf)
}

/**
 * The newest moments of whose calls dry-run rules would have said something else, newest first. It looks into
 * the records, and no index helps: this is for whoever asks once, and no moment asks it.
 * @param being null: of all beings
 */
export async function listShadowed(db: Db, being: BeingName | null, last: number): Promise<StoredOutcome[]> {
  const all = db.selectFrom('moment_outcome').selectAll().orderBy('sealed_at', 'desc').orderBy('moment')
  const own = being === null ? all : all.where('being', '=', being)
  const said = sql<boolean>`position('"shadow":['::bytea in record) > 0`
  return (await own.where(said).limit(last).execute()).map(outcomeOf)
}

/**
 * The newest moments of a being in which the flow in its shadow would have given other roles, newest first.
 * As {@link listShadowed}.
 */
export async function listWornInShadow(
  db: Db,
  being: BeingName,
  last: number,
): Promise<{ readonly moment: MomentId; readonly n: number; readonly roles: Json; readonly worn: Json }[]> {
  const { rows } = await sql<{ moment: string; n: number; open: Buffer; record: Buffer }>`
    select o.moment, o.n, o.record as open, e.record
    from treeos.moment_open o join treeos.moment_outcome e on e.moment = o.moment
    where o.being = ${being} and position('"shadow":['::bytea in o.record) > 0
    order by o.n desc limit ${last}`.execute(db)
  return rows.map(({ moment, n, open, record }) => {
    const { stack } = decodeJson<MomentRecord>(record)
    const worn = stack === null ? [] : [stack.primary, ...stack.stacked].map(({ name }) => name)
    return { moment, n, roles: asJson(decodeJson<OpenRecord>(open).shadow ?? []), worn }
  })
}

/** The outcome that closed a wake; null while it is open, or when all its moments so far were superseded. */
export async function findOutcomeOfWake(db: Db, wake: string): Promise<StoredOutcome | null> {
  const row = await db
    .selectFrom('moment_outcome')
    .selectAll()
    .where('wake', '=', wake)
    .where(sql<boolean>`reason is distinct from 'superseded'`)
    .executeTakeFirst()
  return row === undefined ? null : outcomeOf(row)
}

/** Finished moments of a being by their numbers, both ends included, oldest first. */
export async function listOutcomesBetween(
  db: Db,
  being: BeingName,
  { since, until }: { readonly since: number; readonly until?: number | undefined },
): Promise<StoredOutcome[]> {
  const from = db
    .selectFrom('moment_outcome')
    .selectAll()
    .where('being', '=', being)
    .where('n', '>=', since)
    .orderBy('n')
  return (await (until === undefined ? from : from.where('n', '<=', until)).execute()).map(outcomeOf)
}

/**
 * Finished moments of a being, oldest first.
 * @param last only the newest of them, at most this many
 * @param before only those with a smaller number
 */
export async function listOutcomes(
  db: Db,
  being: BeingName,
  last?: number,
  before?: number,
): Promise<StoredOutcome[]> {
  const all = db.selectFrom('moment_outcome').selectAll().where('being', '=', being).orderBy('n', 'desc')
  const newest = before === undefined ? all : all.where('n', '<', before)
  const rows = await (last === undefined ? newest : newest.limit(last)).execute()
  return rows.reverse().map(outcomeOf)
}

/** Which moments of a period are asked for. */
export interface OutcomesWanted {
  /** the pasts of this being and of its offspring; null: of all */
  readonly of: BeingName | null
  readonly being?: BeingName | undefined
  /** only what it lived itself, and what it decided as the driver of another */
  readonly person?: BeingName | undefined
  /** only those that were woken in it */
  readonly thread?: string | undefined
  /** when they ended, in milliseconds: from, and before */
  readonly since?: number | undefined
  readonly until?: number | undefined
  /** only older ones than this */
  readonly before?: { readonly sealedAt: number; readonly moment: MomentId } | undefined
  readonly limit: number
}

/** The newest finished moments of a period, oldest first. */
export async function listOutcomesWithin(
  db: Db,
  { of, being, person, thread, since = 0, until = Number.MAX_SAFE_INTEGER, before, limit }: OutcomesWanted,
): Promise<StoredOutcome[]> {
  const { rows } = await sql<Selectable<MomentOutcomeTable>>`
    with recursive ${offspringOf(of)}
    select e.* from treeos.moment_outcome e
    where e.sealed_at >= ${since} and e.sealed_at < ${until}
      and ${of === null ? sql`true` : sql`e.being in (select being from offspring)`}
      and ${being === undefined ? sql`true` : sql`e.being = ${being}`}
      and ${
        person === undefined
          ? sql`true`
          : sql`(e.being = ${person} or exists (
              select from treeos.moment_open o where o.moment = e.moment and treeos.told(o.record)->>'driver' = ${person}))`
      }
      and ${thread === undefined ? sql`true` : sql`e.wake in (select id from treeos.inbox where root = ${thread})`}
      and ${before === undefined ? sql`true` : sql`(e.sealed_at, e.moment) < (${before.sealedAt}::bigint, ${before.moment})`}
    order by e.sealed_at desc, e.moment desc limit ${limit}`.execute(db)
  return rows.reverse().map(outcomeOf)
}

/** Beings with a finished moment. */
export async function listBeingsWithMoments(db: Db): Promise<BeingName[]> {
  const rows = await db.selectFrom('moment_outcome').select('being').distinct().execute()
  return rows.map(({ being }) => being)
}

/**
 * The newest finished moment of each of these beings, which may be thousands; those without one are left out.
 */
export async function listNewestOutcomes(
  db: Db,
  beings: readonly BeingName[],
): Promise<Pick<StoredOutcome, 'being' | 'n' | 'record'>[]> {
  if (beings.length === 0) return []
  const { rows } = await sql<Pick<Selectable<MomentOutcomeTable>, 'being' | 'n' | 'record'>>`
    select o.* from unnest(${[...beings]}::text[]) as asked(being)
    cross join lateral (
      select being, n, record from treeos.moment_outcome where being = asked.being order by n desc limit 1
    ) o`.execute(db)
  return rows.map(({ being, n, record }) => ({ being, n, record: decodeJson(record) }))
}

export async function findOutcomeByNumber(
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

export function outcomeOf(row: Selectable<MomentOutcomeTable>): StoredOutcome {
  return {
    moment: row.moment,
    being: row.being,
    n: row.n,
    kind: row.kind,
    reason: row.reason,
    detail: detailOf(row),
    refusal: row.refusal === null ? null : decodeJson<RefusalWrite>(row.refusal).fields,
    result: row.result === null ? null : decodeJson(row.result),
    wake: row.wake,
    sealedAt: row.sealed_at,
    primary: row.primary_role,
    prev: row.prev.toString('hex'),
    hash: row.hash.toString('hex'),
    record: decodeJson(row.record),
  }
}

/** @throws {TreeosError} MOMENT_NOT_FOUND */
export async function requireOutcome(db: Db, being: BeingName, n: number): Promise<StoredOutcome> {
  const outcome = await findOutcomeByNumber(db, being, n)
  if (outcome !== null) return outcome
  throw new TreeosError('MOMENT_NOT_FOUND', `${stanceOf(being)} has no finished moment ${n}`)
}
