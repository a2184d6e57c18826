import { setTimeout as sleep } from 'node:timers/promises'
import { Client, Connection } from '@temporalio/client'
import { Doorbells } from '@treeos/client'
import { beingWorkflowId, taskQueueOf } from '@treeos/workflows'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { until, wakeUp } from '../support/life.ts'
import { stage } from '../support/puppet.ts'
import { startWorld, type World } from '../support/world.ts'

const SWEEP_MS = 100
/** As many sweeps as it takes to ring a stuck being six times: at 0, 1, 3, 7, 15 and 27. */
const SWEEPS = 32

let world: World
/** A wake that rests: no worker takes it. */
beforeAll(async () => {
  world = await startWorld({ extensions: [stage] })
  await world.birth({ name: 'stuck', cognition: 'scripted', script: 'stage:puppet', role: 'stage:free' })
  await world.stopWorker()
  await wakeUp(world, 'stuck', ['hello'])
  await sql`update treeos.inbox set at = at - interval '1 minute' where closed_by is null`.execute(
    world.owner,
  )
})
afterAll(() => world?.close())

function doorbells(client: Client, onError: (where: string) => void): Doorbells {
  const { db, reality } = world
  const at = { client, db, reality: reality.name, taskQueue: taskQueueOf(reality.name) }
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
    const connection = await Connection.connect({ address: inject('temporalAddress') })
    await connection.close() // so that rings fail at once
    let failed = 0
    const sweeper = doorbells(new Client({ connection }), (where) => {
      if (where === 'doorbell') failed += 1
    })
    sweeper.sweep()
    await until(() => failed >= 8, { what: 'eight failed rings' })
    await sweeper.close()
  })
})
