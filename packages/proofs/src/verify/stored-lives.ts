import { type Db, decodeJson, REALITY_FORKED, REALITY_MADE, type RealityMade } from '@treeos/store'
import { type NotNull, sql } from 'kysely'
import type { ChainFault } from './verdict.ts'

/**
 * Compares the lives of each being with its moments: they count from 1 without gaps and follow each other, every moment is of one of them
 * and has the id of its being, life and number, and a wake has one moment.
 */
export async function faultsOfLives(tx: Db): Promise<ChainFault[]> {
  const { rows } = await sql<ChainFault>`
    with counted as (
      select being, max(generation) as newest, count(*) as lives from treeos.life group by being
    ), named as (
      select being, n, moment,
        case when moment ~ '/[1-9][0-9]{0,8}/[0-9]+$' then split_part(moment, '/', 2)::integer end as generation
      from treeos.moment_outcome
    ), lived as (
      select being, n, generation, moment is not distinct from format('%s/%s/%s', being, generation, n) as is_own,
        lag(generation) over (partition by being order by n) as before
      from named
    ), doubled as (
      select max(being) as being, max(n) as n from treeos.moment_outcome
      where wake is not null and reason is distinct from 'superseded' group by wake having count(*) > 1
    )
    select 'moments:' || being as reel, 0 as seq, 'life-mismatch' as reason from counted where newest <> lives
    union all
    select 'moments:' || l.being, min(l.n), 'life-mismatch' from lived l left join counted c on c.being = l.being
      where c.newest is null or l.generation > c.newest or l.generation < l.before or not l.is_own
      group by l.being
    union all
    select 'moments:' || being, n, 'wake-mismatch' from doubled`.execute(tx)
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
