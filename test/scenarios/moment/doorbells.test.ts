import { setTimeout as sleep } from 'node:timers/promises'
import { Client, Connection } from '@temporalio/client'
import { taskQueueOf } from '@treeos/core'
import { Doorbells } from '@treeos/host'
import { beingWorkflowId } from '@treeos/protocol'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { freshDatabase } from '../../support/database.ts'
import { until, wakeUp } from '../../support/life.ts'
import { stage } from '../../support/puppet.ts'
import { temporalAccess } from '../../support/temporal-access.ts'
import { useWorld } from '../../support/use-world.ts'

const SWEEP_MS = 100
/** As many sweeps as it takes to ring a stuck being six times: at 0, 1, 3, 7, 15 and 27. */
const SWEEPS = 32

/** More than two pages of a sweep. */
const LEFT = 1200

/** Leaves a wake that no worker takes. */
const world = useWorld({ extensions: [stage] })
beforeAll(async () => {
  await world.birthPuppet('stuck')
  await world.stopWorker()
  await wakeUp(world, 'stuck', ['hello'])
  await sql`update treeos.inbox set at = at - interval '1 minute' where closed_by is null`.execute(
    world.owner,
  )
})

function doorbells(client: Client, onError: (where: string) => void): Doorbells {
  const { workerDb: db, reality } = world
  const at = { client, db, reality, taskQueue: taskQueueOf(reality.name) }
  return new Doorbells({ ...at, onError, sweepEveryMs: SWEEP_MS })
}

async function ringsInHistory(): Promise<number> {
  const handle = world.temporal.workflow.getHandle(beingWorkflowId(world.reality.name, 'stuck'))
  const { events } = await handle.fetchHistory()
  return events?.filter((event) => event.workflowExecutionSignaledEventAttributes != null).length ?? 0
}

describe('the sweep', () => {
  it('rings a being that stays stuck ever more seldom: each ring is an event of its history', async () => {
    const before = await ringsInHistory()
    const sweeper = doorbells(world.temporal, (where) => expect.fail(where))
    sweeper.sweep()
    await sleep(SWEEPS * SWEEP_MS)
    await sweeper.close()
    const rings = (await ringsInHistory()) - before
    expect(rings).toBeGreaterThanOrEqual(4) // a busy machine comes to fewer sweeps
    expect(rings).toBeLessThanOrEqual(6)
  })

  it('tries a ring that failed again every time', async () => {
    const connection = await Connection.connect(await temporalAccess())
    await connection.close() // so that rings fail at once
    let failed = 0
    const sweeper = doorbells(new Client({ connection }), (where) => {
      if (where === 'doorbell') failed += 1
    })
    sweeper.sweep()
    await until(() => failed >= 8, { what: 'eight failed rings' })
    await sweeper.close()
  })

  it('rings everyone that a dead worker left behind in one go: page after page, 16 at once, oldest first', async () => {
    const db = await freshDatabase()
    await sql`
      insert into treeos.projection (key, reel, state, folded_seq, cognition)
      select 'being:b-' || i, 'being:b-' || i, '{}', 0, 'scripted' from generate_series(1, ${LEFT}::integer) i`.execute(
      db.owner,
    )
    await sql`
      insert into treeos.inbox (id, being, kind, priority, content, root, at)
      select 'change/' || i, 'b-' || i, 'event', 4, '1', 'r', clock_timestamp() - interval '1 minute'
      from generate_series(1, ${LEFT}::integer) i`.execute(db.owner)
    const rung: string[] = []
    let atOnce = 0
    let mostAtOnce = 0
    const workflow = {
      async signalWithStart(_type: string, { workflowId }: { workflowId: string }) {
        atOnce += 1
        mostAtOnce = Math.max(mostAtOnce, atOnce)
        await sleep(1)
        atOnce -= 1
        rung.push(workflowId.split('/')[2] ?? '')
      },
      getHandle: () => ({ describe: async () => ({ status: { name: 'RUNNING' } }) }),
    }
    const sweeper = new Doorbells({
      client: { workflow } as unknown as Client,
      db: db.db,
      reality: world.reality,
      taskQueue: 'test',
      onError: (where) => expect.fail(where),
      sweepEveryMs: 60_000, // one sweep is all there is
    })
    sweeper.sweep()
    await until(() => rung.length >= LEFT)
    await sweeper.close()
    expect(new Set(rung).size).toBe(LEFT)
    expect(rung).toHaveLength(LEFT)
    expect(mostAtOnce).toBe(16)
    const places = rung.map((name) => Number(name.slice(2)))
    const late = places.map((age, place) => Math.abs(age - 1 - place))
    expect(Math.max(...late)).toBeLessThanOrEqual(32)
    await db.close()
  })
})
