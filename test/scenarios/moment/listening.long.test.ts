/**
 * A run that looks for its next wake by itself says so in Postgres, and whoever writes that wake rings no
 * doorbell.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { ringUnlessListening } from '@treeos/client'
import { newWake, taskQueueOf } from '@treeos/core'
import type { ChainFault } from '@treeos/proofs'
import { beingWorkflowId } from '@treeos/protocol'
import { replay } from '@treeos/replay'
import { findOutcome, findOutcomeOfWake, isListening, listOutcomes, openDatabase } from '@treeos/store'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import {
  beginByHand,
  type HandMoment,
  type HandWorker,
  handWorker,
  liveByHand,
  nextOf,
  openByHand,
  stampByHand,
  tellByHand,
} from '../../support/by-hand.ts'
import { until } from '../../support/life.ts'
import { acting, stage } from '../../support/puppet.ts'
import { brokenIn, openReplayer } from '../../support/replays.ts'
import { useWorld } from '../../support/use-world.ts'
import { putWake } from '../../support/wakes.ts'

const world = useWorld({ extensions: [stage] })

const bear = (name: string) => world.birthPuppet(name)

/** Lives one moment of a newborn being, and tells it what wakes it for the second. */
async function tellSecond(being: string, worker: HandWorker): Promise<HandMoment> {
  await bear(being)
  const first = await beginByHand(world, being)
  await tellByHand(world, being, first.moment, acting(1))
  await stampByHand(worker, first)
  expect(await isListening(world.db, being)).toBe(false) // it was not woken soon after an act
  const second = nextOf(first)
  await tellByHand(world, being, second.moment, acting(2))
  return second
}

it('a being says that it listens only while its run does, and for less long than the run', async () => {
  const worker = handWorker(world)
  const second = await tellSecond('open', worker)
  const lived = liveByHand(worker, second, { room: 2 })
  await until(() => findOutcome(world.db, second.moment))
  expect(await isListening(world.db, 'open')).toBe(true)
  expect((await lived).value).toEqual({ lived: [expect.anything()] })
  expect(await isListening(world.db, 'open')).toBe(false)
})

it('a time that is far away does not count as listening', async () => {
  await sql`update treeos.head set listens_until = clock_timestamp() + interval '1 hour' where reel = 'moments:open'`.execute(
    world.owner,
  )
  expect(await isListening(world.db, 'open')).toBe(false)
})

/**
 * Lives the second moment, and the third one, which came while the end of the second listened, so that nobody
 * rings.
 */
async function liveSecondAndThird(being: string, worker: HandWorker) {
  const second = await tellSecond(being, handWorker(world))
  const lived = liveByHand(worker, second, { room: 2 })
  await until(() => findOutcome(world.db, second.moment))
  await tellByHand(world, being, `${being}-third`, acting(3))
  return (await lived).value
}

it('a wake that comes while the append counts what waits is found by a look after it', async () => {
  const missed = (being: string, append: number) => {
    let appended = 0
    return world.workerDb.withPlugin({
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        const [row] = result.rows as { answer?: { status?: string } }[]
        // As if its writer saw the being listen right before the append was committed.
        if (row?.answer?.status === 'appended' && ++appended === append)
          await tellByHand(world, being, `${being}-late`, acting(4))
        return result
      },
    })
  }
  // The moment under way listened before its append, and has no room to wait again.
  const value = await liveSecondAndThird('counted', handWorker(world, { db: missed('counted', 2) }))
  expect(value.lived.map(({ ended }) => ended)).toMatchObject([{ waiting: 1 }, { kind: 'act', waiting: 1 }])

  // A control: of a being that did not listen, whoever writes a wake rings.
  const calm = await tellSecond('calm', handWorker(world))
  const late = handWorker(world, { db: missed('calm', 1) })
  expect(await stampByHand(late, calm)).toMatchObject({ kind: 'act', waiting: 0 })
})

it('a worker that finds no wake to claim looks again when the being listens no more, whoever said that it listens', async () => {
  for (const [listens, being] of [
    [true, 'found'],
    [false, 'unfound'],
  ] as const) {
    await bear(being)
    const first = await beginByHand(world, being)
    if (listens)
      await sql`update treeos.head set listens_until = clock_timestamp() + interval '0.9 second' where reel = ${`moments:${being}`}`.execute(
        world.owner,
      )
    let isFirst = true
    const db = world.workerDb.withPlugin({
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        // As if its writer saw the being listen right after the claim.
        if (isFirst && result.rows.length === 0) {
          isFirst = false
          await tellByHand(world, being, `${being}-late`, acting(1))
        }
        return result
      },
    })
    const { value } = await liveByHand(handWorker(world, { db }), first)
    if (listens) expect(value).toMatchObject({ lived: [{ opened: { moment: first.moment } }] })
    else expect(value).toEqual({ lived: [], stop: { resting: true } }) // its writer rings
    expect(isFirst).toBe(false)
  }
})

