import { type BeingName, momentsReel, PRIORITIES } from '@treeos/core'
import { sql } from 'kysely'
import type { Db } from '../sql/database.ts'

/** Of a row with a column `being`: it is paused, so it claims only acts. */
const isPaused = sql`exists (
  select from treeos.projection p where p.key = 'being:' || being and p.cognition = 'paused')`

/**
 * Of a row of the inbox. One from the future counts as old: the clock was set back since, and its age is not
 * known.
 */
const isOld = (seconds: number) =>
  sql<boolean>`(at < clock_timestamp() - make_interval(secs => ${seconds}) or at > clock_timestamp())`

/**
 * Beings with a wake that no moment has claimed for a while: their doorbell was lost, or no worker runs.
 * Leaves out beings that a budget or a pause keeps from claiming.
 */
export async function listUnclaimed(db: Db, olderThanSeconds: number, limit: number): Promise<BeingName[]> {
  return (await pageUnclaimed(db, olderThanSeconds, limit, 0)).map(({ being }) => being)
}

/**
 * Those of these beings that a wake could wake which no moment has claimed. Parked and paused ones are not
 * left out.
 */
export async function listWithWakes(db: Db, beings: readonly BeingName[]): Promise<BeingName[]> {
  // The kind of mind is read once for each being. Of a crowd, to call the function `wakes` for each wake
  // takes twice as long.
  const { rows } = await sql<{ being: string }>`
    select distinct b.being from unnest(${beings}::text[]) as b(being) cross join lateral (
      select from treeos.inbox i where i.being = b.being and i.closed_by is null and i.claimed_by is null
        and (i.kind = 'act' or coalesce((select p.cognition from treeos.projection p where p.key = 'being:' || b.being) <> 'human', false))
      limit 1) as w`.execute(db)
  return rows.map(({ being }) => being)
}

/**
 * Whether the run of the being looks for wakes by itself at this time, so that nobody need ring it. Ask only
 * after the commit of the wake: the last claim of the run is later than what this answers.
 */
export async function isListening(db: Db, being: BeingName): Promise<boolean> {
  // A time that is far away was set before the clock was set back.
  const { rows } = await sql`
    select from treeos.head where reel = ${momentsReel(being)}
      and listens_until between clock_timestamp() and clock_timestamp() + interval '1 second'`.execute(db)
  return rows.length > 0
}

/** A claim and the question after it are less than this apart. */
const JUST_NOW_SECONDS = 1

/**
 * For a run that found nothing to claim. While the being listens, clients ring no doorbell, and a wake may
 * have come after the claim.
 * @returns ms until it listens no more, 0 when it just stopped; null when it did not listen at the claim
 */
export async function leftToListen(db: Db, being: BeingName): Promise<number | null> {
  const { rows } = await sql<{ ms: number }>`
    select greatest(0, extract(epoch from listens_until - clock_timestamp()) * 1000)::float8 as ms from treeos.head
    where reel = ${momentsReel(being)} and listens_until between clock_timestamp() - make_interval(secs => ${JUST_NOW_SECONDS})
      and clock_timestamp() + interval '1 second'`.execute(db)
  return rows[0]?.ms ?? null
}

/**
 * One page of the beings that listUnclaimed lists, the longest waiting first.
 * @param after `age` of the last being on the page before; 0 for the first page
 * @returns beings with the seconds for which their oldest such wake has waited
 */
export async function pageUnclaimed(
  db: Db,
  olderThanSeconds: number,
  limit: number,
  after: number,
): Promise<{ being: BeingName; age: number; waited: number }[]> {
  // Grouped by being and kind first: one person may have thousands of open summons.
  const { rows } = await sql<{ being: string; age: number; waited: number }>`
    select being, min(age) as age, extract(epoch from clock_timestamp() - min(at))::float8 as waited from (
      select being, case when treeos.brings_yes(kind, id) and not ${isPaused} then 'act' else kind end as kind, min(age) as age, min(at) as at from treeos.inbox
      where closed_by is null and claimed_by is null
        and ${isOld(olderThanSeconds)}
      group by 1, 2
    ) as waiting
    where treeos.wakes(being, kind) and (kind = 'act' or not (${isPaused} or treeos.is_parked(being) or treeos.is_paced(being)) or treeos.has_ended(being))
    group by being having min(age) > ${after}
    order by min(age) limit ${limit}`.execute(db)
  return rows
}

/** Wakes that wait for a moment. Ages are 0 where none waits. */
export interface WaitingWakes {
  readonly waiting: number
  readonly oldestSeconds: number
  /** half of them have waited longer than this; much less than `oldestSeconds` where some beings starve */
  readonly medianSeconds: number
  /** of these, the ones that a person caused */
  readonly ofPeople: WaitingShare
  /** of these, the ones that no answer waits for, such as those of schedules */
  readonly inBackground: WaitingShare
}

export interface WaitingShare {
  readonly waiting: number
  readonly oldestSeconds: number
}

