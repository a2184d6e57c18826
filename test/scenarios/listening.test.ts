/** A run that looks for its next wake by itself says so in Postgres, and whoever writes that wake rings no doorbell. */
import { setTimeout as sleep } from 'node:timers/promises'
import { newMemory } from '@treeos/activities'
import {
  type Broken,
  enqueue,
  isListening,
  listOutcomes,
  readOutcome,
  readOutcomeOfWake,
} from '@treeos/chain'
import { ringUnlessListening } from '@treeos/client'
import { newWake } from '@treeos/core'
import { beingWorkflowId, taskQueueOf } from '@treeos/protocol'
import { replay } from '@treeos/replay'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import {
  beginByHand,
  finishAndOpenByHand,
  finishByHand,
  type HandMoment,
  type HandWorker,
  handWorker,
  nextOf,
  openByHand,
  tellByHand,
} from '../support/by-hand.ts'
import { until } from '../support/life.ts'
import { stage } from '../support/puppet.ts'
import { brokenIn, openReplayer } from '../support/replaying.ts'
import { useWorld } from '../support/use-world.ts'

const world = useWorld({ extensions: [stage] })

const acting = (value: number) => ({
  call: { verb: 'do', action: 'set-being', args: { field: 'a.b', value } },
})
const bear = (name: string) =>
  world.birth({ name, cognition: 'scripted', script: 'stage:puppet', role: 'stage:free' })

/** Lives one moment of a newborn being, and opens the second. */
async function openSecond(being: string, worker: HandWorker): Promise<HandMoment> {
  await bear(being)
  const first = await beginByHand(world, being)
  await tellByHand(world, being, first.moment, acting(1))
  await finishByHand(worker, first, await openByHand(worker, first))
  expect(await isListening(world.db, being)).toBe(false) // it was not woken soon after an act
  const second = nextOf(first)
  await tellByHand(world, being, second.moment, acting(2))
  return second
}

it('a being says that it listens only while its run does, and for less long than the run', async () => {
  const worker = handWorker(world)
  const second = await openSecond('open', worker)
  const finished = finishAndOpenByHand(worker, second, await openByHand(worker, second))
  await until(() => readOutcome(world.db, second.moment))
  expect(await isListening(world.db, 'open')).toBe(true)
  expect(await finished).not.toHaveProperty('next')
  expect(await isListening(world.db, 'open')).toBe(false)
})

it('a time that is far away is no listening', async () => {
  await sql`update treeos.head set listens_until = clock_timestamp() + interval '1 hour' where reel = 'moments:open'`.execute(
    world.owner,
  )
  expect(await isListening(world.db, 'open')).toBe(false)
})

/** Opens the third moment while the second one's end still listens, so that nobody rings. */
async function openThird(being: string, worker: HandWorker) {
  const second = await openSecond(being, worker)
  const finished = finishAndOpenByHand(worker, second, await openByHand(worker, second))
  await until(() => readOutcome(world.db, second.moment))
  const third = nextOf(second)
  await tellByHand(world, being, third.moment, acting(3))
  expect(await finished).toMatchObject({ next: { moment: third.moment } })
  return { third, opened: await openByHand(worker, third) }
}

it('a wake that comes while the append counts what waits is found by a look after it', async () => {
  const missed = async (being: string) => {
    const commitsLate = world.db.withPlugin({
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        const [row] = result.rows as { answer?: { status?: string } }[]
        // As if its writer saw the being listen right before the append was committed.
        if (row?.answer?.status === 'appended')
          await tellByHand(world, being, `${being}-late`, acting(4)).catch(() => undefined)
        return result
      },
    })
    return commitsLate
  }
  const memory = newMemory()
  const { third, opened } = await openThird('counted', handWorker(world, { memory }))
  const worker = handWorker(world, { memory, db: await missed('counted') })
  expect(await finishByHand(worker, third, opened)).toMatchObject({ kind: 'act', waiting: 1 })

  // A control: of a being that did not listen, whoever writes a wake rings.
  const calm = await openSecond('calm', handWorker(world, { memory }))
  const held = await openByHand(handWorker(world, { memory }), calm)
  const late = handWorker(world, { memory, db: await missed('calm') })
  expect(await finishByHand(late, calm, held)).toMatchObject({ kind: 'act', waiting: 0 })
})

it('a run that finds no wake to claim while it listens looks again before it rests', async () => {
  for (const comes of [true, false]) {
    const being = comes ? 'found' : 'unfound'
    const worker = handWorker(world)
    const second = await openSecond(being, worker)
    const finished = finishAndOpenByHand(worker, second, await openByHand(worker, second))
    await until(() => readOutcome(world.db, second.moment))
    const opening = openByHand(worker, nextOf(second)) // asked by a doorbell that came late
    await sleep(50)
    if (comes) {
      expect(await isListening(world.db, being)).toBe(true)
      await tellByHand(world, being, `${being}-late`, acting(3))
    }
    if (comes) expect(await opening).toMatchObject({ moment: nextOf(second).moment })
    else expect(await opening).toBeNull()
    await finished
  }
})

const BEINGS = 6
const WAKES = 40
/** Much longer than a moment takes, and shorter than the sweep waits. */
const SOON_ENOUGH_MS = 3500

it('of wakes at any distance none waits for the sweep, and many come without a doorbell', async () => {
  const place = { reality: world.reality.name, taskQueue: taskQueueOf(world.reality.name) }
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
      await enqueue(world.db, newWake({ id, being, kind: 'event', priority: 3, content: acting(i) }))
      const told = performance.now()
      await ringUnlessListening(world.db, world.temporal, place, being)
      if (random() < 0.5) continue // the next one comes while this one is lived
      while ((await readOutcomeOfWake(world.db, id)) === null) await sleep(2)
      slowest = Math.max(slowest, performance.now() - told)
      await sleep(random() < 0.6 ? random() * 20 : random() * 300)
    }
    await until(() => readOutcomeOfWake(world.db, `${being}-${WAKES - 1}`))
    expect(await listOutcomes(world.db, being)).toHaveLength(WAKES)
  }
  const beings = Array.from({ length: BEINGS }, (_, i) => `busy-${i}`)
  await Promise.all(beings.map(live))
  expect(slowest).toBeLessThan(SOON_ENOUGH_MS)

  await sleep(1000) // the last tasks have ended
  let rung = 0
  for (const being of beings) {
    const { events } = await world.temporal.workflow
      .getHandle(beingWorkflowId(world.reality.name, being))
      .fetchHistory()
    rung += (events ?? []).filter((event) => event.workflowExecutionSignaledEventAttributes != null).length
  }
  expect(rung).toBeLessThan(0.8 * BEINGS * WAKES)
}, 90_000)

it('both replays tell the same of them, and nothing is broken', async () => {
  const beings = Array.from({ length: BEINGS }, (_, i) => `busy-${i}`)
  const { mismatches, moments } = await replay(world, {
    ...{ beings, from: 'both' },
    replayer: await openReplayer(),
  })
  expect([mismatches, moments]).toEqual([[], BEINGS * WAKES])
  const byHand = ({ reel }: Broken) => /^inbox:(?!busy-)/.test(reel) // wakes that no fact sent
  expect((await brokenIn(world)).filter((broken) => !byHand(broken))).toEqual([])
})
