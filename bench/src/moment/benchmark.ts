import { Client, Connection } from '@temporalio/client'
import pg from 'pg'
import { installContestants } from '../contestants.ts'
import { describeMachine, versionsOf } from '../machine.ts'
import { type Services, withServices } from '../services.ts'
import { percentile, round } from '../statistics.ts'
import { type Lane, type LaneName, startLanes } from './lanes.ts'
import { type Measured, type Measuring, measure } from './measure.ts'
import { Process } from './process.ts'
import { type Profile, profile } from './profile-lane.ts'
import { Race } from './race.ts'
import { isOurs, isQuiet, rateOf, ratiosOf, report } from './report.ts'

export interface MomentOptions {
  readonly size: 'small' | 'full'
  readonly profile: boolean
  readonly lanes: readonly LaneName[]
  readonly beings: number | undefined
  readonly seconds: number | undefined
  readonly rounds: number | undefined
  readonly depth: number
  /** how long the model thinks */
  readonly thinkMs: number
  readonly other: string | undefined
  readonly onProgress: (line: string) => void
}

const SIZES = {
  /** a short run, to check that everything works */
  small: { beings: 10, seconds: 2, soloTurns: 20, rounds: 1 },
  full: { beings: 50, seconds: 8, soloTurns: 100, rounds: 2 },
} as const

/** What a being alone may spend waiting for a slow model, in one heat. */
const SOLO_THINKING_MS_MAX = 15_000

const POOL_MAX = 20 // the default of our worker

/**
 * Measures moments per second and the latency of one being, and compares them with the same turn without
 * TreeOS.
 */
export function benchMoment(options: MomentOptions) {
  const machine = describeMachine()
  return withServices(options.onProgress, (services) => raceOn(services, options, machine))
}

async function raceOn(
  services: Services,
  options: MomentOptions,
  machine: ReturnType<typeof describeMachine>,
) {
  const size = SIZES[options.size]
  const soloTurns = Math.min(size.soloTurns, Math.ceil(SOLO_THINKING_MS_MAX / Math.max(1, options.thinkMs)))
  const beings = options.beings ?? size.beings
  const seconds = options.seconds ?? size.seconds
  const rounds = options.rounds ?? size.rounds
  const { onProgress, depth } = options
  const connection = await Connection.connect(services.temporal.options)
  const temporal = new Client({ connection, namespace: services.temporal.namespace })
  const stub = Process.stub(options.thinkMs)
  services.atEnd(() => stub.stop())
  const { url: modelUrl } = await stub.hear('listening')
  const course = { services, temporal, modelUrl, beings, poolMax: POOL_MAX, other: options.other, onProgress }
  if (options.lanes.some((name) => name in FOREIGN)) await installContestants(onProgress)
  const lanes = await startLanes(course, options.lanes)
  const order = orderOf(lanes, rounds)
  const races = racesOn(lanes)
  const raceOf = (lane: Lane) => races.get(lane) as Race

  for (const lane of lanes) {
    onProgress(`${lane.name}: warming up`)
    await raceOf(lane).run([...lane.crowd, lane.solo], { ms: Math.max(1000, seconds * 500), depth })
  }
  const measuring: Measuring = { temporal, stub, services }
  const crowds = new Map<LaneName, Measured[]>(lanes.map((lane) => [lane.name, []]))
  const solos = new Map<LaneName, Measured[]>(lanes.map((lane) => [lane.name, []]))
  for (const lane of order) {
    const race = raceOf(lane)
    const solo = await measure(measuring, lane, () => race.run([lane.solo], { turns: soloTurns }))
    const crowd = await measure(measuring, lane, () => race.run(lane.crowd, { ms: seconds * 1000, depth }))
    solos.get(lane.name)?.push(solo)
    crowds.get(lane.name)?.push(crowd)
    onProgress(
      `${lane.name}: ${round(rateOf(crowd))} turns/s, alone p50 ${round(percentile(solo.heat.latencies, 0.5))} ms, ` +
        `${round(crowd.foreignCores, 2)} cores busy with others`,
    )
  }
  const profiles: Partial<Record<LaneName, Profile>> = {}
  for (const lane of options.profile ? lanes.filter(({ name }) => isOurs(name)) : []) {
    onProgress(`${lane.name}: profiling`)
    profiles[lane.name] = await profile(lane, raceOf(lane), seconds)
  }
  const { serverVersion } = await connection.workflowService.getSystemInfo({})
  await connection.close()
  return {
    benchmark: 'moment',
    at: new Date().toISOString(),
    machine: { ...machine, loadAtEnd: describeMachine().load },
    versions: {
      ...versionsOf(['@temporalio/worker', 'pg', ...options.lanes.flatMap((name) => FOREIGN[name] ?? [])]),
      temporalServer: serverVersion,
      postgresServer: await versionOfPostgres(services.postgres.url),
    },
    parameters: {
      size: options.size,
      beings,
      seconds,
      rounds,
      soloTurns,
      turnsUnderWayPerBeing: depth,
      poolMax: POOL_MAX,
      thinkMs: options.thinkMs,
      order: order.map((lane) => lane.name),
      turn: TURN,
    },
    /** false when other processes kept the machine busy; then do not quote the rates */
    quiet: isQuiet(crowds),
    ratios: ratiosOf(crowds),
    contestants: Object.fromEntries(
      lanes.map((lane) => [lane.name, report(lane, crowds.get(lane.name) ?? [], solos.get(lane.name) ?? [])]),
    ),
    ...(options.profile && { profiles }),
  }
}

/** The packages of contestants that are installed when they are wanted. */
const FOREIGN: Readonly<Partial<Record<LaneName, readonly string[]>>> = {
  dbos: ['@dbos-inc/dbos-sdk'],
  langgraph: ['@langchain/langgraph', '@langchain/langgraph-checkpoint-postgres'],
}
const TURN =
  'one HTTP call of the stub (none for scripted) and one durable record; ours is a DO set-being, which writes one fact. ' +
  'A turn is over when its record is committed, and the next one of its being begins'

export function racesOn(lanes: readonly Lane[]): Map<Lane, Race> {
  const races = new Map(lanes.map((lane) => [lane, new Race(lane)]))
  for (const { process } of lanes)
    process.onDone = (being, n) => {
      for (const [lane, race] of races) if (lane.process === process) race.done(being, n)
    }
  return races
}

/** The order of heats: ABC CBA, repeated, so that drift affects all lanes equally. */
export function orderOf<T>(lanes: readonly T[], rounds: number): T[] {
  return Array.from({ length: rounds }, () => [...lanes, ...lanes.toReversed()]).flat()
}

async function versionOfPostgres(url: string): Promise<string> {
  const client = new pg.Client(url)
  await client.connect()
  const { rows } = await client.query('show server_version')
  await client.end()
  return rows[0].server_version
}
