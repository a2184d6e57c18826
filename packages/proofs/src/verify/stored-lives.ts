import { type Db, decodeJson, REALITY_FORKED, REALITY_MADE, type RealityMade } from '@treeos/store'
import { type NotNull, sql } from 'kysely'
import type { ChainFault } from './verdict.ts'

/**
 * Compares the lives of each being with its moments: they count from 1 without gaps, and every moment is of
 * one of them.
 */
export async function faultsOfLives(tx: Db): Promise<ChainFault[]> {
  const { rows } = await sql<ChainFault>`
    with counted as (
      select being, max(generation) as newest, count(*) as lives from treeos.life group by being
    ), lived as (
      select being, min(n) as n, split_part(moment, '/', 2)::integer as generation
      from treeos.moment_outcome group by being, generation
    )
    select 'moments:' || being as reel, 0 as seq, 'life-mismatch' as reason from counted where newest <> lives
    union all
    select 'moments:' || l.being, min(l.n), 'life-mismatch' from lived l left join counted c on c.being = l.being
      where c.newest is null or l.generation > c.newest
      group by l.being`.execute(tx)
  return rows
}

/** Facts of a moment without an outcome. */
export async function faultsOfMomentless(tx: Db): Promise<ChainFault[]> {
  const { rows } = await sql<ChainFault>`
    select f.reel, min(f.seq) as seq, 'facts-mismatch' as reason from treeos.fact f
    where f.moment is not null and not exists (select from treeos.moment_outcome o where o.moment = f.moment)
    group by f.reel`.execute(tx)
  return rows
}

/** What is stored of beings that have no row: watches, limits, parks and leases of nobody. */
export async function faultsOfNobody(tx: Db): Promise<ChainFault[]> {
  const { rows } = await sql<ChainFault>`
    select 'being:' || being as reel, 0 as seq, reason from (
      select being, 'watch-mismatch' as reason from treeos.watch
      union select being, 'limit-mismatch' from treeos.account where revision > 0
      union select being, 'limit-mismatch' from treeos.parking
      union select being, 'lease-mismatch' from treeos.lease
    ) as others
    where not exists (select from treeos.projection p where p.key = 'being:' || others.being)`.execute(tx)
  return rows
}

/**
 * Compares the row of the reality with the last fact that says what it was made with, or what it was called
 * as it became a fork.
 */
export async function faultsOfReality(tx: Db): Promise<ChainFault[]> {
  const made = await tx
    .selectFrom('fact')
    .select(['reel', 'seq', 'bytes'])
    .where('reel', '=', REALITY_MADE.reel)
    .where('kind', 'in', [REALITY_MADE.kind, REALITY_FORKED.kind])
    .where('moment', 'is', null)
    .where('bytes', 'is not', null)
    .$narrowType<{ bytes: NotNull }>()
    .orderBy('seq', 'desc')
    .executeTakeFirst()
  if (made === undefined) return []
  const { reel, seq } = made
  const { name, timeZone } = decodeJson<RealityMade>(made.bytes)
  const row = await tx.selectFrom('reality').select(['name', 'time_zone']).executeTakeFirst()
  return row?.name === name && row.time_zone === timeZone ? [] : [{ reel, seq, reason: 'reality-mismatch' }]
}
