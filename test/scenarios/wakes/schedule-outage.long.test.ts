import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, Connection } from '@temporalio/client'
import { NativeConnection, Worker } from '@temporalio/worker'
import { taskQueueOf } from '@treeos/core'
import { Schedules } from '@treeos/host'
import { ensureTemporal, freePort, removeInstance } from '@treeos/local'
import { SEARCH_ATTRIBUTES } from '@treeos/protocol'
import { sql } from 'kysely'
import { expect, inject, it } from 'vitest'
import { freshDatabase } from '../../support/database.ts'
import { until } from '../../support/life.ts'

/**
 * Both are due more than once while Temporal is down. Several ticks of the fast one are still within the
 * catch-up window.
 */
const EVERY_SECONDS = { slow: 12, fast: 2 }
const OUTAGE_MS = 26_000

it('of the ticks that Temporal missed while it was down a worker gets one for a long interval, at most one for a short one', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), `treeos-test-${process.pid}-`))
  const ports = { grpc: await freePort('Temporal') }
  const searchAttributes = SEARCH_ATTRIBUTES.map(({ name }) => name)
  // A server of its own, since the others need theirs.
  const env = { ...process.env, TEMPORAL_ADDRESS: undefined }
  const up = () => ensureTemporal({ dataDir, searchAttributes, ports, env })
  const { db, owner, reality, close } = await freshDatabase()
  const temporal = await up()
  const access = temporal.options
  const state = JSON.stringify({
    name: 'ann',
    cognition: { kind: 'scripted', script: null },
    qualities: {
      schedule: Object.fromEntries(
        Object.entries(EVERY_SECONDS).map(([name, everySeconds]) => [
          name,
          { everySeconds, priority: 'background' },
        ]),
      ),
    },
  })
  await sql`insert into treeos.projection (key, reel, state, folded_seq) values ('being:ann', 'being:ann', ${state}, 0)`.execute(
    owner,
  )
  const ticks: { name: string; due: number; came: number }[] = []
  const taskQueue = taskQueueOf(reality.name)
  const native = await NativeConnection.connect(access)
  const worker = await Worker.create({
    connection: native,
    taskQueue,
    workflowBundle: { codePath: inject('bundlePath') },
    activities: {
      async wakeScheduled({ name, at }: { name: string; at: string }) {
        ticks.push({ name, due: Date.parse(at), came: Date.now() })
        return { args: '', value: { accepted: true } }
      },
    },
  })
  const running = worker.run()
  const connection = await Connection.connect(access)
  const client = new Client({ connection })
  const options = { client, db, reality, taskQueue, onError: (where: string) => expect.fail(where) }
  expect(await new Schedules(options).sweep()).toBe(2)
  const of = (name: string, from: number, to: number) =>
    ticks.filter((tick) => tick.name === name && tick.due > from && tick.due <= to)
  await until(() => of('slow', 0, Number.POSITIVE_INFINITY).length > 0, { seconds: 30 })

  // A tick that still runs when Temporal stops would run again afterwards, and Temporal skips the ticks due
  // meanwhile.
  await until(async () => (await client.workflow.count('ExecutionStatus = "Running"')).count === 0, {
    seconds: 30,
  })
  const down = Date.now()
  await temporal.stop()
  await sleep(OUTAGE_MS)
  const again = await up()
  const back = Date.now()
  await until(() => of('slow', back, Number.POSITIVE_INFINITY).length > 0, { seconds: 60 })

  // When the server starts slowly, every missed tick of the fast one may be too late to be caught up; then
  // none is.
  const late = { slow: of('slow', down, back), fast: of('fast', down, back) }
  expect(late, JSON.stringify(ticks)).toMatchObject({ slow: [{}], fast: late.fast.slice(0, 1) })
  expect(of('fast', back, Number.POSITIVE_INFINITY).length).toBeGreaterThan(0)
  worker.shutdown()
  await running
  await native.close()
  await connection.close()
  await again.stop()
  await removeInstance(dataDir)
  await close()
}, 240_000)