it('a task that no longer counts lives nothing more, and rings', async () => {
  const rung: string[] = []
  const worker = handWorker(world, { ring: (beings) => rung.push(...beings) })
  const second = await tellSecond('given', worker)
  const cancelled = new AbortController()
  const lived = liveByHand(worker, second, { room: 2, cancelling: cancelled })
  await until(() => findOutcome(world.db, second.moment))
  cancelled.abort()
  await tellByHand(world, 'given', 'given-late', acting(3))
  expect((await lived).value).toEqual({ lived: [expect.anything()] })
  expect(rung).toEqual(['given'])
})

it('a wake that such a task claimed is found by the sweep, though the run runs', {
  timeout: 60_000,
}, async () => {
  await bear('claimed')
  await ringUnlessListening(world.db, world.temporal, place(), 'claimed')
  const told = (id: string, i: number) =>
    putWake(world.owner, newWake({ id, being: 'claimed', kind: 'event', priority: 3, content: acting(i) }))
  await told('claimed-1', 1)
  await ringUnlessListening(world.db, world.temporal, place(), 'claimed')
  await until(() => findOutcomeOfWake(world.db, 'claimed-1'))
  await sleep(1000) // its task has ended
  await told('claimed-2', 2)
  const next = { being: 'claimed', generation: 1, n: 2, moment: 'claimed/1/2' }
  await openByHand(handWorker(world), next) // and it goes on no more
  await sql`update treeos.inbox set at = at - interval '1 minute' where id = 'claimed-2'`.execute(world.owner)
  expect(await until(() => findOutcomeOfWake(world.db, 'claimed-2'), { seconds: 30 })).toMatchObject({
    moment: next.moment,
  })
})

it('whoever cannot ask rings', async () => {
  const closed = openDatabase('postgres://nobody@127.0.0.1:1/none', { poolMax: 1 })
  await bear('unasked')
  await ringUnlessListening(closed, world.temporal, place(), 'unasked')
  expect(await ringsOf('unasked')).toBe(1)
  await closed.destroy()
})

const place = () => ({ reality: world.reality.name, taskQueue: taskQueueOf(world.reality.name) })
/** Of its present run. */
async function ringsOf(being: string): Promise<number> {
  const { events } = await world.temporal.workflow
    .getHandle(beingWorkflowId(world.reality.name, being))
    .fetchHistory()
  return (events ?? []).filter((event) => event.workflowExecutionSignaledEventAttributes != null).length
}

const BEINGS = 6
const WAKES = 40
/** Much longer than a moment takes, and shorter than the sweep waits. */
const SOON_ENOUGH_MS = 3500

it('of wakes at any distance none waits for the sweep, and many come without a doorbell', async () => {
  let slowest = 0
  let seed = 7
  const random = () => {
    seed = (seed * 48271) % 2147483647
    return seed / 2147483647
  }
  const live = async (being: string) => {
    await bear(being)
    for (let i = 0; i < WAKES; i++) {
      const id = `${being}-${i}`
      await putWake(world.owner, newWake({ id, being, kind: 'event', priority: 3, content: acting(i) }))
      const told = performance.now()
      await ringUnlessListening(world.db, world.temporal, place(), being)
      if (random() < 0.5) continue // the next one comes while this one is lived
      while ((await findOutcomeOfWake(world.db, id)) === null) await sleep(2)
      slowest = Math.max(slowest, performance.now() - told)
      await sleep(random() < 0.6 ? random() * 20 : random() * 300)
    }
    await until(() => findOutcomeOfWake(world.db, `${being}-${WAKES - 1}`))
    expect(await listOutcomes(world.db, being)).toHaveLength(WAKES)
  }
  const beings = Array.from({ length: BEINGS }, (_, i) => `busy-${i}`)
  await Promise.all(beings.map(live))
  expect(slowest).toBeLessThan(SOON_ENOUGH_MS)

  await sleep(1000) // the last tasks have ended
  let rung = 0
  for (const being of beings) rung += await ringsOf(being)
  expect(rung).toBeLessThan(0.8 * BEINGS * WAKES)
}, 90_000)

it('both replays tell the same of them, and nothing is broken', async () => {
  const beings = Array.from({ length: BEINGS }, (_, i) => `busy-${i}`)
  const { mismatches, moments } = await replay(world, {
    beings,
    from: 'both',
    replayer: await openReplayer(),
  })
  expect([mismatches, moments]).toEqual([[], BEINGS * WAKES])
  const byHand = ({ reel }: ChainFault) => /^inbox:(?!busy-)/.test(reel) // wakes that no fact sent
  expect((await brokenIn(world)).filter((broken) => !byHand(broken))).toEqual([])
})
