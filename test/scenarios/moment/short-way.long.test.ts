/**
 * A moment is finished within one workflow task when its mind decides soon. Whoever dies, stops or comes late
 * changes nothing.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { newMemory } from '@treeos/activities'
import { type BeingName, momentId } from '@treeos/core'
import type { History } from '@treeos/host'
import type { LivedMoments, WithHints } from '@treeos/protocol'
import { fetchRuns } from '@treeos/replay'
import { findDecision, findOpen, findOutcome, listOutcomes } from '@treeos/store'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  beginByHand,
  type HandMoment,
  handWorker,
  liveByHand,
  openByHand,
  stampByHand,
  stampedIn,
  tellByHand,
} from '../../support/by-hand.ts'
import { askedFor, beingOf, live, momentOf, publish, tell, until, wakeUp } from '../../support/life.ts'
import { type Processes, prepareProcesses } from '../../support/processes.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import { useModelServer, useWorld } from '../../support/use-world.ts'
import { startWorld, type World } from '../../support/world.ts'

/** Temporal lists a run once it has indexed it. */
const LISTED = { timeout: 20_000 }
/** Other tests share the processors, so a fast mind may take a while. */
const SHORT_MS = 2000
/** Longer than a mind may take on the short way. */
const SLOW_MS = 3000
const model = useModelServer()

/**
 * The beats of a being's moments, in order; of those of a worker only the ones that lived or opened a moment.
 */
async function beatsOf(world: World, being: BeingName): Promise<string[]> {
  const runs = await fetchRuns(world.temporal, world.reality.name, being, null)
  return runs.flatMap(({ history }) => (history.events ?? []).flatMap(beatIn))
}

function beatIn(event: NonNullable<History['events']>[number]): string[] {
  if (event.activityTaskScheduledEventAttributes?.activityType?.name === 'think') return ['think']
  const { name, result } = localIn(event)
  if (name === 'stampMoment') return [name]
  if (name !== 'liveMoments' || result === null) return []
  const { lived, stop } = result.value
  return [...lived.map(() => 'lived'), ...(stop !== undefined && 'left' in stop ? ['opened'] : [])]
}

function localIn(event: NonNullable<History['events']>[number]) {
  const { data, result } = event.markerRecordedEventAttributes?.details ?? {}
  const [about, value] = [data, result].map((of) => Buffer.from(of?.payloads?.[0]?.data ?? []).toString())
  return {
    name:
      about === undefined || about === ''
        ? null
        : (JSON.parse(about) as { activity_type: string }).activity_type,
    result: value === undefined || value === '' ? null : (JSON.parse(value) as WithHints<LivedMoments>),
  }
}

