import type { BeingName } from '@treeos/core'
import { sql } from 'kysely'
import type { Db } from '../sql/database.ts'

interface Amounts {
  readonly tokens: number
  readonly micros: number
}

/**
 * What a being and its offspring have used of its budget, and hold for calls under way. Money is in
 * millionths.
 */
export interface AccountUse {
  readonly being: BeingName
  /** 0: the standard budget bounds it */
  readonly revision: number
  readonly day: { readonly tokens: number; readonly micros: number }
  readonly total: { readonly tokens: number; readonly micros: number }
  readonly reserved: { readonly tokens: number; readonly micros: number }
  /** the part of both that counts for calls whose cost never came back */
  readonly unsure: { readonly day: Amounts; readonly total: Amounts }
  /** moments of them all in this minute, counted while a budget limits them */
  readonly minuteMoments: number
  /** moments of the being alone in the last 60 s, counted up to 1000 */
  readonly lastMoments: number
}

/** Use of the budgets of beings that have an account, by name. @param being only of this one; null for all */
export async function listAccounts(db: Db, being: BeingName | null = null): Promise<AccountUse[]> {
  const { rows } = await sql<AccountUse>`
    select a.being, a.revision,
      jsonb_build_object('tokens', case when a.day = t.today then day_tokens else 0 end,
        'micros', case when a.day = t.today then day_micros else 0 end) as day,
      jsonb_build_object('tokens', total_tokens, 'micros', total_micros) as total,
      jsonb_build_object('tokens', reserved_tokens, 'micros', reserved_micros) as reserved,
      u.unsure,
      case when minute = date_trunc('minute', clock_timestamp()) then minute_moments else 0 end as "minuteMoments",
      l.moments as "lastMoments"
    from treeos.account a
      cross join (select (clock_timestamp() at time zone time_zone)::date as today from treeos.reality) t
      cross join lateral (${lastMoments(sql.ref('a.being'))}) l
      cross join lateral (
        select jsonb_build_object(
            'day', jsonb_build_object('tokens', coalesce(sum(settled_tokens) filter (where r.day = t.today), 0),
              'micros', coalesce(sum(settled_micros) filter (where r.day = t.today), 0)),
            'total', jsonb_build_object('tokens', coalesce(sum(settled_tokens), 0), 'micros', coalesce(sum(settled_micros), 0))
          ) as unsure
        from treeos.reservation r where r.unsure and r.accounts @> array[a.being]) u
    where ${being}::text is null or a.being = ${being}
    order by a.being collate "C"`.execute(db)
  return rows
}

/** Moments that a being opened in the last 60 s, counted up to 1000. */
export async function countLastMoments(db: Db, being: BeingName): Promise<number> {
  const { rows } = await lastMoments(sql`${being}`).execute(db)
  return rows[0]?.moments ?? 0
}

const lastMoments = (being: ReturnType<typeof sql>) => sql<{ moments: number }>`
  select count(*) as moments from (
    (select o.opened_at from treeos.moment_outcome m join treeos.moment_open o on o.moment = m.moment
      where m.being = ${being} order by m.n desc limit 1000)
    union all
    (select o.opened_at from treeos.moment_open o where o.being = ${being} and o.early
      and not exists (select from treeos.moment_outcome m where m.moment = o.moment))
    limit 1000) as latest
  where opened_at > extract(epoch from clock_timestamp()) * 1000 - 60000`
