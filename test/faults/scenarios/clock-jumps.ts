import { setTimeout as sleep } from 'node:timers/promises'
import type { RoleFlow } from '@treeos/roles'
import { sql } from 'kysely'
import { asksOtherClock, OtherClock } from '../clock.ts'
import type { Trial } from '../driver.ts'
import type { Figures, Scenario } from '../scenario.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
/** Jumps of the clock from where it stands, in ms. */
const JUMPS = [-1, 1000, -1000, 60_000, -60_000, HOUR, -HOUR, DAY, -DAY, 7 * DAY, -8 * DAY, 400 * DAY]
/** Where it is set to: both changes of the hour in Berlin, a 29th of February, the ends of a year, and far away. */
const HOURS = [
  '2026-03-29T00:59:59.5Z',
  '2026-03-29T01:00:00.5Z',
  '2026-10-25T00:59:59.5Z',
  '2026-10-25T01:00:00.5Z',
  '2028-02-28T22:59:59.5Z',
  '2028-02-29T22:59:59.5Z',
  '2027-02-28T22:59:59.5Z',
  '2026-12-31T22:59:59.5Z',
  '2027-01-01T00:00:00Z',
  '2000-01-01T00:00:00Z',
  '2038-01-19T03:14:08Z',
  '2026-11-23T12:00:00Z',
]

/** What depends on the time. Both roles are of the extension emotions. */
const MOODS: RoleFlow = [
  { stack: true, when: { 'time.sinceLastMoment': { gte: 60 } }, role: 'emotions:bored' },
  { stack: true, when: { 'time.hour': { gte: 12 } }, role: 'emotions:focused' },
]

/** RELIABILITY C9. */
export const clockJumps: Scenario<{ rounds: number }> = {
  name: 'clock-jumps',
  about:
    'a clock that jumps back and forth, also within moments, orders nothing: reels go by seq, a silence is never negative, and replay decides the same',
  sizes: { test: { rounds: 1 }, full: { rounds: 20 }, control: { rounds: 1 } },
  trial: {
    persons: 3,
    scripted: 3,
    llm: 3,
    timeZone: 'Europe/Berlin',
    roleFlow: MOODS,
    modelMsMax: 200,
    stallSeconds: 90,
  },
  attack: jump,
  control: {
    without: 'sabotaged attack',
    attack: jump,
    trial: { readsBy: 'at' },
    sign: /^reel being:\S+ .*(differ|ended before)/,
  },
}

async function jump(trial: Trial, { rounds }: { rounds: number }, broken: string[]): Promise<Figures> {
  const random = trial.random.fork()
  const clock = await OtherClock.install(trial.owner)
  const link = await trial.newLink()
  link.rewrite(asksOtherClock)
  trial.dismissMidwife()
  try {
    await trial.keepWorker({ through: link }).worker.ready
    const load = trial.load(6)
    let ahead = 0
    const steps = JUMPS.length + HOURS.length
    for (let round = 1; round <= rounds; round++) {
      for (const step of random.shuffled([...JUMPS, ...HOURS])) {
        await sleep(random.between(0, 150)) // anywhere within a moment
        ahead = typeof step === 'number' ? ahead + step : Date.parse(step) - Date.now()
        trial.faults.push(Date.now()) // a call that seems to have expired is made again
        await clock.set(ahead)
        // Each person's reel has a fact of each hour.
        const done = await Promise.all(trial.persons.map((person) => trial.have(person)))
        // A summon without a doorbell is found by the sweep, whatever the time of its row.
        if (random.chance(0.1)) await trial.ask(random.pick(trial.scripted), undefined, { rows: 1, rings: 0 })
        await trial.answered(done.map(({ id }) => id))
      }
      trial.faults.push(Date.now())
      trial.say(`${round * steps} of ${rounds * steps} jumps, ${trial.asked.length} questions`)
    }
    await load.stop()
    await trial.answered()
    return { jumps: rounds * steps, ...(await judgeTimes(trial, broken)) }
  } finally {
    await clock.set(0)
  }
}

/** A silence is never negative, and the clock did go back between facts that follow each other. */
async function judgeTimes({ db }: Trial, broken: string[]): Promise<Figures> {
  const { rows: silences } = await sql<{ moment: string; silence: number }>`
    select moment, silence from (
      select moment, (convert_from(record, 'UTF8')::jsonb #>> '{context,time,sinceLastMoment}')::numeric as silence
      from treeos.moment_open) as opened
    where silence < 0`.execute(db)
  for (const { moment, silence } of silences) broken.push(`the silence before ${moment} is ${silence} s`)
  const { rows } = await sql<{ back: number; silences: number }>`
    select (select count(*)::int from (
      select (convert_from(header, 'UTF8')::jsonb->>'at')::bigint
        < lag((convert_from(header, 'UTF8')::jsonb->>'at')::bigint) over (partition by reel order by seq) as is_back
      from treeos.fact) as steps where is_back) as back,
    (select count(*)::int from treeos.moment_open
      where convert_from(record, 'UTF8')::jsonb #> '{context,time,sinceLastMoment}' is not null) as silences`.execute(
    db,
  )
  const { back = 0, silences: seen = 0 } = rows[0] ?? {}
  if (back === 0) broken.push('the clock never went back between two facts of a reel')
  if (seen === 0) broken.push('no moment recorded how long its being was silent')
  return { factsBeforeTheirPredecessor: back, silences: seen }
}
