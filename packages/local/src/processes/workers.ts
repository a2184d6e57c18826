import { setTimeout as sleep } from 'node:timers/promises'
import { forgetService, isAlive, readInstance, recordService } from '../instance/instance.ts'
import {
  hasWorker,
  isWorker,
  keeperOf,
  metricsOf,
  runningWorkers,
  serviceOf,
  WORKER_PREFIX,
} from '../instance/services.ts'
import { saveSettings } from '../instance/settings.ts'
import { stopServices } from '../instance/stop.ts'
import { LocalError } from '../machine/error.ts'
import { terminate } from '../machine/process.ts'
import { temporalEnvironment } from '../temporal/access.ts'
import { launch, readyLine, untilReady } from './launch.ts'
import { namesTemporal } from './places.ts'
import { isStale, type StartOptions, serversOf, type WorkerPlace } from './servers.ts'

const RESTART_GRACE_MS = 20_000 // a worker waits 15 s for its current moments
const RESTART_POLL_MS = 200
// it waits a minute for each of its services, and a loaded machine bundles workflows slowly
const READY_MS = 150_000
/** Long enough to look at what just happened in Temporal's UI. */
const KEEP_RUNS_SECONDS = '3600'

/**
 * The logins and keys of others are left out, and what the portal gets: a worker that was taken over would
 * have them.
 */
export function workerEnvironment(
  dataDir: string,
  place: Pick<WorkerPlace, 'databaseUrl' | 'signalsUrl'>,
  {
    TREEOS_OWNER_DATABASE_URL: _owner,
    TREEOS_PEOPLE_DATABASE_URL: _people,
    TREEOS_SIGNALS_DATABASE_URL: _signals,
    TREEOS_SEQUENCER_DATABASE_URL: _sequencer,
    TREEOS_CHECKPOINT_KEY: _key,
    ...env
  }: NodeJS.ProcessEnv = process.env,
): NodeJS.ProcessEnv {
  const shared = Object.entries(env).filter(([name]) => !name.startsWith('TREEOS_PORTAL_'))
  const own: NodeJS.ProcessEnv = {
    ...Object.fromEntries(shared),
    DATABASE_URL: place.databaseUrl,
    ...(place.signalsUrl === null ? {} : { TREEOS_SIGNALS_DATABASE_URL: place.signalsUrl }),
    TREEOS_DATA: dataDir,
    TZ: 'UTC',
  }
  if (namesTemporal(env)) return own
  // Only the workers of this instance use its Temporal, and they archive to one folder.
  return temporalEnvironment(dataDir, { TREEOS_KEEP_RUNS_SECONDS: KEEP_RUNS_SECONDS, ...own })
}

/**
 * Ends workers whose servers have moved, and starts one if none is left.
 * @throws {LocalError} with the end of its log
 */
export async function ensureWorker(options: StartOptions, place: WorkerPlace): Promise<void> {
  const { dataDir, env = process.env, programs, onProgress } = options
  await stopServices(
    dataDir,
    (service) => isWorker(service) && isStale(service, place),
    ({ name, end }) => onProgress(`${name} ${end}: its servers have moved`),
  )
  if (hasWorker(dataDir)) return
  onProgress('starting a worker')
  saveSettings(dataDir, await programs.sharedSettings(dataDir, env))
  await startWorker(options, place)
}

/**
 * Ends the workers of an instance, so that what keeps it up starts one that reads its settings and files
 * anew, and waits for that.
 * @returns false when no worker ran, or nothing keeps the instance up: then nothing was ended
 */
export async function restartWorkers(dataDir: string): Promise<boolean> {
  const running = runningWorkers(dataDir)
  if (running.length === 0 || keeperOf(dataDir) === null) return false
  const ending = Promise.all(running.map(({ process }) => terminate(process, { graceMs: RESTART_GRACE_MS })))
  try {
    // Without its record, what keeps the instance up starts another one at once, and not after the pause of a
    // fault.
    for (const { name, process } of running) await forgetService(dataDir, name, process)
    await untilTaken(dataDir)
  } finally {
    await ending
  }
  return true
}

async function untilTaken(dataDir: string): Promise<void> {
  for (const until = Date.now() + READY_MS; Date.now() < until; await sleep(RESTART_POLL_MS))
    if (metricsOf(dataDir).length > 0) return
  throw new LocalError(
    `no worker of ${dataDir} takes work again within ${READY_MS / 1000} s: see worker-1.log there`,
  )
}

/** Starts a worker of its own session, with `<instance>/<name>.log`, and waits until it takes work. */
async function startWorker({ dataDir, programs }: StartOptions, place: WorkerPlace): Promise<void> {
  const name = freeWorkerName(dataDir)
  const { process: started, ...log } = await launch(
    dataDir,
    name,
    [programs.worker],
    workerEnvironment(dataDir, place),
  )
  const service = { name, process: started, address: '', detail: serversOf(place) }
  await recordService(dataDir, service)
  try {
    const ready = await untilReady(
      { process: started, ...log },
      { what: 'the worker', readyMs: READY_MS },
      readReady,
    )
    await recordService(dataDir, { ...service, detail: { ...service.detail, ...ready } })
  } catch (error) {
    await terminate(started)
    await forgetService(dataDir, name, started)
    throw error
  }
}

/** A name no living worker of the instance has. */
function freeWorkerName(dataDir: string): string {
  const instance = readInstance(dataDir)
  for (let n = 1; ; n++) {
    const name = `${WORKER_PREFIX}${n}`
    const taken = serviceOf(instance, name)
    if (taken === null || !isAlive(taken)) return name
  }
}

/**
 * Reads a worker's ready line: where its metrics are, which models it has, and whether Temporal asks for a
 * credential. This is recorded with its process; the named models are JSON.
 * @param text lines of its log, or one
 * @returns null while there is no ready line
 */
export function readReady(text: string): Record<string, string> | null {
  const line = readyLine<ReadyLine>(text)
  if (line === null) return null
  const { metrics, mind, connections, temporalOpen, actSignal } = line
  const detail: Record<string, string> = { metrics, ...mind }
  if (Object.keys(connections ?? {}).length > 0) detail.connections = JSON.stringify(connections)
  if (temporalOpen != null) detail.temporalOpen = String(temporalOpen)
  if (actSignal !== undefined) detail.actSignal = String(actSignal)
  return detail
}

interface ReadyLine {
  readonly metrics: string
  readonly mind: Mind | null
  readonly connections?: Record<string, Mind>
  readonly temporalOpen?: boolean | null
  readonly actSignal?: boolean
}

interface Mind {
  readonly model: string
  readonly baseUrl: string
}
