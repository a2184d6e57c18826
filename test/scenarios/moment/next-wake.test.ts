/** A being whose wakes come fast waits for the next one before it ends its workflow task. */
import { setTimeout as sleep } from 'node:timers/promises'
import { newMemory, noopObserver } from '@treeos/activities'
import { newWake, parseMomentId } from '@treeos/core'
import { beingWorkflowId } from '@treeos/protocol'
import { fetchRuns, leftByOpenTasks, replay, type WorkflowRun } from '@treeos/replay'
import { findOutcome, findOutcomeOfWake, listOutcomes, openDatabase } from '@treeos/store'
import { expect, it, vi } from 'vitest'
import { beginByHand, handWorker, liveByHand, nextOf, tellByHand } from '../../support/by-hand.ts'
import { momentOf, ring, tell, until, wakeUp } from '../../support/life.ts'
import { acting, stage } from '../../support/puppet.ts'
import { expectReplays, expectUnbroken, openReplayer } from '../../support/replays.ts'
import { useWorld } from '../../support/use-world.ts'
import { putWake } from '../../support/wakes.ts'

const world = useWorld({ extensions: [stage] })
const MOMENTS = 24

/** Lives moments one after another, each with a pause before the next wake. */
async function liveInTurns(being: string, moments: number, pauseMs = 0): Promise<void> {
  await world.birthPuppet(being)
  for (let i = 0; i < moments; i++) {
    const [id = ''] = await wakeUp(world, being, [acting(i)])
    let outcome = null
    for (; outcome === null; outcome = await findOutcomeOfWake(world.db, id)) await sleep(1)
    expect(outcome).toMatchObject({ kind: 'act', n: i + 1 })
    await sleep(pauseMs)
  }
}

async function tasksOf(being: string): Promise<number> {
  await sleep(1000) // its last task has ended
  const { events } = await handleOf(being).fetchHistory()
  return (events ?? []).filter((event) => event.workflowTaskCompletedEventAttributes != null).length
}

it('wakes that come fast are lived in a few workflow tasks, each of them once', async () => {
  await liveInTurns('hasty', MOMENTS)
  expect(await tasksOf('hasty')).toBeLessThan(0.75 * MOMENTS) // a task has up to 16 moments
})

it('wakes that come slowly have a task each', async () => {
  await liveInTurns('calm', 8, 400)
  expect(await tasksOf('calm')).toBeGreaterThanOrEqual(8)
})

const handleOf = (being: string) =>
  world.temporal.workflow.getHandle(beingWorkflowId(world.reality.name, being))
const replayOf = async (being: string) => {
  const { mismatches, unattested } = await replay(world, {
    beings: [being],
    from: 'temporal',
    replayer: await openReplayer(),
  })
  return { mismatches, unattested }
}

const LAST = 4
it('a run that was terminated while it waited lives on for a second at most, and each wake is lived once', async () => {
  await liveInTurns('ended', LAST)
  await handleOf('ended').terminate('a test')
  const terminated = Date.now()
  const told: string[] = []
  const generations = async () =>
    (await listOutcomes(world.db, 'ended')).map(({ moment }) => parseMomentId(moment).generation)
  while ((await generations()).at(-1) === 1) {
    const id = `unanswered/late-${told.length}`
    told.push(id)
    await putWake(
      world.owner,
      newWake({ id, being: 'ended', kind: 'event', priority: 3, content: acting(9) }),
    ) // nobody rings
    await until(() => findOutcomeOfWake(world.db, id), { seconds: 15 }) // the sweep rings, if the run did not
  }
  const outcomes = await listOutcomes(world.db, 'ended')
  expect(outcomes.slice(LAST).map(({ wake }) => wake)).toEqual(told)
  const lastOfRun = outcomes.findLast(({ moment }) => parseMomentId(moment).generation === 1)
  expect(lastOfRun!.record.openedAt - terminated).toBeLessThan(1200)
})