describe('a moment', () => {
  const world = useWorld({ extensions: [stage], modelServer: model, shortMindMs: SHORT_MS })
  const SHORT = ['lived']
  const LONG = ['opened', 'think', 'stampMoment']

  afterEach(() => model.reset())

  it('of a script is one workflow task', async () => {
    await world.birthPuppet('puppet')
    await live(world, 'puppet', { call: { verb: 'summon', content: 'yes' } })
    await expect.poll(() => beatsOf(world, 'puppet'), LISTED).toEqual(SHORT)
    const [run] = await fetchRuns(world.temporal, world.reality.name, 'puppet', null)
    const ends = run!.history.events?.findIndex(
      (event) => event.markerRecordedEventAttributes?.markerName === 'core_local_activity',
    )
    const before = run!.history.events?.slice(0, ends)
    expect(before?.filter((event) => event.workflowTaskCompletedEventAttributes != null)).toHaveLength(1)
  })

  it('of a model goes the long way when the model is slow, the next one at once, and the short way again after a fast call', async () => {
    await world.birth({ name: 'thinker', cognition: 'llm', role: 'resident' })
    await live(world, 'thinker', 'one')
    let slow = 2
    model.script(async (request) => {
      if (beingOf(request) === 'thinker' && slow-- > 0) await sleep(SLOW_MS)
      return undefined
    })
    for (const content of ['two', 'three', 'four', 'five']) await live(world, 'thinker', content)
    const lived = [
      ...SHORT,
      ...LONG, // it turned out to be slow
      ...LONG, // known to be slow
      ...LONG, // fast again, which is known from now on
      ...SHORT,
    ]
    await expect.poll(() => beatsOf(world, 'thinker'), LISTED).toEqual(lived)
    expect(askedFor(model, 'thinker')).toHaveLength(5)
  })

  it('whose model fails at first is retried as on the long way', async () => {
    await world.birth({ name: 'patient', cognition: 'llm', role: 'resident' })
    let asked = 0
    model.script((request) => (beingOf(request) === 'patient' && asked++ === 0 ? { status: 503 } : undefined))
    const { outcome, n } = await live(world, 'patient', 'one')
    expect({ outcome, asked }).toEqual({ outcome: 'act', asked: 2 })
    const faults = world.faults.filter(({ moment }) => moment === momentId('patient', 1, n))
    expect(faults.map(({ part, attempt }) => ({ part, attempt }))).toEqual([{ part: 'model', attempt: 1 }])
  })

  it('keeps the error of a script that throws', async () => {
    await live(world, 'puppet', { throw: 'a script that dies' })
    const rows = await world.db
      .selectFrom('moment_fault')
      .select('message')
      .where('part', '=', 'script')
      .execute()
    expect(rows).toEqual([{ message: expect.stringContaining('a script that dies') }])
  })

  it('of many is bounded for each workflow task, so that signals are heard between', async () => {
    await world.birthPuppet('busy')
    const wakes = await wakeUp(
      world,
      'busy',
      Array.from({ length: 20 }, (_, i) => ({ i })),
    )
    for (const wake of wakes) await momentOf(world, wake)
    // The last task is recorded after its moments.
    await expect
      .poll(async () => (await finishedPerTask('busy')).reduce((sum, count) => sum + count, 0), LISTED)
      .toBe(20)
    expect(Math.max(...(await finishedPerTask('busy')))).toBeLessThanOrEqual(16)
  })

  /** How many moments each workflow task of a being's first run finished. */
  async function finishedPerTask(being: BeingName): Promise<number[]> {
    const [run] = await fetchRuns(world.temporal, world.reality.name, being, null)
    const perTask = [0]
    for (const event of run?.history.events ?? []) {
      if (event.workflowTaskCompletedEventAttributes != null) perTask.push(0)
      perTask.push((perTask.pop() ?? 0) + beatIn(event).filter((beat) => beat === 'lived').length)
    }
    return perTask
  }

  it('replays from both records', async () => {
    expect(world.errors).toEqual([])
    await expectUnbroken(world)
    await expectReplays(world)
  })
})

describe('a worker that is asked to end while a slow mind decides', () => {
  const world = useWorld({ modelServer: model })
  let processes: Processes
  beforeAll(async () => {
    processes = await prepareProcesses()
  })
  afterAll(() => processes?.close())
  afterEach(() => model.reset())

  it('lets the call go on until its decision is stored, so that the model is asked once', async () => {
    await world.birth({ name: 'slow', cognition: 'llm', role: 'resident' })
    await world.stopWorker() // workers as users run them have a time to end
    const start = () =>
      processes.start(world, {
        OPENAI_BASE_URL: model.url,
        TREEOS_MODEL: 'test-model',
        TREEOS_SHORT_MIND_MS: '50',
      })
    model.script(async (request) => {
      if (beingOf(request) === 'slow') await sleep(1500)
      return undefined
    })
    const first = start()
    const [wake = ''] = await wakeUp(world, 'slow', ['decide'])
    const isHandedOver = async () =>
      (await sql`select from treeos.mind_call`.execute(world.db)).rows.length > 0
    await until(isHandedOver, { seconds: 60, what: 'a call that was handed over' })
    expect(await first.retire()).toBe(0)
    start()
    expect(await momentOf(world, wake, 60)).toMatchObject({ outcome: 'see' })
    expect(askedFor(model, 'slow')).toHaveLength(1)
  })
})

