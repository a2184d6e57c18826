import { setTimeout as sleep } from 'node:timers/promises'
import { Client, Connection } from '@temporalio/client'
import pg from 'pg'
import { describeMachine, versionsOf } from '../machine.ts'
import { cpuOf, cpuOfMachine, cpuOfThreads, cpuOfTree } from '../processes.ts'
import type { FunctionTime } from '../profile.ts'
import { startServices } from '../services.ts'
import type { StatementCount } from '../statements.ts'
import { median, percentile, round, spread } from '../statistics.ts'
import { type Lane, type LaneName, startLanes, WHAT } from './lanes.ts'
import { Process } from './process.ts'
import { type Heat, Race } from './race.ts'

export interface MomentOptions {
  readonly size: 'small' | 'full'
  readonly profile: boolean
  readonly lanes: readonly LaneName[]
  readonly beings: number | undefined
  readonly seconds: number | undefined
  readonly rounds: number | undefined
  readonly depth: number
  readonly other: string | undefined
  readonly onProgress: (line: string) => void
}

const SIZES = {
  /** to see that all of it runs */
  small: { beings: 10, seconds: 2, soloTurns: 20, rounds: 1 },
  full: { beings: 50, seconds: 8, soloTurns: 100, rounds: 2 },
} as const

const POOL_MAX = 20 // as our worker has by default
/** What a worker still does after the record is committed belongs to the turn. */
const SETTLE_MS = 400
/** Postgres tells its statistics at most once a second. */
const STATISTICS_MS = 1200
const HISTORIES = 5

/** One heat of one lane with everything that was measured around it. */
interface Measured {
  readonly heat: Heat
  readonly cpuMs: Readonly<Record<string, number>>
  /** of the worker's process, by the name of the thread */
  readonly threadMs: ReadonlyMap<string, number>
  /** cores that were busy with what is not ours */
  readonly foreignCores: number
  readonly transactions: number
  readonly walBytes: number
  readonly statements: readonly StatementCount[]
  readonly modelCalls: number
  readonly modelBytes: number
  readonly history: { readonly events: number; readonly bytes: number } | null
}

