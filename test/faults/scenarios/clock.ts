import { actWakeId, type BeingName } from '@treeos/core'
import { sql } from 'kysely'
import type { Clock } from '../clocks.ts'
import type { Experiment } from '../driver.ts'
import type { Keeper } from '../keeper.ts'
import type { Figures, Scenario } from '../scenario.ts'

const HOUR = 3600
const DAY = 24 * HOUR
/** Seconds before a change of the zone's offset, so that the change comes while beings live. */
const BEFORE = 2

/** Where a clock goes, in seconds from the clock of the machine, given where it was. */
const STEPS: readonly { readonly name: string; readonly to: (offset: number) => number }[] = [
  { name: 'back 1 h', to: (offset) => offset - HOUR },
  { name: 'forward 1 day', to: (offset) => offset + DAY },
  { name: 'back 1 s', to: (offset) => offset - 1 },
  { name: 'summer time begins', to: () => until('2027-03-28T01:00:00Z') - BEFORE },
  { name: 'summer time ends', to: () => until('2027-10-31T01:00:00Z') - BEFORE },
  { name: '29 February', to: () => until('2028-02-29T11:59:00Z') },
  { name: 'a year ends', to: () => until('2027-12-31T23:00:00Z') - BEFORE },
  { name: 'right', to: () => 0 },
]

const until = (instant: string): number => (Date.parse(instant) - Date.now()) / 1000

const WHOSE = ['postgres', 'workers', 'both'] as const
/**
 * Before noon and after it, so that each run changes the stack of a being that reads the hour. Both are later
 * than any step goes: the time of a moment is never before its being's last act, so an earlier hour would not
 * be seen.
 */
const HALVES = ['2029-01-10T07:00:00Z', '2029-01-10T16:00:00Z'] as const

interface Size {
  /** how often each of 24 steps is made */
  readonly rounds: number
  readonly steps: number
}

/** Reads the hour, so that its stack depends on the clock. */
const BEING = 'clockwork'

/** Temporal keeps the clock of the machine, as a server elsewhere would. */
export const clock: Scenario<Size> = {
  name: 'clock',
  about:
    'clocks of Postgres and of workers that jump, also inside a moment, lose and double nothing, keep the order of wakes, and replay alike',
  special: 'clocks',
  sizes: {
    test: { rounds: 1, steps: 8 },
    full: { rounds: 20, steps: STEPS.length * WHOSE.length },
    control: { rounds: 1, steps: 8 },
  },
  experiment: {
    persons: 4,
    scripted: 3,
    llm: 3,
    modelMsMax: 1500,
    stallSeconds: 90,
    timeZone: 'Europe/Berlin',
  },
  attack: jump,
  control: { without: 'counted-order', sign: /^wakes of @\S+ were lived in another order than they came/ },
}

async function jump(experiment: Experiment, { rounds, steps }: Size, broken: string[]): Promise<Figures> {
  const { clocks } = experiment.ground
  if (clocks === null) throw new Error('the clocks of this ground cannot jump')
  const random = experiment.random.fork()
  const keeper = experiment.keepWorker()
  await keeper.worker.ready
  await experiment.operate({
    verb: 'be',
    operation: 'birth',
    args: {
      name: BEING,
      cognition: 'scripted',
      script: 'echo',
      roleFlow: [{ when: { 'time.hour': { gte: 12 } }, role: 'citizen' }, { role: 'resident' }],
    },
  })
  const every = STEPS.flatMap((step) => WHOSE.map((whose) => ({ ...step, whose })))
  const set = async (which: Clock, to: number) => {
    experiment.faults.push(Date.now())
    await which.set(to)
    experiment.faults.push(Date.now()) // what a lease covered may be asked again
  }
  const load = experiment.load(8)
  let made = 0
  try {
    for (let round = 0; round < rounds; round++)
      for (const { to, whose } of random.shuffled(every).slice(0, steps)) {
        experiment.check()
        if (whose !== 'workers') await set(clocks.postgres, to(clocks.postgres.offset))
        if (whose !== 'postgres') await set(clocks.workers, to(clocks.workers.offset))
        await experiment.answered([(await experiment.ask(BEING)).id])
        made += 1
        if (made % 24 === 0) experiment.say(`${made} steps, ${experiment.asked.length} questions`)
      }
    for (const half of HALVES) {
      await set(clocks.postgres, until(half))
      await set(clocks.workers, until(half))
      await experiment.answered([(await experiment.ask(BEING)).id])
    }
    await load.stop()
    await experiment.answered()
    for (let i = 0; i < Math.max(1, rounds / 2); i++)
      await keepOrder(experiment, keeper, clocks.postgres, broken)
  } finally {
    await set(clocks.postgres, 0)
    await set(clocks.workers, 0)
  }
  broken.push(...(await silences(experiment)))
  const stacks = await stacksOf(experiment, BEING)
  if (stacks.length < 2) broken.push(`the hour never changed the stack of @${BEING}: ${stacks.join()}`)
  return { steps: made, workersStarted: keeper.starts, stacks: stacks.join(', ') }
}

/** Wakes that come while the clock goes back are lived as they came. */
async function keepOrder(
  experiment: Experiment,
  { worker }: Keeper,
  clock: Clock,
  broken: string[],
): Promise<void> {
  const person = experiment.random.pick(experiment.persons)
  worker.freeze()
  const ids: string[] = []
  try {
    for (let i = 0; i < 3; i++) {
      ids.push((await experiment.have(person)).id)
      await clock.set(clock.offset - HOUR)
    }
  } finally {
    worker.resume()
  }
  await experiment.answered(ids)
  const lived = await wakesInOrder(experiment, ids.map(actWakeId))
  if (lived.join() !== ids.map(actWakeId).join())
    broken.push(`wakes of @${person} were lived in another order than they came: ${lived.join(', ')}`)
}

async function wakesInOrder({ db }: Experiment, wakes: readonly string[]): Promise<string[]> {
  const rows = await db
    .selectFrom('moment_outcome')
    .select('wake')
    .where('wake', 'in', wakes)
    .orderBy('being')
    .orderBy('n')
    .execute()
  return rows.map(({ wake }) => wake ?? '')
}

/** Moments that opened before the one before them was sealed: their silence would be negative. */
async function silences({ db }: Experiment): Promise<string[]> {
  const { rows } = await sql<{ moment: string }>`
    with ends as (
      select moment, sealed_at, max(sealed_at) filter (where kind = 'act')
        over (partition by being order by n rows between unbounded preceding and 1 preceding) as before
      from treeos.moment_outcome)
    select o.moment from treeos.moment_open o join ends e using (moment)
    where o.opened_at < e.before or e.sealed_at < o.opened_at`.execute(db)
  return rows.map(
    ({ moment }) => `the silence before ${moment} is negative, or it was sealed before it opened`,
  )
}

/** How many of the being's acts had which role. */
async function stacksOf({ db }: Experiment, being: BeingName): Promise<string[]> {
  const rows = await db
    .selectFrom('moment_outcome')
    .select(({ fn }) => ['primary_role', fn.countAll<number>().as('count')])
    .where('being', '=', being)
    .groupBy('primary_role')
    .orderBy('primary_role')
    .execute()
  return rows.map(({ primary_role, count }) => `${primary_role} ${count}`)
}