describe('two workers', () => {
  let world: World
  beforeAll(async () => {
    world = await startWorld({ modelUrl: model.url, activitiesMax: 1, shortMindMs: SHORT_MS })
    await world.startWorker()
  })
  afterAll(() => world.close())

  it('ask a slow model once for each moment, whichever of them joins the call', async () => {
    const beings = Array.from({ length: 6 }, (_, i) => `mind-${i + 1}`)
    for (const name of beings) await world.birth({ name, cognition: 'llm', role: 'resident' })
    model.script(async () => {
      await sleep(SLOW_MS)
      return undefined
    })
    const wakes = await Promise.all(beings.map((being) => tell(world, being, 'think')))
    for (const wake of wakes) expect(await momentOf(world, wake)).toMatchObject({ outcome: 'act' })
    expect(beings.map((being) => askedFor(model, being).length)).toEqual(beings.map(() => 1))
    model.reset()
    expect(await world.db.selectFrom('mind_call').selectAll().execute()).toEqual([])
    await expectReplays(world)
  })
})

describe('a slow call', () => {
  const world = useWorld({ modelServer: model, shortMindMs: SHORT_MS })

  it('that Postgres fails to announce once its moment is stored is joined, and the model is asked once', async () => {
    await world.birth({ name: 'slow', cognition: 'llm', role: 'resident' })
    model.script(async (request) => {
      if (beingOf(request) === 'slow') await sleep(SLOW_MS)
      return undefined
    })
    await sql`create sequence treeos.announced`.execute(world.owner) // counts what is rolled back, too
    await sql`
      create function treeos.refuse_first() returns trigger language plpgsql security definer as $$
      begin
        if nextval('treeos.announced') = 1 then
          raise exception using errcode = 'disk_full';
        end if;
        return new;
      end $$`.execute(world.owner)
    await sql`
      create trigger refuse_first before insert on treeos.mind_call
      for each row execute function treeos.refuse_first()`.execute(world.owner)
    expect(await live(world, 'slow', 'think')).toMatchObject({ outcome: 'act' })
    expect(askedFor(model, 'slow')).toHaveLength(1)
    const { rows } = await sql<{ announced: number }>`
      select last_value as announced from treeos.announced`.execute(world.owner)
    expect(rows).toEqual([{ announced: 2 }])
    expect(await world.db.selectFrom('mind_call').selectAll().execute()).toEqual([])
    model.reset()
    await expectReplays(world)
  })
})