/** Measures all inboxes. Leaves out what waits for persons, parked and paused beings. */
export async function measureInboxes(db: Db): Promise<WaitingWakes> {
  const { rows } = await sql<{
    [name in 'waiting' | 'oldest' | 'median' | 'people' | 'eldest' | 'background' | 'stalest']: number | null
  }>`
    select count(*) as waiting, max(age) as oldest, percentile_cont(0.5) within group (order by age) as median,
      count(*) filter (where priority <= ${PRIORITIES.human}) as people,
      max(age) filter (where priority <= ${PRIORITIES.human}) as eldest,
      count(*) filter (where priority > ${PRIORITIES.interactive}) as background,
      max(age) filter (where priority > ${PRIORITIES.interactive}) as stalest
    from (
      select priority, extract(epoch from clock_timestamp() - at)::float8 as age
      from treeos.inbox where closed_by is null and claimed_by is null and treeos.wakes(being, kind)
        and not treeos.is_parked(being) and not ${isPaused}
    ) as waits`.execute(db)
  const { waiting, oldest, median, people, eldest, background, stalest } = rows[0] ?? {}
  return {
    waiting: waiting ?? 0,
    oldestSeconds: oldest ?? 0,
    medianSeconds: median ?? 0,
    ofPeople: { waiting: people ?? 0, oldestSeconds: eldest ?? 0 },
    inBackground: { waiting: background ?? 0, oldestSeconds: stalest ?? 0 },
  }
}

/**
 * How many of these wakes wait because their being, or one up its birth chain, has used up its moments of
 * this minute.
 */
export async function countPaced(db: Db): Promise<number> {
  const { rows } = await sql<{ paced: number }>`
    select coalesce(sum(wakes), 0)::float8 as paced from (
      select being, count(*) as wakes from treeos.inbox
      where closed_by is null and claimed_by is null and kind <> 'act' and treeos.wakes(being, kind) and not ${isPaused}
      group by being
    ) as waiting
    where treeos.is_paced(being) and not treeos.is_parked(being) and not treeos.has_ended(being)`.execute(db)
  return rows[0]?.paced ?? 0
}

/**
 * Persons whose beings change more than may wake the beings of others in a minute, and in how many seconds the
 * last wake of theirs comes; the longest first.
 */
export async function listPacedAuthors(db: Db): Promise<{ person: BeingName; seconds: number }[]> {
  const { rows } = await sql<{ person: BeingName; seconds: number }>`
    select person, extract(epoch from free_at - clock_timestamp())::float8 as seconds from treeos.change_author
    where free_at > clock_timestamp() order by free_at desc, person`.execute(db)
  return rows
}

/**
 * What waits for people: entries to answer or read, and notices, counting each of those that one entry stands
 * for.
 */
export async function measurePeoplesInboxes(
  db: Db,
): Promise<{ waiting: number; notices: number; oldestSeconds: number }> {
  const { rows } = await sql<{ waiting: number; notices: number; oldest: number | null }>`
    select count(*) filter (where notice is null) as waiting, coalesce(sum(times) filter (where notice is not null), 0)::bigint as notices,
      extract(epoch from clock_timestamp() - min(at))::float8 as oldest
    from treeos.inbox i join treeos.projection p on p.key = 'being:' || i.being and p.cognition = 'human'
    where closed_by is null and kind <> 'act'`.execute(db)
  const [found] = rows
  return {
    waiting: found?.waiting ?? 0,
    notices: found?.notices ?? 0,
    oldestSeconds: found?.oldest ?? 0,
  }
}

/**
 * One page of the beings with a wake that came a while ago, and that a moment claimed and has not closed, by
 * name. They are thinking, their workflow was ended from outside, or the task that claimed it no longer
 * counted.
 * @param after name of the last being on the page before
 * @returns beings with whether a moment is open, and the seconds for which their oldest such wake has waited
 */
export async function listBusy(
  db: Db,
  olderThanSeconds: number,
  limit: number,
  after: BeingName = '',
): Promise<{ being: BeingName; isOpen: boolean; waited: number }[]> {
  return (
    db
      .selectFrom('inbox')
      .select([
        'being',
        sql<boolean>`bool_or(exists (select from treeos.moment_open o where o.moment = claimed_by))`.as(
          'isOpen',
        ),
        sql<number>`extract(epoch from clock_timestamp() - min(at))::float8`.as('waited'),
      ])
      .groupBy('being')
      .where('closed_by', 'is', null)
      .where('claimed_by', 'is not', null)
      // A summon that does not trigger the role stays open, although its moment is over.
      .where(({ not, exists, selectFrom }) =>
        not(exists(selectFrom('moment_outcome').select('moment').whereRef('moment', '=', 'claimed_by'))),
      )
      .where(isOld(olderThanSeconds))
      .where(sql<boolean>`being collate "C" > ${after}`)
      .orderBy(sql`being collate "C"`)
      .limit(limit)
      .execute()
  )
}