/** Moments a second and the latency of one being, beside what does the same turn without us, in one run. */
export async function benchMoment(options: MomentOptions) {
  const size = SIZES[options.size]
  const beings = options.beings ?? size.beings
  const seconds = options.seconds ?? size.seconds
  const rounds = options.rounds ?? size.rounds
  const machine = describeMachine()
  const { onProgress } = options
  const services = await startServices(onProgress)
  const running: Process[] = []
  try {
    const connection = await Connection.connect({ address: services.temporal.address })
    const temporal = new Client({ connection, namespace: services.temporal.namespace })
    const stub = Process.stub()
    running.push(stub)
    const { url: modelUrl } = await stub.hear('listening')
    const course = {
      services,
      temporal,
      modelUrl,
      beings,
      poolMax: POOL_MAX,
      other: options.other,
      onProgress,
    }
    const lanes = await startLanes(course, options.lanes, running)
    const races = new Map(lanes.map((lane) => [lane.name, new Race(lane)]))
    for (const lane of lanes) {
      lane.process.onDone = (being, n) => {
        for (const { name, process } of lanes) if (process === lane.process) races.get(name)?.done(being, n)
      }
    }
    const raceOf = (lane: Lane) => races.get(lane.name) as Race
    const measuring: Measuring = { temporal, stub, services, postgresUrl: services.postgres.url }

    for (const lane of lanes) {
      onProgress(`${lane.name}: warming up`)
      await raceOf(lane).run([...lane.crowd, lane.solo], { ms: 1000, depth: options.depth })
    }
    const crowds = new Map<string, Measured[]>()
    const solos = new Map<string, Measured[]>()
    for (const lane of orderOf(lanes, rounds)) {
      const race = raceOf(lane)
      const solo = await measure(measuring, lane, () => race.run([lane.solo], { turns: size.soloTurns }))
      solos.set(lane.name, [...(solos.get(lane.name) ?? []), solo])
      const crowd = await measure(measuring, lane, () =>
        race.run(lane.crowd, { ms: seconds * 1000, depth: options.depth }),
      )
      crowds.set(lane.name, [...(crowds.get(lane.name) ?? []), crowd])
      onProgress(
        `${lane.name}: ${round(rateOf(crowd))} turns/s, alone p50 ${round(percentile(solo.heat.latencies, 0.5))} ms, ` +
          `${round(crowd.foreignCores, 2)} cores busy with others`,
      )
    }
    const profiles: Record<string, Profile> = {}
    if (options.profile) {
      for (const lane of lanes.filter(({ name }) => /^(llm|scripted)/.test(name))) {
        onProgress(`${lane.name}: profiling`)
        profiles[lane.name] = await profile(lane, raceOf(lane), seconds)
      }
    }
    const { serverVersion } = await connection.workflowService.getSystemInfo({})
    await connection.close()
    return {
      benchmark: 'moment',
      at: new Date().toISOString(),
      machine: { ...machine, loadAtEnd: describeMachine().load },
      versions: {
        ...versionsOf([
          '@temporalio/worker',
          '@dbos-inc/dbos-sdk',
          '@langchain/langgraph',
          '@langchain/langgraph-checkpoint-postgres',
          'pg',
          'kysely',
        ]),
        temporalServer: serverVersion,
        postgresServer: await versionOfPostgres(services.postgres.url),
      },
      parameters: {
        size: options.size,
        beings,
        seconds,
        rounds,
        soloTurns: size.soloTurns,
        turnsUnderWayPerBeing: options.depth,
        poolMax: POOL_MAX,
        order: orderOf(lanes, rounds).map((lane) => lane.name),
        turn: 'one HTTP call of the stub (none for scripted), one durable record; ours is a DO set-being, which writes one fact',
      },
      ratios: ratiosOf(crowds),
      contestants: Object.fromEntries(
        lanes.map((lane) => [
          lane.name,
          report(lane, crowds.get(lane.name) ?? [], solos.get(lane.name) ?? []),
        ]),
      ),
      ...(options.profile && { profiles }),
    }
  } finally {
    await Promise.all(running.map((process) => process.stop()))
    await services.stop()
  }
}

/** ABC CBA, again and again, so that what drifts drifts for all. */
function orderOf(lanes: readonly Lane[], rounds: number): Lane[] {
  return Array.from({ length: rounds }, () => [...lanes, ...lanes.toReversed()]).flat()
}

const rateOf = ({ heat }: Measured) => (heat.turns / heat.ms) * 1000

interface Measuring {
  readonly temporal: Client
  readonly stub: Process
  readonly services: Awaited<ReturnType<typeof startServices>>
  readonly postgresUrl: string
}

