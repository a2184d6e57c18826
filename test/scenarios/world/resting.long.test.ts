import { setTimeout as sleep } from 'node:timers/promises'
import { plantScene } from '@treeos/client'
import { measureInboxes } from '@treeos/store'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { until } from '../../support/life.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import { startWorld, type World } from '../../support/world.ts'
import { demos } from '../../support/worlds.ts'

/** No wake comes for so long once a scene has settled. */
const QUIET_SECONDS = 8
/** The last wake of a scene comes this soon after it was planted. */
const SETTLED_SECONDS = 60

/** After a longer silence no being of the scene wakes by itself: each does so once after its last moment. */
function silenceOf({ scene }: (typeof demos)[number]): number {
  const idle = scene.flatMap((call) =>
    call.verb === 'do' && call.args.field === 'wake.idle' ? [Number(call.args.value)] : [],
  )
  return Math.max(0, ...idle) + QUIET_SECONDS
}

interface Wakes {
  readonly count: number
  /** seconds since the last one came */
  readonly silence: number
}

async function wakesOf({ db }: World): Promise<Wakes> {
  const { rows } = await sql<Wakes>`
    select count(*) as count, extract(epoch from clock_timestamp() - max(at))::float8 as silence from treeos.inbox`.execute(
    db,
  )
  return rows[0]!
}

// They mostly wait, so several of them wait at once.
it.concurrent.each(demos)(
  'the scene of $name rests within a minute: no wake comes any more, and it replays identically',
  async (extension) => {
    process.env.TREEOS_WEATHER_URL = '' // the recorded weather, from no service
    const world = await startWorld({ extensions: [extension] })
    try {
      await plantScene(world, extension)
      const planted = Date.now()
      const isQuiet = async () =>
        (await wakesOf(world)).silence >= silenceOf(extension) &&
        (await measureInboxes(world.db)).waiting === 0
      await until(isQuiet, { seconds: 2 * SETTLED_SECONDS, what: 'rest' })
      const settled = await wakesOf(world)
      expect((Date.now() - planted) / 1000 - settled.silence).toBeLessThan(SETTLED_SECONDS)
      await sleep(1000 * QUIET_SECONDS)
      expect((await wakesOf(world)).count).toBe(settled.count)
      expect(world.errors).toEqual([])
      await expectUnbroken(world)
      await expectReplays(world)
    } finally {
      await world.close()
    }
  },
  240_000,
)

it('a control: a being that acts by a schedule of one second never rests', async () => {
  const world = await startWorld()
  try {
    await world.birth({ name: 'clock', cognition: 'scripted', script: 'silent' })
    const schedule = { name: 'tick', everySeconds: 1 }
    await plantScene(world, {
      name: 'clock',
      scene: [{ verb: 'do', operation: 'set-schedule', target: '@clock', args: schedule }],
    })
    await until(async () => (await wakesOf(world)).count > 4, { what: 'the first ticks' })
    const before = await wakesOf(world)
    await sleep(1000 * QUIET_SECONDS)
    expect((await wakesOf(world)).count).toBeGreaterThan(before.count)
  } finally {
    await world.close()
  }
}, 120_000)