it('replay names the moments whose task was cut off, and no others', async () => {
  const { mismatches, unattested = 0 } = await replayOf('ended')
  expect(mismatches).toEqual([])
  expect(unattested).toBeGreaterThan(0)
  expect(unattested).toBeLessThanOrEqual(16)

  // A control: in the middle of no task a run leaves nothing.
  const runs = await fetchRuns(world.temporal, world.reality.name, 'ended', null)
  const atRest = runs.map((run) => ({
    ...run,
    history: {
      events: (run.history.events ?? []).filter((event) => event.workflowTaskStartedEventAttributes == null),
    },
  }))
  const outcomes = await listOutcomes(world.db, 'ended')
  const last = outcomes.filter(({ moment }) => parseMomentId(moment).generation === 1).length
  const left = (
    of: readonly WorkflowRun[],
    isAttested = ({ n }: { readonly n: number }) => n <= last - unattested || n > last,
  ) => leftByOpenTasks(outcomes, isAttested, of).map(({ n }) => n)
  expect(left(runs)).toHaveLength(unattested)
  expect(left(atRest)).toEqual([])
  expect(left([])).toEqual([])
  // A run that goes on, whose last task timed out and was given to no worker yet.
  const going = runs.map((run) => ({
    ...run,
    history: {
      events:
        run.history.events?.filter((event) => event.workflowExecutionTerminatedEventAttributes == null) ?? [],
    },
  }))
  expect(left(going)).toHaveLength(unattested)
  expect(left(runs, ({ n }) => n >= last)).toEqual([]) // those in the middle
})

it('replay waits for the end of a task that is under way', async () => {
  await liveInTurns('awaited', LAST)
  expect(await replayOf('awaited')).toEqual({ mismatches: [] })
})

it('both replays tell the same, and nothing is broken', async () => {
  await expectReplays(world, 'chain')
  expect((await expectReplays(world, 'temporal')).unattested).toBeGreaterThan(0)
  await expectUnbroken(world)
})

const MOMENT = 'waiter/1/2'
const takesPlace = (
  { nextWakes }: Pick<ReturnType<typeof newMemory>, 'nextWakes'>,
  moment = MOMENT,
  afterMs: number | null = 3,
) => {
  nextWakes.begun(parseMomentId(moment).being)
  nextWakes.opened(moment, afterMs)
  return nextWakes.takePlace(moment)
}
const follows = (memory = newMemory(), db = world.db, errors: unknown[] = [], moment = MOMENT) => {
  expect(takesPlace(memory, moment)).toBe(true)
  return memory.nextWakes.follows(moment, {
    db,
    observe: { ...noopObserver, error: (where, error) => errors.push([where, error]) },
  })
}

it('a being waits only when its last wake came soon after its last act, and where a place is left', async () => {
  for (const [afterMs, isSoon] of [
    [null, false],
    [251, false],
    [249, true],
  ] as const) {
    const { nextWakes } = newMemory()
    expect(takesPlace({ nextWakes }, MOMENT, afterMs)).toBe(isSoon)
    nextWakes.leave(MOMENT)
    const began = performance.now()
    expect(await nextWakes.follows(MOMENT, { db: world.db, observe: noopObserver })).toBe(false)
    expect(performance.now() - began).toBeLessThan(100)
  }
  const memory = newMemory({ callsMax: 1 })
  const takes = () => takesPlace(memory)
  expect([takesPlace(memory, 'near/1/2'), takes()]).toEqual([true, false])
  memory.nextWakes.leave('near/1/2')
  const other = follows(memory, world.db, [], 'other/1/2')
  expect(takes()).toBe(false)
  expect([await other, takes()]).toEqual([false, true])
})

it('it does not wait in a task that would take too long, nor in one of which nothing is known', () => {
  const { nextWakes } = newMemory()
  const later = (ms: number) => vi.spyOn(performance, 'now').mockReturnValue(ms)
  const takes = (openedMs: number, endsMs: number) => {
    later(openedMs)
    nextWakes.opened(MOMENT, 3)
    later(endsMs)
    const took = nextWakes.takePlace(MOMENT)
    nextWakes.leave(MOMENT)
    return took
  }
  expect(takes(0, 10)).toBe(false)
  later(0)
  nextWakes.begun(parseMomentId(MOMENT).being)
  expect([takes(0, 2370), takes(0, 2380), takes(4600, 4650), takes(4600, 4720)]).toEqual([
    true,
    false,
    true,
    false,
  ])
  vi.restoreAllMocks()
})

