/** The activity that ends a moment lives those after it, too. The workflow evaluates the flow of each again. */
import { type BeingName, LIMITS } from '@treeos/core'
import type { History } from '@treeos/host'
import type { Finished } from '@treeos/protocol'
import { fetchRuns, replay, replayFromTemporal } from '@treeos/replay'
import { findOutcome, isListening, listOutcomes } from '@treeos/store'
import { assignStack } from '@treeos/world'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { copyOf } from '../../replay/recordings.ts'
import {
  beginByHand,
  finishAndOpenByHand,
  finishByHand,
  finishingOf,
  type HandMoment,
  handWorker,
  nextOf,
  openByHand,
  tellByHand,
} from '../../support/by-hand.ts'
import { momentOf, publish, setRole, until, wakeUp } from '../../support/life.ts'
import { acting, stage } from '../../support/puppet.ts'
import { openReplayer } from '../../support/replaying.ts'
import { useWorld } from '../../support/use-world.ts'

const world = useWorld({ extensions: [stage] })

/** A being with so many wakes, which no workflow runs. */
async function withWakes(being: BeingName, count: number): Promise<HandMoment> {
  await world.birthPuppet(being)
  const first = await beginByHand(world, being)
  for (let i = 0; i < count; i++) await tellByHand(world, being, `${being}-${i}`, acting(i))
  return first
}

const numbersOf = async (being: BeingName) =>
  (await listOutcomes(world.db, being)).map(({ n, record }) => [n, record.outcome])

it('lives what waits until nothing waits, each moment as its flow says', async () => {
  const worker = handWorker(world)
  const first = await withWakes('steady', 4)
  const opened = await openByHand(worker, first)
  const { value, next } = await finishAndOpenByHand(worker, first, opened, nextOf(first), { room: 7 })
  expect(value).toMatchObject({ kind: 'act', waiting: 3 })
  expect(next).toEqual({ heard: 3, lived: [expect.anything(), expect.anything(), expect.anything()] })
  for (const { opened: one, stack, ended } of next!.lived!) {
    expect(stack).toEqual(assignStack(one.program ?? opened.program!, one).stack)
    const { record, hash } = (await findOutcome(world.db, one.moment))!
    expect(ended).toMatchObject({ kind: 'act', record: hash })
    expect(record.stack).toEqual(stack)
  }
  expect(next!.lived!.at(-1)?.ended).toMatchObject({ waiting: 0 })
  expect(await numbersOf('steady')).toEqual([1, 2, 3, 4].map((n) => [n, 'act']))
})

it('lives no more than its task has room for, and says that more wait', async () => {
  const worker = handWorker(world)
  const first = await withWakes('bounded', 5)
  const opened = await openByHand(worker, first)
  const { next } = await finishAndOpenByHand(worker, first, opened, nextOf(first), { room: 2 })
  expect(next?.lived?.map(({ ended }) => ended)).toMatchObject([{ waiting: 3 }, { waiting: 2 }])
  expect(next).not.toHaveProperty('value')
  expect(await numbersOf('bounded')).toHaveLength(3)
})

it('leaves a moment that it opened and could not end to an activity of its own', async () => {
  const worker = handWorker(world)
  const first = await withWakes('refused', 3)
  const opened = await openByHand(worker, first)
  await sql`
    create function treeos.refuse_third() returns trigger language plpgsql as $$
    begin
      if new.being = 'refused' and new.n = 3 then
        raise exception using errcode = 'disk_full';
      end if;
      return new;
    end $$`.execute(world.owner)
  await sql`
    create trigger refuse_third before insert on treeos.moment_outcome
    for each row execute function treeos.refuse_third()`.execute(world.owner)
  const { next } = await finishAndOpenByHand(worker, first, opened, nextOf(first), { room: 7 })
  expect(next?.lived).toHaveLength(1)
  const third = nextOf(nextOf(first))
  expect(next?.value).toMatchObject({ moment: third.moment, state: 'held' })
  await sql`drop trigger refuse_third on treeos.moment_outcome`.execute(world.owner)
  const left = { ...(next!.value as typeof opened), program: opened.program! }
  expect(await finishByHand(worker, third, left)).toMatchObject({ kind: 'act', waiting: 0 })
  expect(await numbersOf('refused')).toEqual([1, 2, 3].map((n) => [n, 'act']))
})

/** A being whose flow is as large as it may be: it reads the most paths, their values are the longest that are compared, and each clause names a role with long triggers. */
async function withWideFlow(being: BeingName, letter: string): Promise<void> {
  const numbers = Array.from({ length: LIMITS.flowPathsMax }, (_, i) => i)
  const triggerOn = ['message', ...Array.from({ length: 3 }, (_, i) => `t${i}${'x'.repeat(62)}`)]
  const pathOf = (i: number) => `${being}-${i % 2}.x${i}` // a namespace holds 64 KiB
  for (const i of numbers) {
    await publish(world, pathOf(i), letter.repeat(LIMITS.comparableBytesMax))
    await setRole(world, { name: `${being}-${i}`, triggerOn })
  }
  const roleFlow = numbers.map((i) => ({
    stack: true,
    when: { [`world.${pathOf(i)}`]: 'z' },
    role: `${being}-${i}`,
  }))
  await world.birthPuppet(being, { roleFlow })
}

