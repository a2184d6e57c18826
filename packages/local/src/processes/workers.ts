import { statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  forgetService,
  isRunning,
  LocalError,
  openInstance,
  readInstance,
  recordService,
  type Service,
  spawnDetached,
  tail,
  temporalEnvironment,
  terminate,
} from '@treeos/local'
import { addressOf, isAlive, namesTemporal, serviceOf, WORKER_PREFIX } from './instance.ts'

const READY_MS = 150_000 // it waits a minute for each of its services, and a loaded machine bundles workflows slowly
const POLL_MS = 50
/** Long enough to look at what just happened in Temporal's UI. */
const KEEP_RUNS_SECONDS = '3600'

/** The servers of an instance, as a worker gets them by its environment. */
export interface WorkerPlace {
  readonly databaseUrl: string
  readonly temporal: { readonly address: string; readonly namespace: string }
}

/** The worker's program: a source in a checkout, a built file in an install. */
export const workerProgram = (): string => createRequire(import.meta.url).resolve('@treeos/worker/main')

/** The logins and keys of others are left out, and what the portal gets: a worker that was taken over would have them. */
export function workerEnvironment(
  dataDir: string,
  place: Pick<WorkerPlace, 'databaseUrl'>,
  {
    TREEOS_OWNER_DATABASE_URL: _owner,
    TREEOS_SEQUENCER_DATABASE_URL: _sequencer,
    TREEOS_CHECKPOINT_KEY: _key,
    ...env
  }: NodeJS.ProcessEnv = process.env,
): NodeJS.ProcessEnv {
  const shared = Object.entries(env).filter(([name]) => !name.startsWith('TREEOS_PORTAL_'))
  const own: NodeJS.ProcessEnv = {
    ...Object.fromEntries(shared),
    DATABASE_URL: place.databaseUrl,
    TREEOS_DATA: dataDir,
    TZ: 'UTC',
  }
  if (namesTemporal(env)) return own
  // Only the workers of this instance use its Temporal, and they archive to one folder.
  return temporalEnvironment(dataDir, { TREEOS_KEEP_RUNS_SECONDS: KEEP_RUNS_SECONDS, ...own })
}

/** The servers that a worker is started for, as recorded with its process. */
export const serversOf = ({ databaseUrl, temporal }: WorkerPlace) => ({
  postgres: addressOf(databaseUrl),
  temporal: temporal.address,
})

/** Whether a worker's servers have moved since its start. The worker itself cannot notice that. */
export function isStale({ detail }: Service, place: WorkerPlace): boolean {
  const now = serversOf(place)
  const { postgres = now.postgres, temporal = now.temporal } = detail ?? {}
  return postgres !== now.postgres || temporal !== now.temporal
}

/** A name no living worker of the instance has. */
export function freeWorkerName(dataDir: string): string {
  const instance = readInstance(dataDir)
  for (let n = 1; ; n++) {
    const name = `${WORKER_PREFIX}${n}`
    const taken = serviceOf(instance, name)
    if (taken === null || !isAlive(taken)) return name
  }
}

/**
 * Starts a worker of its own session, with `<instance>/<name>.log`, and waits until it takes work.
 * @throws {LocalError} with the end of its log
 */
export async function startWorker(dataDir: string, name: string, place: WorkerPlace): Promise<void> {
  openInstance(dataDir)
  const logFile = join(dataDir, `${name}.log`)
  const from = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0
  const started = await spawnDetached({
    command: process.execPath,
    args: [workerProgram()],
    logFile,
    env: workerEnvironment(dataDir, place),
  })
  const service = { name, process: started, address: '', detail: serversOf(place) }
  await recordService(dataDir, service)
  for (const until = Date.now() + READY_MS; Date.now() < until && isRunning(started); await sleep(POLL_MS)) {
    const ready = readReady(tail(logFile, { from, lines: 1_000 }))
    if (ready !== null) return recordService(dataDir, { ...service, detail: { ...service.detail, ...ready } })
  }
  const what = isRunning(started) ? `is not ready within ${READY_MS / 1000} s` : 'ended while starting'
  await terminate(started)
  await forgetService(dataDir, name, started)
  throw new LocalError(`the worker ${what}. The end of ${logFile}:\n${tail(logFile, { from })}`)
}

/**
 * Reads a worker's ready line: where its metrics are, which models it has, and whether Temporal asks for a credential. This is
 * recorded with its process; the named models are JSON.
 * @param text lines of its log, or one
 * @returns null while there is no ready line
 */
export function readReady(text: string): Record<string, string> | null {
  const [line] = /^\{"ready":true\b.*$/m.exec(text) ?? []
  if (line === undefined) return null
  const { metrics, mind, connections, temporalOpen, actSignal } = JSON.parse(line) as {
    metrics: string
    mind: Mind | null
    connections?: Record<string, Mind>
    temporalOpen?: boolean | null
    actSignal?: boolean
  }
  const detail: Record<string, string> = { metrics, ...mind }
  if (Object.keys(connections ?? {}).length > 0) detail.connections = JSON.stringify(connections)
  if (temporalOpen != null) detail.temporalOpen = String(temporalOpen)
  if (actSignal !== undefined) detail.actSignal = String(actSignal)
  return detail
}

interface Mind {
  readonly model: string
  readonly baseUrl: string
}