it('it hears of a wake that another process wrote, and of one that its own process wrote', async () => {
  await world.birthPuppet('waiter')
  const asked = follows()
  const wake = newWake({
    id: 'unanswered/waiter-1',
    being: 'waiter',
    kind: 'event',
    priority: 3,
    content: 'look',
  })
  await putWake(world.owner, wake)
  expect(await asked).toBe(true)

  const memory = newMemory()
  const told = follows(memory, world.db, [], 'told/1/2')
  expect(memory.nextWakes.came(['other', 'told'])).toEqual(['other'])
  expect(await told).toBe(true)
})

it('it opens the next moment, unless Temporal says that its run was ended, or does not answer, which is told', async () => {
  const errors: unknown[] = []
  const rung: string[] = []
  const answers = [async () => true, async () => false, () => Promise.reject(new Error('Temporal is away'))]
  for (const [i, runs] of answers.entries()) {
    const being = `asker-${i}`
    await world.birthPuppet(being)
    const worker = handWorker(world, {
      memory: newMemory({ knownMs: 0 }),
      runs,
      ring: (beings) => rung.push(...beings),
      observe: { ...noopObserver, error: (where, error) => errors.push([where, String(error)]) },
    })
    const first = await beginByHand(world, being)
    await tellByHand(world, being, first.moment, acting(1))
    const last = nextOf(first)
    expect((await liveByHand(worker, first, { room: 2 })).value).toMatchObject({
      lived: [{ ended: { kind: 'act', waiting: 0 } }],
    })
    await tellByHand(world, being, last.moment, acting(2))
    const lived = liveByHand(worker, last, { room: 2 })
    await until(() => findOutcome(world.db, last.moment)) // it found no wake
    await tellByHand(world, being, `${being}-more`, acting(3))
    const ends = (await lived).value.lived.map(({ ended }) => ended.waiting)
    expect(ends).toEqual(i === 0 ? [1, 0] : [0])
    expect(await lived).toMatchObject({ heard: 3 })
  }
  expect(rung.filter((being) => being.startsWith('asker-'))).toEqual(['asker-1', 'asker-2'])
  expect(errors).toEqual([['whether a run goes on', 'Error: Temporal is away']])
})

it('what fails when it opens the next moment fails when the run asks for it', async () => {
  await world.birthPuppet('failing')
  const rung: string[] = []
  let claims = 0
  const db = world.workerDb.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      const [row] = result.rows as { what?: string }[]
      if (row?.what === 'wake' && ++claims > 1)
        throw Object.assign(new Error('the server shuts down'), { code: '57P01' })
      return result
    },
  })
  const worker = handWorker(world, { db, ring: (beings) => rung.push(...beings) })
  const first = await beginByHand(world, 'failing')
  await tellByHand(world, 'failing', first.moment, acting(1))
  await tellByHand(world, 'failing', 'second', acting(2))
  const { value } = await liveByHand(worker, first, { room: 2 })
  expect(value).toMatchObject({ lived: [{ ended: { kind: 'act', waiting: 1 } }] })
  expect([value.lived.length, value.stop, rung.includes('failing')]).toEqual([1, undefined, true])
  await expect(liveByHand(worker, nextOf(first))).rejects.toThrow('liveMoments failed: 57P01')
})

it('it rests when no wake comes, and its run asks again when Postgres does not answer, which is told', async () => {
  const began = performance.now()
  expect(await follows(newMemory(), world.db, [], 'alone/1/2')).toBe(false)
  expect(performance.now() - began).toBeGreaterThan(240)

  const closed = openDatabase('postgres://nobody@127.0.0.1:1/none', { poolMax: 1 })
  const errors: unknown[] = []
  expect(await follows(newMemory(), closed, errors)).toBe(true)
  expect(errors).toEqual([['waiting for the next wake', expect.objectContaining({ code: 'ECONNREFUSED' })]])
  await closed.destroy()
})

it('a doorbell that comes in the middle of a task is heard after it', async () => {
  await ring(world, 'hasty')
  expect(await momentOf(world, await tell(world, 'hasty', 'anything'))).toMatchObject({ n: MOMENTS + 1 })
})
