import type { BeingName } from '@treeos/core'
import { type RawBuilder, sql } from 'kysely'
import { offspringOf } from '../rows/offspring.ts'

/** So many moments are looked through; those of one being share them, but each has at least a few. */
export const NEWEST_MOMENTS_MAX = 10_000
const EACH_MIN = 20
const BEINGS_MAX = 2000

const COLUMNS = sql`o.moment, o.being, o.n, o.kind, o.reason, o.detail, o.refusal, o.primary_role, o.wake, o.sealed_at`

/**
 * For `with`: `recent`, the newest moments of the beings whose past is open to one of them, and unless that
 * is everyone `few`, their names. `most` is how many of one being are looked through at most: 0 where some
 * beings are left out, null where only all together are bounded. Nothing of other beings is read, so neither
 * what is found nor the time that it takes tells of them.
 * @param of the being, with its offspring at any distance; null: all, for the first operator
 */
export const newestOf = (of: BeingName | null): RawBuilder<unknown> =>
  of === null
    ? sql`recursive recent as materialized (
        select ${COLUMNS}, null::bigint as most from (select moment from treeos.journal where moment is not null order by entry desc limit ${NEWEST_MOMENTS_MAX}) j
        join treeos.moment_outcome o on o.moment = j.moment)`
    : sql`recursive ${offspringOf(of)}, few as materialized (select being from offspring limit ${BEINGS_MAX}),
      recent as materialized (
        select ${COLUMNS}, case when f.beings < ${BEINGS_MAX} then f.most else 0 end as most
        from (select being, greatest(${EACH_MIN}, ${NEWEST_MOMENTS_MAX} / count(*) over ()) as most, count(*) over () as beings from few) f
        cross join lateral (select * from treeos.moment_outcome m where m.being = f.being order by m.n desc limit f.most) o)`

/** Whether a name is one of those. @param column of names */
export const isOneOf = (of: BeingName | null, column: RawBuilder<unknown>): RawBuilder<unknown> =>
  of === null ? sql`true` : sql`${column} in (select being from few)`