async function measure(at: Measuring, lane: Lane, run: () => Promise<Heat>): Promise<Measured> {
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

/** Everything that is counted and not timed. */
async function look(at: Measuring, lane: Lane) {
  await sleep(STATISTICS_MS)
  const client = new pg.Client(at.postgresUrl)
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

/** Of runs which did not continue as new in between. */
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

function report(lane: Lane, crowds: readonly Measured[], solos: readonly Measured[]) {
  const perTurn = (of: (measured: Measured) => number) =>
    round(median(crowds.map((measured) => of(measured) / measured.heat.turns)))
  const cpu = (name: string) => perTurn(({ cpuMs }) => cpuMs[name] ?? Number.NaN)
  const names = Object.keys(crowds[0]?.cpuMs ?? {})
  const known = crowds.flatMap(({ history }) => (history === null ? [] : [history]))
  return {
    what: WHAT[lane.name],
    turnsPerSecond: {
      median: round(median(crowds.map(rateOf))),
      runs: crowds.map((one) => round(rateOf(one))),
    },
    latencyMs: {
      alone: spread(solos.flatMap(({ heat }) => heat.latencies)),
      inTheCrowd: spread(crowds.flatMap(({ heat }) => heat.latencies)),
    },
    cpuMsPerTurn: {
      ...Object.fromEntries(names.map((name) => [name, cpu(name)])),
      total: perTurn(({ cpuMs }) => Object.values(cpuMs).reduce((sum, ms) => sum + ms, 0)),
    },
    workerThreads: Object.fromEntries(
      [...(crowds[0]?.threadMs.keys() ?? [])]
        .map((name) => [name, perTurn(({ threadMs }) => threadMs.get(name) ?? 0)] as const)
        .filter(([, ms]) => ms > 0),
    ),
    sqlPerTurn: {
      roundTrips: perTurn(({ statements }) => statements.reduce((sum, { count }) => sum + count, 0)),
      transactions: perTurn(({ transactions }) => transactions),
      walBytes: perTurn(({ walBytes }) => walBytes),
    },
    model: {
      callsPerTurn: perTurn(({ modelCalls }) => modelCalls),
      requestBytesPerTurn: perTurn(({ modelBytes }) => modelBytes),
    },
    historyPerTurn:
      known.length === 0
        ? null
        : {
            events: round(median(known.map(({ events }) => events))),
            bytes: round(median(known.map(({ bytes }) => bytes))),
          },
    foreignCores: crowds.map(({ foreignCores }) => round(foreignCores, 2)),
  }
}

/** Ours over theirs, by the medians. */
function ratiosOf(crowds: ReadonlyMap<string, readonly Measured[]>) {
  const ratios: Record<string, number> = {}
  for (const [ours, mine] of crowds) {
    if (!/^(llm|scripted)/.test(ours)) continue
    for (const [theirs, other] of crowds) {
      if (/^(llm|scripted)/.test(theirs) && theirs !== `${ours}-other`) continue
      ratios[`${ours}/${theirs}`] = round(median(mine.map(rateOf)) / median(other.map(rateOf)))
    }
  }
  return ratios
}

interface Profile {
  readonly turns: number
  readonly statements: readonly (StatementCount & { perTurn: number })[]
  readonly packages: readonly { where: string; package: string; msPerTurn: number }[]
  readonly functions: readonly { where: string; package: string; function: string; msPerTurn: number }[]
}

const FUNCTIONS_MAX = 25

async function profile(lane: Lane, race: Race, seconds: number): Promise<Profile> {
  await lane.process.hear('counted', { type: 'count' })
  await lane.process.hear('profiling', { type: 'profile' })
  const { turns } = await race.run(lane.crowd, { ms: seconds * 1000 })
  await sleep(SETTLE_MS)
  const { functions } = await lane.process.hear('profiled', { type: 'profiled' })
  const { statements } = await lane.process.hear('counted', { type: 'count' })
  const byPackage = new Map<string, { where: string; package: string; ms: number }>()
  for (const { where, package: name, ms } of functions) {
    const entry = byPackage.get(`${where} ${name}`) ?? { where, package: name, ms: 0 }
    entry.ms += ms
    byPackage.set(`${where} ${name}`, entry)
  }
  const perTurn = <T extends { ms: number }>({ ms, ...rest }: T) => ({
    ...rest,
    msPerTurn: round(ms / turns),
  })
  return {
    turns,
    statements: statements
      .toSorted((a, b) => b.count - a.count)
      .map((statement) => ({
        ...statement,
        ms: round(statement.ms),
        perTurn: round(statement.count / turns),
      })),
    packages: [...byPackage.values()].sort((a, b) => b.ms - a.ms).map(perTurn),
    functions: functions
      .filter((one: FunctionTime) => one.where !== 'thread')
      .slice(0, FUNCTIONS_MAX)
      .map(perTurn),
  }
}

async function versionOfPostgres(url: string): Promise<string> {
  const client = new pg.Client(url)
  await client.connect()
  const { rows } = await client.query('show server_version')
  await client.end()
  return rows[0].server_version
}
