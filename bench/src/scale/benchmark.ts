import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, Connection } from '@temporalio/client'
import { taskQueueOf } from '@treeos/core'
import { openDatabase } from '@treeos/store'
import { describeMachine } from '../machine.ts'
import { startingMoments } from '../moment/lanes.ts'
import { Process } from '../moment/process.ts'
import { Race, type Racing } from '../moment/race.ts'
import { plantDiaries } from '../moment/treeos.ts'
import { type Services, withServices } from '../services.ts'
import { startCluster } from './cluster.ts'
import { type Heat, measureHeat, type Stage } from './heat.ts'
import type { Setup } from './worker.ts'

export interface ScaleOptions {
  readonly size: 'small' | 'full'
  readonly beings: number | undefined
  readonly seconds: number | undefined
  /** history shards of the cluster */
  readonly shards: number | undefined
  readonly thinkMs: number | undefined
  readonly onProgress: (line: string) => void
}

const SIZES = {
  /** a short run, to check that everything works */
  small: { beings: 6, seconds: 2, workers: [1, 2] },
  full: { beings: 60, seconds: 8, workers: [1, 2, 3] },
} as const
const SHARDS = 16
const THINK_MS = 300
const KINDS = ['scripted', 'llm'] as const
const POOL_MAX = 20 // the default of our worker

/**
 * Measures moments a second by number of workers, on a Temporal that is a cluster: its services are processes
 * of their own, with their state in Postgres. Every being has one turn under way, and each number of workers
 * starts with empty caches.
 */
export function benchScale(options: ScaleOptions) {
  const { size, onProgress } = options
  const beings = options.beings ?? SIZES[size].beings
  const seconds = options.seconds ?? SIZES[size].seconds
  const { shards = SHARDS, thinkMs = THINK_MS } = options
  const machine = describeMachine()
  process.env.TREEOS_OWN_TEMPORAL = '1' // others have no --serve
  return withServices(onProgress, async (services) => {
    const stage = await raise(services, { beings, shards, thinkMs, onProgress })
    const heats: Heat[] = []
    for (const workers of SIZES[size].workers) {
      const crew = await Promise.all(Array.from({ length: workers }, () => stage.hire()))
      for (const kind of KINDS) {
        const { lane, race } = stage.crowds[kind]
        lane.process.failure = Promise.race(crew.map(({ failure }) => failure))
        lane.process.failure.catch(() => undefined)
        await race.run(stage.names[kind], { ms: seconds * 400 }) // fills caches
        const heat = await measureHeat(stage, kind, crew, () =>
          race.run(stage.names[kind], { ms: seconds * 1000 }),
        )
        heats.push(heat)
        onProgress(
          `${kind}, ${workers} workers: ${heat.momentsASecond} moments/s, ${heat.cpuMs.all} ms of CPU each, ` +
            `${heat.coresBusy.ours} of ${machine.cpus} cores busy with us and ${heat.coresBusy.others} with others`,
        )
      }
      await Promise.all(crew.map((worker) => worker.stop()))
    }
    return {
      benchmark: 'scale',
      at: new Date().toISOString(),
      machine: { ...machine, loadAtEnd: describeMachine().load },
      parameters: { size, beings, seconds, shards, thinkMs, poolMax: POOL_MAX, workers: SIZES[size].workers },
      heats,
    }
  })
}

/** Starts all but the workers: the cluster, the model, a reality with its beings. */
async function raise(
  services: Services,
  how: { beings: number; shards: number; thinkMs: number; onProgress: (line: string) => void },
) {
  how.onProgress('starting Temporal as a cluster: frontend, history, matching and its own workers')
  const cluster = await startCluster(services, how.shards)
  const stub = Process.stub(how.thinkMs)
  services.atEnd(() => stub.stop())
  const { url: modelUrl } = await stub.hear('listening')
  const databaseUrl = await services.createDatabase('scale')
  const reality = `scale-${process.pid}`
  const named = (kind: string) => Array.from({ length: how.beings }, (_, i) => `${kind}-${i + 1}`)
  const names = { scripted: named('scripted'), llm: named('llm') }
  await plantDiaries(databaseUrl, reality, Object.values(names).flat())
  const db = openDatabase(databaseUrl, { asOwner: true, poolMax: 6, onConnectionError: () => undefined })
  services.atEnd(() => db.destroy())
  const connection = await Connection.connect(cluster.connection)
  services.atEnd(() => connection.close())
  const temporal = new Client({ connection })
  const taskQueue = taskQueueOf(reality)
  const begin = startingMoments(db, temporal, { reality, taskQueue })
  const crowd = (name: string) => {
    // Each number of workers brings processes of its own, whose failure ends the race.
    const lane = { name, process: { failure: new Promise<never>(() => undefined) }, begin } satisfies Racing
    return { lane, race: new Race(lane) }
  }
  const crowds = { scripted: crowd('scripted'), llm: crowd('llm') }
  const setup: Setup = { databaseUrl, temporal: cluster.env, taskQueue, modelUrl, poolMax: POOL_MAX }
  let moments = new Map<Process, number>()
  const hire = async (): Promise<Process> => {
    const worker = new Process('a worker', join(import.meta.dirname, 'worker.ts'), [JSON.stringify(setup)])
    services.atEnd(() => worker.stop())
    worker.onDone = (being, n) => {
      moments.set(worker, (moments.get(worker) ?? 0) + 1)
      for (const { race } of Object.values(crowds)) race.done(being, n)
    }
    await worker.hear('ready')
    return worker
  }
  const stage: Stage = {
    services,
    cluster,
    stub,
    databaseUrl,
    takeMoments() {
      const taken = moments
      moments = new Map()
      return taken
    },
  }
  await sleep(500) // the server's own start is not a part of the first heat
  return { ...stage, crowds, names, hire }
}