/** Runs the beats of a scripted being by hand, in the place of workers. */
describe('a worker that comes late', () => {
  const world = useWorld()
  let names = 0
  const changes = async () => void (await publish(world, `news.n${names}`, ++names))

  const newWorker = () => handWorker(world)
  /** It asks no mind within a workflow task. */
  const slowWorker = () => handWorker(world, { memory: newMemory({ mindMs: 0 }) })

  /** A being with a wake and a generation, which no workflow runs. */
  async function newcomer() {
    names += 1
    const being = `late-${names}`
    await world.birth({ name: being, cognition: 'scripted', script: 'echo' })
    await tellByHand(world, being, being, 'hello')
    return beginByHand(world, being)
  }
  const stored = async ({ moment }: HandMoment) => ({
    open: (await findOpen(world.db, moment)) !== null,
    decision: (await findDecision(world.db, moment)) !== null,
    outcome: (await findOutcome(world.db, moment)) !== null,
  })
  const NOTHING = { open: false, decision: false, outcome: false }
  const ALL = { open: true, decision: true, outcome: true }

  it('stores nothing of a moment before the append, and all of it with the append', async () => {
    const moment = await newcomer()
    const opened = await openByHand(newWorker(), moment)
    expect(await stored(moment)).toEqual(NOTHING)
    expect(stampedIn(await opened.end())).toMatchObject({ kind: 'act' })
    expect(await stored(moment)).toEqual(ALL)
  })

  it('a rerun after the append returns what is stored, on any worker', async () => {
    const moment = await newcomer()
    const [lived] = (await liveByHand(newWorker(), moment)).value.lived
    await changes()
    const again = (await liveByHand(newWorker(), moment)).value
    expect(again).toEqual({ lived: [{ ...lived, ended: { ...lived!.ended, waiting: 1 } }] })
    const { digest } = (await findDecision(world.db, moment.moment))!
    const rest = { ...moment, stack: lived!.stack, skip: null, failed: null }
    const { value } = await newWorker().stampMoment({ ...rest, decision: digest })
    expect(value).toEqual({ ...lived!.ended, waiting: expect.any(Number) })
  })

  it('finds that another ended the moment from another snapshot, and takes over that one', async () => {
    const moment = await newcomer()
    const early = await openByHand(newWorker(), moment)
    await changes()
    const late = (await liveByHand(newWorker(), moment)).value
    const outcome = (await findOutcome(world.db, moment.moment))!
    expect(outcome.record.open).toBe(late.lived[0]!.opened.open)
    const { lived } = (await early.end()).value
    expect(lived.map(({ opened, ended }) => [opened, ended.record])).toEqual([
      [late.lived[0]!.opened, outcome.hash],
    ])
    expect(await listOutcomes(world.db, moment.being)).toHaveLength(1)
  })

  it('writes nothing when another open record is stored, and without this check the records would disagree', async () => {
    const moment = await newcomer()
    const early = await openByHand(newWorker(), moment)
    await changes()
    const { stop } = (await liveByHand(slowWorker(), moment)).value
    expect(stop).toMatchObject({ left: { decides: true } })
    expect((await early.end()).value).toEqual({
      lived: [],
      stop: { ...stop, left: { decides: true, begun: {} } },
    })
    expect(await stored(moment)).toEqual({ ...NOTHING, open: true })

    const { rows } = await sql<{ definition: string }>`
      select pg_get_functiondef('treeos.write_moment(jsonb, jsonb, boolean, boolean)'::regprocedure) as definition`.execute(
      world.owner,
    )
    const guarded = rows[0]!.definition
    const unguarded = guarded.replace(
      'elsif not exists (select from moment_open',
      'elsif false and not exists (select from moment_open',
    )
    expect(unguarded).not.toBe(guarded)
    await sql.raw(unguarded).execute(world.owner)
    try {
      const other = await newcomer()
      const opened = await openByHand(newWorker(), other)
      await changes()
      await liveByHand(slowWorker(), other)
      expect(stampedIn(await opened.end())).toMatchObject({ kind: 'act' })
      const { record } = (await findOutcome(world.db, other.moment))!
      const kept = await world.db
        .selectFrom('moment_open')
        .select(sql<string>`encode(sha256('treeos.value.v1\\000'::bytea || record), 'hex')`.as('digest'))
        .where('moment', '=', other.moment)
        .executeTakeFirstOrThrow()
      expect(record.open).not.toBe(kept.digest)
    } finally {
      await sql.raw(guarded).execute(world.owner)
    }
  })

  it('does not know what a dead worker held, so the moment is opened anew', async () => {
    const moment = await newcomer()
    await openByHand(newWorker(), moment) // it dies
    await changes()
    expect(await stampByHand(newWorker(), moment)).toMatchObject({ kind: 'act' })
    expect(await stored(moment)).toEqual(ALL)
  })

  it('is refused once a younger life has begun', async () => {
    const moment = await newcomer()
    const opened = await openByHand(newWorker(), moment)
    await newWorker().beginLife({ being: moment.being, chain: `${moment.being}-2` })
    await expect(opened.end()).rejects.toMatchObject({ type: 'StaleGenerationError' })
    expect(await stored(moment)).toEqual(NOTHING)
  })

  it('of two runs at once on one worker one appends, and both say the same of what they both saw', async () => {
    const [worker, moment] = [newWorker(), await newcomer()]
    const opened = await openByHand(worker, moment)
    await changes()
    const again = liveByHand(worker, moment)
    const both = await Promise.all([opened.end(), again])
    const [one, other] = both.map(({ value }) => value.lived[0]!)
    expect(one).toEqual({ ...other, ended: { ...other!.ended, waiting: expect.any(Number) } })
    expect(await listOutcomes(world.db, moment.being)).toHaveLength(1)
  })
})
