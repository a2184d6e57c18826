import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '@temporalio/client'
import pg from 'pg'
import { cpuOf, cpuOfMachine, cpuOfThreads, cpuOfTree } from '../processes.ts'
import type { Services } from '../services.ts'
import type { StatementCount } from '../statements.ts'
import type { Lane } from './lanes.ts'
import type { Process } from './process.ts'
import type { Heat } from './race.ts'

/** Wait at the end of a heat: the work of a worker after the commit belongs to the turn. */
export const SETTLE_MS = 400
/** Postgres updates its statistics at most once a second. */
const STATISTICS_MS = 1200
/** Beings of a crowd whose histories are measured. */
const HISTORIES = 5

/** One heat of one lane with its measurements. */
export interface Measured {
  readonly heat: Heat
  readonly cpuMs: Readonly<Record<string, number>>
  /** CPU time of the worker's process, by thread name */
  readonly threadMs: ReadonlyMap<string, number>
  /** cores that were busy with other processes */
  readonly foreignCores: number
  readonly transactions: number
  readonly walBytes: number
  readonly statements: readonly StatementCount[]
  readonly modelCalls: number
  readonly modelBytes: number
  readonly history: { readonly events: number; readonly bytes: number } | null
}

export interface Measuring {
  readonly temporal: Client
  readonly stub: Process
  readonly services: Services
}

/** Runs a heat and measures before and after it. @throws {Error} when a turn left no record, or two */
export async function measure(at: Measuring, lane: Lane, run: () => Promise<Heat>): Promise<Measured> {
  await sleep(SETTLE_MS)
  const before = await look(at, lane)
  await lane.process.hear('counted', { type: 'count' })
  const [cpuBefore, machineBefore] = [cpuNow(at, lane), cpuOfMachine()]
  const threadsBefore = cpuOfThreads(lane.process.pid)
  const heat = await run()
  await sleep(SETTLE_MS)
  const [cpuAfter, machineAfter] = [cpuNow(at, lane), cpuOfMachine()]
  const threads = [...cpuOfThreads(lane.process.pid)]
  const { statements } = await lane.process.hear('counted', { type: 'count' })
  const after = await look(at, lane)

  const recorded = after.records - before.records
  if (recorded !== heat.turns)
    throw new Error(`${lane.name}: ${heat.turns} turns left ${recorded} durable records`)
  const cpuMs = Object.fromEntries(
    Object.entries(cpuAfter).map(([name, ms]) => [name, ms - (cpuBefore[name] ?? 0)] as const),
  )
  const ours = Object.values(cpuMs).reduce((sum, ms) => sum + (Number.isFinite(ms) ? ms : 0), 0)
  return {
    heat,
    cpuMs,
    threadMs: new Map(threads.map(([name, ms]) => [name, ms - (threadsBefore.get(name) ?? 0)])),
    foreignCores: Math.max(0, machineAfter - machineBefore - ours) / (heat.ms + SETTLE_MS),
    transactions: after.transactions - before.transactions,
    walBytes: after.wal - before.wal,
    statements,
    modelCalls: after.modelCalls - before.modelCalls,
    modelBytes: after.modelBytes - before.modelBytes,
    history: historyPerTurn(before, after),
  }
}

function cpuNow({ services, stub }: Measuring, lane: Lane): Record<string, number> {
  return {
    worker: cpuOf(lane.process.pid),
    temporal: cpuOfTree(services.temporal.pid) ?? Number.NaN,
    postgres: cpuOfTree(services.postgres.pid) ?? Number.NaN,
    stub: cpuOf(stub.pid),
    driver: process.cpuUsage().user / 1000 + process.cpuUsage().system / 1000,
  }
}

/** Counters that are read before and after a heat. */
async function look(at: Measuring, lane: Lane) {
  await sleep(STATISTICS_MS)
  const client = new pg.Client(at.services.postgres.url)
  await client.connect()
  const database = new URL(lane.databaseUrl).pathname.slice(1)
  const { rows } = await client.query(
    `select (select xact_commit + xact_rollback from pg_stat_database where datname = $1) transactions,
       pg_current_wal_insert_lsn() - '0/0'::pg_lsn wal`,
    [database],
  )
  await client.end()
  const { calls, bytes } = await at.stub.hear('asked', { type: 'count' })
  const sample = lane.workflowOf === null ? [] : [...lane.crowd.slice(0, HISTORIES), lane.solo]
  const histories = await Promise.all(
    sample.map(async (being) => {
      const handle = at.temporal.workflow.getHandle(lane.workflowOf?.(being) ?? '')
      const description = await handle.describe().catch(() => null)
      if (description === null) return null
      const { historySize, historyLength, runId } = description
      return {
        runId,
        events: historyLength,
        bytes: historySize ?? 0,
        records: await lane.countRecords(being),
      }
    }),
  )
  return {
    records: await lane.countRecords(),
    transactions: Number(rows[0].transactions),
    wal: Number(rows[0].wal),
    modelCalls: calls,
    modelBytes: bytes,
    histories,
  }
}
type Looked = Awaited<ReturnType<typeof look>>

/** History growth of the runs that did not continue as new during the heat. */
function historyPerTurn(before: Looked, after: Looked): Measured['history'] {
  let [turns, events, bytes] = [0, 0, 0]
  for (const [i, then] of before.histories.entries()) {
    const now = after.histories[i]
    if (then == null || now == null || then.runId !== now.runId) continue
    turns += now.records - then.records
    events += now.events - then.events
    bytes += now.bytes - then.bytes
  }
  return turns === 0 ? null : { events: events / turns, bytes: bytes / turns }
}
