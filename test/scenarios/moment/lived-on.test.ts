/**
 * One activity lives the moments of a being. The workflow evaluates the flow of each again, and fails by name
 * when it gives another stack.
 */
import { type BeingName, LIMITS } from '@treeos/core'
import type { History } from '@treeos/host'
import type { LivedMoments, WithHints } from '@treeos/protocol'
import { fetchRuns, replay, replayFromTemporal } from '@treeos/replay'
import { findOutcome, isListening, listOutcomes } from '@treeos/store'
import { assignStack } from '@treeos/world'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { copyOf } from '../../replay/recordings.ts'
import {
  beginByHand,
  type HandMoment,
  handWorker,
  liveByHand,
  nextOf,
  stampByHand,
  tellByHand,
} from '../../support/by-hand.ts'
import { momentOf, publish, setRole, until, wakeUp } from '../../support/life.ts'
import { IS_NIGHT } from '../../support/night.ts'
import { acting, stage } from '../../support/puppet.ts'
import { openReplayer } from '../../support/replays.ts'
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
  const first = await withWakes('steady', 4)
  const { value, heard } = await liveByHand(handWorker(world), first, { room: 8 })
  expect([heard, value.lived.length, value.stop]).toEqual([3, 4, undefined])
  const { program } = value.lived[0]!.opened
  for (const { opened, stack, ended } of value.lived) {
    expect(stack).toEqual(assignStack(opened.program ?? program!, opened).stack)
    const { record, hash } = (await findOutcome(world.db, opened.moment))!
    expect(ended).toMatchObject({ kind: 'act', record: hash })
    expect(record.stack).toEqual(stack)
  }
  expect(value.lived.at(-1)?.ended).toMatchObject({ waiting: 0 })
  expect(await numbersOf('steady')).toEqual([1, 2, 3, 4].map((n) => [n, 'act']))
})

it('lives no more than its task has room for, and says that more wait', async () => {
  const first = await withWakes('bounded', 5)
  const { value } = await liveByHand(handWorker(world), first, { room: 3 })
  expect(value.lived.map(({ ended }) => ended)).toMatchObject([
    { waiting: 4 },
    { waiting: 3 },
    { waiting: 2 },
  ])
  expect(value).not.toHaveProperty('stop')
  expect(await numbersOf('bounded')).toHaveLength(3)
})

it('tells what it lived when it cannot end the next moment, and the run asks for that one again', async () => {
  const worker = handWorker(world)
  const first = await withWakes('refused', 3)
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
  const { value } = await liveByHand(worker, first, { room: 8 })
  expect(value.lived.map(({ ended }) => ended)).toMatchObject([{ waiting: 2 }, { waiting: 1 }])
  expect(value).not.toHaveProperty('stop')
  const third = nextOf(nextOf(first))
  await expect(liveByHand(worker, third)).rejects.toThrow('liveMoments failed: 53100')
  await sql`drop trigger refuse_third on treeos.moment_outcome`.execute(world.owner)
  expect(await stampByHand(worker, third)).toMatchObject({ kind: 'act', waiting: 0 })
  expect(await numbersOf('refused')).toEqual([1, 2, 3].map((n) => [n, 'act']))
})

it('a rerun that finds moments ended tells of these as they are recorded, and lives nothing new', async () => {
  const first = await withWakes('rerun', 4)
  const lived = (await liveByHand(handWorker(world), first, { room: 3 })).value.lived
  const again = await liveByHand(handWorker(world), first, { room: 16 })
  const asBefore = lived.map(({ ended: { did: _, ...ended }, ...moment }) => ({
    ...moment,
    ended: { ...ended, waiting: 1 },
  }))
  expect(again.value).toEqual({ lived: asBefore })
  expect(await numbersOf('rerun')).toHaveLength(3)
})

it('a new life is told of the moments before it, as they are recorded', async () => {
  const first = await withWakes('reborn', 3)
  const { lived } = (await liveByHand(handWorker(world), first, { room: 3 })).value
  const { value } = await handWorker(world).beginLife({ being: 'reborn', chain: 'reborn-2' })
  expect(value).toEqual({
    generation: 2,
    n: 4,
    before: lived.map(({ opened, stack }) => ({ opened, stack })),
  })
})

/**
 * A being whose flow is as large as it may be: it reads the most paths, their values are the longest that are
 * compared, and each clause names a role with long triggers.
 */
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

