import {
  approvalReel,
  type BroughtFile,
  causeSourceOf,
  type EffectCause,
  type ErrorCode,
  type FactDraft,
  type Json,
  keyedBy,
  type MomentId,
  type OverlayRecord,
  parseMomentId,
  type ReelId,
  type Wake,
} from '@treeos/core'
import { sql } from 'kysely'
import { throwStaleGeneration } from '../inbox/life.ts'
import { digestOf, saltedDigest } from '../ledger/hash.ts'
import type { EffectDigests } from '../ledger/records.ts'
import type { Db } from '../sql/database.ts'
import { decodeJson, encodeJson } from '../sql/stored-json.ts'

/** What an operation asks of the outside world, and for whom. */
export interface EffectAsked {
  readonly operation: string
  readonly actor: string
  /** a stance, a path or an address */
  readonly target: string
  readonly args: Json
  /** names of the secrets that it is given, never their values; left out for none */
  readonly secrets?: readonly string[]
}

/** What was asked, with what it rests on and the key that the outside is given. */
export interface EffectRequest extends EffectAsked {
  /** left out, as `key`, by TreeOS before it had them */
  readonly cause?: EffectCause
  /** digest of {@link keyedBy} */
  readonly key?: string
}

/** The result: a value, or an error that no further attempt would change. */
export type EffectResult = (
  | {
      readonly value: Json
      /** what it brought and that is kept, of which the act makes things; left out for none */
      readonly files?: readonly BroughtFile[]
    }
  | { readonly error: { readonly code: ErrorCode; readonly message: string } }
) & {
  /** of its last model calls, in order and without any text; left out without one */
  readonly overlays?: readonly OverlayRecord[]
  /** its answer was lost, and the outside told later what became of it; left out otherwise */
  readonly checked?: true
}

export interface StoredEffect {
  readonly request: EffectRequest
  /** null until there is a result */
  readonly result: EffectResult | null
}

/**
 * A fact by which an act will be counted, and the number of the last one on its reel as the act was judged.
 */
export type HeldFact = Pick<FactDraft, 'reel' | 'payload'> & { readonly seq: number }

/**
 * Stores the request of a moment, unless it has one: a moment asks once. Where rules count the act, nothing
 * else is counted there until the moment is over.
 * @returns a reel of these that has moved since, or where another act waits for the outside; null when it is
 *   stored
 * @throws {StaleGenerationError} when a younger life has begun
 */
export async function recordEffect(
  db: Db,
  moment: MomentId,
  request: EffectRequest,
  holds: readonly HeldFact[] = [],
): Promise<ReelId | null> {
  const held = holds.map(({ reel, seq, payload }) => ({
    reel,
    seq,
    payload: encodeJson(payload).toString('hex'),
  }))
  const { rows } = await sql<{ moved: ReelId | null }>`
    select treeos.record_effect(${moment}, ${request.operation}, ${encodeJson(request)}::bytea, ${JSON.stringify(held)}::jsonb) as moved`
    .execute(db)
    .catch(throwStaleGeneration)
  return rows[0]?.moved ?? null
}

/**
 * A reel of these on which the next place is that of another act, which waits for the outside. Null without
 * one.
 */
export async function findHeldByOther(
  db: Db,
  moment: MomentId,
  reels: readonly ReelId[],
): Promise<ReelId | null> {
  const { rows } = await sql<{ reel: ReelId }>`
    select reel from treeos.held_count where reel = any(${[...reels]}::text[]) and treeos.is_held(reel, ${moment}) limit 1`.execute(
    db,
  )
  return rows[0]?.reel ?? null
}

/** The facts by which the act of a moment is counted that asked the outside for something. */
export async function listHeldFacts(
  db: Db,
  moment: MomentId,
): Promise<Pick<FactDraft, 'reel' | 'payload'>[]> {
  const rows = await db
    .selectFrom('held_count')
    .select(['reel', 'payload'])
    .where('moment', '=', moment)
    .orderBy('reel')
    .execute()
  return rows.map(({ reel, payload }) => ({ reel, payload: decodeJson(payload) }))
}

/** The request with its key. @param wake that of its moment */
export async function keyedRequest(
  db: Db,
  reality: string,
  asked: EffectAsked,
  wake: Pick<Wake, 'id' | 'kind' | 'cause'>,
): Promise<Required<Pick<EffectRequest, 'cause' | 'key'>> & EffectAsked> {
  const cause = await findCause(db, wake)
  return { ...asked, cause, key: digestOf(keyedBy(reality, asked, cause)) }
}

async function findCause(db: Db, wake: Pick<Wake, 'id' | 'kind' | 'cause'>): Promise<EffectCause> {
  const source = causeSourceOf(wake)
  if (source.of === 'wake') return source.cause
  if (source.of === 'yes') {
    const yes = await db
      .selectFrom('fact')
      .select('hash')
      .where('reel', '=', approvalReel(source.asked))
      .where('kind', '=', 'approval:given')
      .orderBy('seq', 'desc')
      .limit(1)
      .executeTakeFirstOrThrow()
    return { yes: yes.hash.toString('hex') }
  }
  const moment = await db
    .selectFrom('moment_outcome')
    .select('hash')
    .where('being', '=', source.being)
    .where('n', '=', source.n)
    .executeTakeFirst()
  return moment === undefined ? { wake: wake.id } : { moment: moment.hash.toString('hex'), wake: wake.id }
}

/** Stores the result of a moment's request, unless it has one: the first result counts. */
export async function recordEffectResult(db: Db, moment: MomentId, result: EffectResult): Promise<void> {
  await sql`select treeos.record_effect_result(${moment}, ${encodeJson(result)}::bytea)`.execute(db)
}

/** Whether another moment of the same wake, of an earlier life, has asked the outside for something. */
export async function hasEffectOfWake(db: Db, wake: string, moment: MomentId): Promise<boolean> {
  const { rows } = await sql`
    select from treeos.moment_open o join treeos.moment_effect e using (moment)
    where o.being = ${parseMomentId(moment).being} and o.wake = ${wake} and o.moment <> ${moment} limit 1`.execute(
    db,
  )
  return rows.length > 0
}

/** The digests of a stored effect, as the record of its moment names them. */
export const effectDigests = ({ salt, request, result }: StoredEffectBytes): EffectDigests => ({
  request: saltedDigest(salt, request),
  result: result === null ? null : saltedDigest(salt, result),
})

export interface StoredEffectBytes {
  readonly salt: Buffer
  readonly request: Buffer
  readonly result: Buffer | null
}

export async function findEffect(db: Db, moment: MomentId): Promise<StoredEffect | null> {
  const row = await db
    .selectFrom('moment_effect')
    .select(['request', 'result'])
    .where('moment', '=', moment)
    .executeTakeFirst()
  if (row === undefined) return null
  return { request: decodeJson(row.request), result: row.result === null ? null : decodeJson(row.result) }
}