it.each([
  ['wide', 'y', 3],
  ['wider', '\u0001', 1], // six bytes of JSON each
] as const)('lives no more than history has room for: %s', async (being, letter, count) => {
  await withWideFlow(being, letter)
  const wakes = await wakeUp(
    world,
    being,
    Array.from({ length: 12 }, (_, i) => acting(i)),
  )
  for (const wake of wakes) await momentOf(world, wake)
  // The results are of `beginLife`, `openMoment` and `finishMoment`, in this order.
  const third = async () => (await resultsOf(being))[2]?.next?.lived?.length
  await expect.poll(third, { timeout: 20_000 }).toBe(count)
})

it('a task that no longer counts opens nothing more, and rings', async () => {
  const rung: string[] = []
  const worker = handWorker(world, { ring: (beings) => rung.push(...beings) })
  const first = await withWakes('given-on', 3)
  const cancelling = new AbortController()
  cancelling.abort()
  const opened = await openByHand(worker, first)
  const finished = await finishAndOpenByHand(worker, first, opened, nextOf(first), { cancelling, room: 7 })
  expect(finished).toMatchObject({ value: { waiting: 2 } })
  expect(finished).not.toHaveProperty('next')
  expect(rung).toContain('given-on')
})

it('waits for the next wake after a moment that it lived, and lives that one, too', async () => {
  const worker = handWorker(world)
  const first = await withWakes('waiting', 2)
  const opened = await openByHand(worker, first)
  const finished = finishAndOpenByHand(worker, first, opened, nextOf(first), { room: 7 })
  await until(() => findOutcome(world.db, nextOf(first).moment))
  expect(await isListening(world.db, 'waiting')).toBe(true)
  await tellByHand(world, 'waiting', 'waiting-more', acting(3))
  const { next } = await finished
  expect(next?.lived?.map(({ ended }) => ended)).toMatchObject([{ waiting: 1 }, { waiting: 0 }])
  expect(await isListening(world.db, 'waiting')).toBe(false)
})

it('a moment that ended with another stack than its workflow gives is not taken for ended', async () => {
  const worker = handWorker(world)
  const first = await withWakes('disputed', 1)
  const opened = await openByHand(worker, first)
  await finishByHand(worker, first, opened)
  const { stack } = finishingOf(first, opened)
  const stamp = (given: typeof stack) =>
    handWorker(world).stampMoment({ ...first, stack: given, skip: null, decision: null, failed: 'INTERNAL' })
  expect(await stamp(stack)).toMatchObject({ value: { kind: 'act' } })
  await expect(stamp({ ...stack!, stacked: [stack!.primary] })).rejects.toThrow('stampMoment failed')
})

/** What the local activities of a being returned, as its histories have it. */
async function resultsOf(being: BeingName): Promise<Finished[]> {
  const runs = await fetchRuns(world.temporal, world.reality.name, being, null)
  return runs.flatMap(({ history }) => resultsIn(history).map(({ result }) => result))
}

function resultsIn({ events }: History) {
  const payloads = (events ?? []).flatMap(
    (event) => event.markerRecordedEventAttributes?.details?.result?.payloads?.[0] ?? [],
  )
  return payloads.map((payload) => ({
    payload,
    result: JSON.parse(Buffer.from(payload.data ?? []).toString()) as Finished,
  }))
}

/** The runs of a busy being, with one lived moment changed. */
async function changed(being: BeingName, change: (lived: NonNullable<Finished['next']>) => void) {
  const runs = await fetchRuns(world.temporal, world.reality.name, being, null)
  const [run] = runs
  const history = copyOf(run!.history)
  const lived = resultsIn(history).find(({ result }) => result.next?.lived !== undefined)
  change(lived!.result.next!)
  lived!.payload.data = Buffer.from(JSON.stringify(lived!.result))
  return replayFromTemporal(
    await openReplayer(),
    being,
    [{ ...run!, history }],
    await listOutcomes(world.db, being),
  )
}

it('a workflow attests each of them: another stack, record or context in its history is found', async () => {
  await world.birthPuppet('busy')
  const wakes = await wakeUp(
    world,
    'busy',
    Array.from({ length: 12 }, (_, i) => acting(i)),
  )
  for (const wake of wakes) await momentOf(world, wake)
  await expect.poll(() => changed('busy', () => undefined), { timeout: 20_000 }).toEqual([])

  const another = await changed('busy', ({ lived }) => {
    Object.assign(lived![1]!.stack!.primary, { name: 'king' })
  })
  expect(another).toContainEqual(
    expect.objectContaining({
      field: 'determinism',
      temporal: expect.stringContaining('as king, and its flow gives'),
    }),
  )
  expect(another).toContainEqual(expect.objectContaining({ n: 3, field: 'stack' }))
  const forged = await changed('busy', ({ lived }) => {
    Object.assign(lived![1]!.ended, { record: '0'.repeat(64) })
  })
  expect(forged).toMatchObject([{ n: 3, field: 'record' }])
  const odd: readonly ((next: NonNullable<Finished['next']>) => void)[] = [
    (next) => Object.assign(next, { lived: next.lived!.slice(0, -1) }),
    (next) => Object.assign(next, { lived: [null, 5] }),
    (next) => Object.assign(next, { lived: 'all' }),
  ]
  for (const change of odd)
    expect(await changed('busy', change)).toContainEqual(expect.objectContaining({ field: 'history' }))

  const replayed = await replay(world, { beings: ['busy'], from: 'both', replayer: await openReplayer() })
  expect(replayed).toMatchObject({ moments: wakes.length, mismatches: [] })
})
