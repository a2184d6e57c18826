import { MICROS, type MomentId } from '@treeos/core'
import { sql } from 'kysely'
import type { Db } from '../sql/database.ts'

/**
 * What the model calls of one moment cost. An attempt whose cost never came back counts as its reservation.
 */
export interface MomentCost {
  readonly attempts: number
  readonly tokens: number
  /** in the currency of the price list */
  readonly money: number
}

/** @returns null for a moment that asked no model */
export const costOf = async (db: Db, moment: MomentId): Promise<MomentCost | null> =>
  (await listCosts(db, [moment])).get(moment) ?? null

/** What moments cost; those that asked no model are left out. */
export async function listCosts(db: Db, moments: readonly MomentId[]): Promise<Map<MomentId, MomentCost>> {
  if (moments.length === 0) return new Map()
  const { rows } = await sql<{ moment: string; attempts: number; tokens: number; micros: number }>`
    select moment, count(*) as attempts, coalesce(sum(coalesce(settled_tokens, tokens)), 0)::bigint as tokens,
      coalesce(sum(coalesce(settled_micros, micros)), 0)::bigint as micros
    from treeos.reservation where moment = any(${[...moments]}::text[]) group by moment`.execute(db)
  return new Map(
    rows.map(({ moment, attempts, tokens, micros }) => [
      moment,
      { attempts, tokens, money: micros / MICROS },
    ]),
  )
}

/** What the answers of one model cost. */
export interface ModelUse {
  /** as the server named it; null where its answer named none */
  readonly model: string | null
  readonly moments: number
  readonly tokens: number
  readonly money: number
}

/** The models that decided in a period, by name. @param since ms since 1970 UTC: from, and before `until` */
export async function listModelUse(
  db: Db,
  { since, until }: { readonly since: number; readonly until: number },
): Promise<ModelUse[]> {
  const { rows } = await sql<Omit<ModelUse, 'money'> & { readonly micros: number }>`
    select d.usage->>'model' as model, count(*)::bigint as moments, coalesce(sum(cost.tokens), 0)::bigint as tokens,
      coalesce(sum(cost.micros), 0)::bigint as micros
    from treeos.moment_outcome o join treeos.moment_decision d on d.moment = o.moment and d.usage is not null
      cross join lateral (select sum(coalesce(r.settled_tokens, r.tokens)) as tokens, sum(coalesce(r.settled_micros, r.micros)) as micros
        from treeos.reservation r where r.moment = o.moment) as cost
    where o.sealed_at >= ${since} and o.sealed_at < ${until}
    group by 1 order by 1`.execute(db)
  return rows.map(({ micros, ...use }) => ({ ...use, money: micros / MICROS }))
}

/** One call of a model. */
export interface ModelAttempt {
  /** from 1, in the order in which they began: the number of a reservation is drawn, and says nothing */
  readonly attempt: number
  /** ms since 1970 UTC */
  readonly at: number
  /** null where its cost never came back */
  readonly settledAt: number | null
  readonly tokens: number
}

/** The calls of a model in one moment, the first one first. */
export async function listModelAttempts(db: Db, moment: MomentId): Promise<ModelAttempt[]> {
  const { rows } = await sql<{ at: Date; settled: Date | null; tokens: number }>`
    select at, settled_at as settled, coalesce(settled_tokens, tokens) as tokens
    from treeos.reservation where moment = ${moment} order by at`.execute(db)
  return rows.map(({ at, settled, tokens }, i) => ({
    attempt: i + 1,
    at: at.getTime(),
    settledAt: settled?.getTime() ?? null,
    tokens,
  }))
}
