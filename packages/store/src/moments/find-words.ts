import { type BeingName, type Json, type OutcomeKind, TreeosError } from '@treeos/core'
import { type Kysely, type RawBuilder, type Selectable, sql } from 'kysely'
import { entryOf, type InboxEntry } from '../inbox/entry.ts'
import { detailOf } from '../ledger/refusal-digest.ts'
import { type Db, inSnapshot } from '../sql/database.ts'
import type { InboxTable, StoreDb } from '../sql/schema.ts'
import { decodeJson } from '../sql/stored-json.ts'
import { isOneOf, newestOf } from './newest.ts'

/** Whose words are searched, and for what. */
export interface WordsWanted {
  /** the pasts of this being and of its offspring at any distance; null: of all */
  readonly of: BeingName | null
  /** all of them have to be there, in letters of any case */
  readonly words: readonly string[]
  readonly limit: number
}

/** What was said and holds the words. */
export interface FoundEntry {
  readonly entry: InboxEntry
  /**
   * number of the moment that it woke, where the past of its being is open; else null, as while there is none
   */
  readonly n: number | null
}

/** A moment whose own words, failure or role hold the words. */
export interface FoundMoment {
  readonly being: BeingName
  readonly n: number
  readonly kind: OutcomeKind
  readonly reason: string | null
  readonly detail: string | null
  readonly primary: string | null
  readonly sealedAt: number
  /** null where nothing was decided */
  readonly decision: Json
}

/**
 * As it stands within JSON, where quotes and backslashes are escaped; and for LIKE, which has signs of its
 * own.
 */
const patternOf = (word: string): string =>
  `%${JSON.stringify(word)
    .slice(1, -1)
    .replaceAll(/[\\%_]/g, (sign) => `\\${sign}`)}%`

/** @param text in small letters */
const holds = (text: RawBuilder<unknown>, words: readonly string[]): RawBuilder<unknown> =>
  sql.join(
    words.map((word) => sql`${text} like lower(${patternOf(word)}::text)`),
    sql` and `,
  )

/** Of one thread so much is looked through, the newest. */
const EACH_THREAD_MAX = 200
/** A search that takes longer is given up. */
const SEARCH_MS_MAX = 3000

/**
 * Runs both searches in one snapshot.
 * @throws {TreeosError} TIMEOUT
 */
export const searching = <T>(db: Db, search: (tx: Db) => Promise<T>): Promise<T> =>
  inSnapshot(db as Kysely<StoreDb>, async (tx) => {
    await sql`select set_config('statement_timeout', ${String(SEARCH_MS_MAX)}, true)`.execute(tx)
    return search(tx)
  }).catch((error: unknown) => {
    if ((error as { code?: unknown }).code !== '57014') throw error
    throw new TreeosError(
      'TIMEOUT',
      `the search took longer than ${SEARCH_MS_MAX / 1000} s: use longer words, or fewer`,
    )
  })

/**
 * What was said in the threads of the newest moments, and what waits, the newest first. The caller compares
 * what it shows once more.
 */
export async function findSaid(db: Db, { of, words, limit }: WordsWanted): Promise<FoundEntry[]> {
  const isHeard = isOneOf(of, sql`i.being`)
  const { rows } = await sql<Selectable<InboxTable> & { readonly n: number | null }>`
    with ${newestOf(of)}, roots as (
      select w.root from recent r join treeos.inbox w on w.id = r.wake union select w.root from treeos.inbox w where w.closed_by is null and ${isOneOf(of, sql`w.being`)}
    )
    select i.*, case when ${isHeard} then o.n end as n from roots
    cross join lateral (
      select i.* from treeos.inbox i where i.root = roots.root and i.kind = 'summon' and (${isHeard} or ${isOneOf(of, sql`i.caller`)})
      order by i.age desc limit ${EACH_THREAD_MAX}) i
    left join treeos.moment_outcome o on o.wake = i.id and o.reason is distinct from 'superseded'
    cross join lateral (select treeos.text_of(i.content) as text offset 0) t -- once an entry, not once a word
    cross join lateral (select lower(concat_ws(' ', i.channel, t.text)) as low offset 0) l
    where t.text is not null and ${holds(sql`l.low`, words)}
    order by i.age desc limit ${limit}`.execute(db)
  return rows.map(({ n, ...row }) => ({ entry: entryOf(row), n }))
}

/**
 * Of the newest moments those that did, wore or failed with the words, the newest first. The caller compares
 * what it shows once more.
 */
export async function findLived(db: Db, { of, words, limit }: WordsWanted): Promise<FoundMoment[]> {
  const { rows } = await sql<
    Omit<FoundMoment, 'decision'> & { readonly bytes: Buffer | null; readonly refusal: Buffer | null }
  >`
    with ${newestOf(of)}
    select r.being, r.n, r.kind, r.reason, r.detail, r.refusal, r.primary_role as primary, r.sealed_at as "sealedAt", d.bytes
    from recent r left join treeos.moment_decision d on d.moment = r.moment
    cross join lateral (select treeos.text_of(d.bytes) as text offset 0) t
    cross join lateral (select lower(concat_ws(' ', r.reason, r.detail, treeos.text_of(r.refusal), r.primary_role, t.text)) as low offset 0) l
    where (d.bytes is null or t.text is not null) and ${holds(sql`l.low`, words)}
    order by r.sealed_at desc limit ${limit}`.execute(db)
  return rows.map(({ bytes, refusal, ...found }) => ({
    ...found,
    detail: detailOf({ detail: found.detail, refusal }),
    decision: bytes === null ? null : decodeJson<Json>(bytes),
  }))
}
