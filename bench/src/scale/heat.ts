import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Process } from '../moment/process.ts'
import type { Heat as Raced } from '../moment/race.ts'
import { cpuOf, cpuOfMachine, cpuOfTree } from '../processes.ts'
import type { Services } from '../services.ts'
import { round, spread } from '../statistics.ts'
import { type Cluster, SERVERS } from './cluster.ts'
import { growth, type Metrics, scrape } from './server-metrics.ts'
import { cpuByDatabase, type SideOf, type Waits, watchWaits } from './waits.ts'

/** Wait at the end of a heat: the work of a worker after the commit belongs to the moment. */
const SETTLE_MS = 400

/** What runs besides workers. */
export interface Stage {
  readonly services: Services
  readonly cluster: Cluster
  readonly stub: Process
  readonly databaseUrl: string
  /** moments that each worker has finished since the last call */
  takeMoments(): ReadonlyMap<Process, number>
}

/** One kind of being with one number of workers. CPU times are ms a moment. */
export interface Heat {
  readonly kind: string
  readonly workers: number
  readonly moments: number
  readonly momentsASecond: number
  readonly latencyMs: { readonly p50: number; readonly p95: number }
  /** share of the moments by worker */
  readonly shares: readonly number[]
  /** by group of processes; `postgres…` by the database of the connection, `driver` is this process */
  readonly cpuMs: Readonly<Record<string, number>>
  readonly coresBusy: { readonly ours: number; readonly others: number }
  readonly postgres: Waits & {
    readonly transactionsAMoment: number
    readonly deadlocks: number
    readonly walBytesAMoment: number
    /** by which its databases grew, by side; a page of an index that is cut counts when it is cut */
    readonly storedBytesAMoment: Readonly<Record<string, number>>
  }
  readonly temporal: Readonly<Record<string, number>>
}

export async function measureHeat(
  stage: Stage,
  kind: string,
  crew: readonly Process[],
  run: () => Promise<Raced>,
): Promise<Heat> {
  const { services, cluster } = stage
  const sideOf: SideOf = (database) =>
    database !== null && cluster.databases.includes(database) ? 'temporal' : 'treeos'
  await sleep(SETTLE_MS)
  stage.takeMoments()
  const before = await look(stage, crew, sideOf)
  const waits = watchWaits(services.postgres.url, sideOf)
  const raced = await run().finally(() => waits.stop())
  await sleep(SETTLE_MS)
  const after = await look(stage, crew, sideOf)
  const done = stage.takeMoments()
  const { turns: moments, ms } = raced
  const sums = Object.fromEntries(
    Object.entries(after.cpu).map(([name, now]) => [name, Math.max(0, now - (before.cpu[name] ?? 0))]),
  )
  const all = Object.values(sums).reduce((sum, ms) => sum + ms, 0)
  const each = (ms: number) => round(ms / moments)
  const grown = (name: keyof typeof before.metrics, metric: string, ...labels: string[]) =>
    growth(before.metrics[name] as Metrics, after.metrics[name] as Metrics, metric, ...labels)
  /** average of a histogram, in ms */
  const meanMs = (name: keyof typeof before.metrics, metric: string, ...labels: string[]) =>
    round(
      (1000 * grown(name, `${metric}_seconds_sum`, ...labels)) /
        grown(name, `${metric}_seconds_count`, ...labels),
    )
  const samples = await waits.stop()
  return {
    kind,
    workers: crew.length,
    moments,
    momentsASecond: round((1000 * moments) / ms),
    latencyMs: spread(raced.latencies),
    shares: crew.map((worker) => round((done.get(worker) ?? 0) / moments, 2)),
    cpuMs: {
      all: each(all),
      ...Object.fromEntries(Object.entries(sums).map(([name, ms]) => [name, each(ms)])),
    },
    coresBusy: {
      ours: round(all / (ms + SETTLE_MS), 2),
      others: round(Math.max(0, after.machine - before.machine - all) / (ms + SETTLE_MS), 2),
    },
    postgres: {
      ...samples,
      transactionsAMoment: each(after.transactions - before.transactions),
      deadlocks: after.deadlocks - before.deadlocks,
      walBytesAMoment: each(after.wal - before.wal),
      storedBytesAMoment: Object.fromEntries(
        Object.entries(after.stored).map(([side, bytes]) => [side, each(bytes - (before.stored[side] ?? 0))]),
      ),
    },
    temporal: {
      persistenceCallsAMoment: each(
        grown('history', 'persistence_requests_total') + grown('matching', 'persistence_requests_total'),
      ),
      persistenceMs: meanMs('history', 'persistence_latency'),
      workflowLockMs: meanMs('history', 'cache_latency', 'operation="HistoryCacheGetOrCreate"'),
      shardSemaphoreMs: meanMs('history', 'semaphore_latency'),
      syncMatchedShare: round(
        grown('matching', 'poll_success_sync_total') / grown('matching', 'poll_success_total'),
      ),
    },
  }
}

async function look({ services, cluster, stub }: Stage, crew: readonly Process[], sideOf: SideOf) {
  const client = new pg.Client(services.postgres.url)
  await client.connect()
  const { rows } = await client.query(
    `select sum(xact_commit + xact_rollback)::float8 as transactions, sum(deadlocks)::float8 as deadlocks,
       (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::float8 as wal from pg_stat_database where datname is not null`,
  )
  const stored = await bytesBySide(client, sideOf)
  await client.end()
  const metrics = Object.fromEntries(
    await Promise.all(SERVERS.map(async (name) => [name, await scrape(cluster.metrics[name])] as const)),
  ) as Record<(typeof SERVERS)[number], Metrics>
  const { user, system } = process.cpuUsage()
  const postgres = await cpuByDatabase(
    services.postgres.url,
    cpuOfTree(services.postgres.pid) ?? Number.NaN,
    sideOf,
  )
  const named = (prefix: string, values: Readonly<Record<string, number>>) =>
    Object.fromEntries(Object.entries(values).map(([name, ms]) => [`${prefix} ${name}`, ms]))
  return {
    ...(rows[0] as { transactions: number; deadlocks: number; wal: number }),
    stored,
    metrics,
    machine: cpuOfMachine(),
    cpu: {
      workers: crew.reduce((sum, { pid }) => sum + cpuOf(pid), 0),
      ...named('temporal', Object.fromEntries(SERVERS.map((name) => [name, cpuOf(cluster.pids[name])]))),
      ...named('postgres', postgres),
      model: cpuOf(stub.pid),
      driver: (user + system) / 1000,
    } as Record<string, number>,
  }
}

/** Size of all databases by side. The log of Postgres is not in it. */
async function bytesBySide(client: pg.Client, sideOf: SideOf): Promise<Record<string, number>> {
  const { rows } = await client.query<{ name: string; bytes: number }>(
    'select datname as name, pg_database_size(oid)::float8 as bytes from pg_database where datallowconn',
  )
  const bySide: Record<string, number> = {}
  for (const { name, bytes } of rows) bySide[sideOf(name)] = (bySide[sideOf(name)] ?? 0) + bytes
  return bySide
}
