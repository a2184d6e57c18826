import { type BeingName, MICROS, type OutcomeKind } from '@treeos/core'
import { sql } from 'kysely'
import { detailOf } from '../ledger/refusal-digest.ts'
import type { Db } from '../sql/database.ts'
import { isOneOf, NEWEST_MOMENTS_MAX, newestOf } from './newest.ts'

/**
 * A moment that ended lately: what it wore, cost and waited for. Times are in milliseconds since 1970 UTC.
 */
export interface LateMoment {
  readonly being: BeingName
  readonly n: number
  readonly kind: OutcomeKind
  readonly reason: string | null
  readonly detail: string | null
  readonly role: string | null
  readonly sealedAt: number
  /** null where it was never opened */
  readonly openedAt: number | null
  /** where its being is now; null where it is nowhere */
  readonly space: string | null
  /** who woke it */
  readonly caller: BeingName | null
  readonly thread: string | null
  /** id of the inbox entry that woke it */
  readonly wake: string | null
  /** null without a call of a model */
  readonly model: string | null
  readonly tokens: number
  /** in the currency of the price list */
  readonly money: number
}

export interface LatelyWanted {
  /** the pasts of this being and of its offspring at any distance; null: of all */
  readonly of: BeingName | null
  readonly seconds: number
}

/** Moments that ended lately, the newest first. @returns isAll false: more may have ended within the time */
export async function listLately(
  db: Db,
  { of, seconds }: LatelyWanted,
): Promise<{ readonly moments: readonly LateMoment[]; readonly isAll: boolean }> {
  const { rows } = await sql<
    Omit<LateMoment, 'money'> & {
      readonly refusal: Buffer | null
      readonly micros: number
      readonly isCut: boolean
    }
  >`
    with ${newestOf(of)}
    select r.being, r.n, r.kind, r.reason, r.detail, r.refusal, r.primary_role as role, r.sealed_at as "sealedAt", o.opened_at as "openedAt",
      p.place as space, i.caller, i.root as thread, r.wake, d.usage->>'model' as model, coalesce(s.tokens, 0)::bigint as tokens, coalesce(s.micros, 0)::bigint as micros,
      coalesce(r.most <= count(*) over (partition by r.being), false) as "isCut"
    from recent r
    left join treeos.moment_open o on o.moment = r.moment
    left join treeos.inbox i on i.id = r.wake
    left join treeos.projection p on p.key = 'being:' || r.being
    left join treeos.moment_decision d on d.moment = r.moment
    left join lateral (
      select sum(coalesce(settled_tokens, tokens)) as tokens, sum(coalesce(settled_micros, micros)) as micros
      from treeos.reservation where moment = r.moment) s on true
    where r.sealed_at >= extract(epoch from clock_timestamp() - make_interval(secs => ${seconds})) * 1000
    order by r.sealed_at desc limit ${NEWEST_MOMENTS_MAX}`.execute(db)
  return {
    moments: rows.map(({ micros, isCut: _, refusal, ...moment }) => ({
      ...moment,
      detail: detailOf({ detail: moment.detail, refusal }),
      money: micros / MICROS,
    })),
    isAll: rows.length < NEWEST_MOMENTS_MAX && !rows.some(({ isCut }) => isCut),
  }
}

/** What waits in the inbox of one being. */
export interface WaitingFor {
  readonly being: BeingName
  readonly cognition: string | null
  readonly count: number
  readonly oldestSeconds: number
  /** who waits longest; null where no being does */
  readonly caller: BeingName | null
  readonly thread: string
}

/**
 * For whom something waits that nobody has taken or answered, the longest waiting first. Notices wait for
 * nobody.
 */
export async function listWaitingFor(
  db: Db,
  { of, limit }: { readonly of: BeingName | null; readonly limit: number },
): Promise<WaitingFor[]> {
  const { rows } = await sql<WaitingFor>`
    with ${newestOf(of)}
    select i.being, p.cognition, count(*) as count, extract(epoch from clock_timestamp() - min(i.at))::float8 as "oldestSeconds",
      (array_agg(i.caller order by i.age))[1] as caller, (array_agg(i.root order by i.age))[1] as thread
    from treeos.inbox i left join treeos.projection p on p.key = 'being:' || i.being
    where i.closed_by is null and i.notice is null and i.kind <> 'act' and ${isOneOf(of, sql`i.being`)}
    group by i.being, p.cognition order by min(i.at) limit ${limit}`.execute(db)
  return rows
}