const WIDE: readonly (readonly [being: string, letter: string, count: number])[] = [
  ['wide', 'y', 3],
  ['wider', '\u0001', 1], // six bytes of JSON each
]
// By day the room of a task bounds it, above.
it.each(IS_NIGHT ? WIDE : [])('lives no more than history has room for: %s', async (being, letter, count) => {
  await withWideFlow(being, letter)
  const wakes = await wakeUp(
    world,
    being,
    Array.from({ length: 12 }, (_, i) => acting(i)),
  )
  for (const wake of wakes) await momentOf(world, wake)
  // The results are of `beginLife` and of `liveMoments`: what came before the first task ended is lived by
  // one of these.
  const most = async () => Math.max(...(await resultsOf(being)).map(({ value }) => value.lived?.length ?? 0))
  await expect.poll(most, { timeout: 20_000 }).toBe(count)
})

it('a task that no longer counts opens nothing more, and rings', async () => {
  const rung: string[] = []
  const worker = handWorker(world, { ring: (beings) => rung.push(...beings) })
  const first = await withWakes('given-on', 3)
  const cancelling = new AbortController()
  cancelling.abort()
  const { value } = await liveByHand(worker, first, { cancelling, room: 8 })
  expect(value).toEqual({
    lived: [expect.objectContaining({ ended: expect.objectContaining({ waiting: 2 }) })],
  })
  expect(rung).toContain('given-on')
})

it('waits for the next wake after a moment that it lived, and lives that one, too', async () => {
  const first = await withWakes('waiting', 2)
  const finished = liveByHand(handWorker(world), first, { room: 8 })
  await until(() => findOutcome(world.db, nextOf(first).moment))
  expect(await isListening(world.db, 'waiting')).toBe(true)
  await tellByHand(world, 'waiting', 'waiting-more', acting(3))
  const { value } = await finished
  expect(value.lived.map(({ ended }) => ended)).toMatchObject([
    { waiting: 1 },
    { waiting: 1 },
    { waiting: 0 },
  ])
  expect(await isListening(world.db, 'waiting')).toBe(false)
})

it('a stamp that finds another stack recorded than its workflow gives says which', async () => {
  const first = await withWakes('disputed', 1)
  const [lived] = (await liveByHand(handWorker(world), first)).value.lived
  const stack = lived!.stack!
  const stamp = (given: typeof stack) =>
    handWorker(world).stampMoment({ ...first, stack: given, skip: null, decision: null, failed: 'INTERNAL' })
  expect(await stamp(stack)).toMatchObject({ value: { kind: 'act' } })
  expect((await stamp({ ...stack, stacked: [stack.primary] })).value).toEqual({ recorded: { stack } })
})

type Result = WithHints<LivedMoments>

/** What the local activities of a being returned, as its histories have it. */
async function resultsOf(being: BeingName): Promise<Result[]> {
  const runs = await fetchRuns(world.temporal, world.reality.name, being, null)
  return runs.flatMap(({ history }) => resultsIn(history).map(({ result }) => result))
}

function resultsIn({ events }: History) {
  const payloads = (events ?? []).flatMap(
    (event) => event.markerRecordedEventAttributes?.details?.result?.payloads?.[0] ?? [],
  )
  return payloads.map((payload) => ({
    payload,
    result: JSON.parse(Buffer.from(payload.data ?? []).toString()) as Result,
  }))
}

type Changeable<T> = { -readonly [Field in keyof T]: T[Field] }

/** The runs of a busy being, with what its first activity lived changed. */
async function changed(being: BeingName, change: (lived: Changeable<LivedMoments>) => void) {
  const runs = await fetchRuns(world.temporal, world.reality.name, being, null)
  const [run] = runs
  const history = copyOf(run!.history)
  const lived = resultsIn(history).find(({ result }) => (result.value.lived?.length ?? 0) > 1)
  change(lived!.result.value)
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

  let n = 0
  const another = await changed('busy', ({ lived }) => {
    n = Number(lived[1]!.opened.moment.split('/')[2])
    Object.assign(lived[1]!.stack!.primary, { name: 'king' })
  })
  expect(another).toContainEqual(expect.objectContaining({ field: 'determinism' }))
  expect(another).toContainEqual(expect.objectContaining({ n, field: 'stack' }))
  const forged = await changed('busy', ({ lived }) => {
    Object.assign(lived[1]!.ended, { record: '0'.repeat(64) })
  })
  expect(forged).toMatchObject([{ n, field: 'record' }])
  const odd: readonly ((value: Changeable<LivedMoments>) => void)[] = [
    (value) => Object.assign(value, { lived: value.lived.slice(0, -1) }),
    (value) => Object.assign(value, { lived: [null, 5] }),
    (value) => Object.assign(value, { lived: 'all' }),
  ]
  for (const change of odd)
    expect(await changed('busy', change)).toContainEqual(expect.objectContaining({ field: 'history' }))

  const replayed = await replay(world, { beings: ['busy'], from: 'both', replayer: await openReplayer() })
  expect(replayed).toMatchObject({ moments: wakes.length, mismatches: [] })
})
