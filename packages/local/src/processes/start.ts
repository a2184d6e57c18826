import { randomBytes } from 'node:crypto'
import { isKey, quote, TreeosError } from '@treeos/core'
import { ensurePostgres, ensureTemporal, forgetService, readInstance } from '@treeos/local'
import { SEARCH_ATTRIBUTES } from '@treeos/protocol'
import { bootstrapReality } from '@treeos/reality'
import { migrate, openDatabase, type Reality } from '@treeos/store'
import { messageOf } from '../text/failure.ts'
import { ensureCheckpoints } from './checkpoints.ts'
import { loadedRegistry } from './connection.ts'
import { hasWorker, isAlive, isWorker, PORTAL, serviceOf } from './instance.ts'
import { ensurePortal } from './portal.ts'
import type { Servers, StartOptions } from './servers.ts'
import { keepSettings } from './settings.ts'
import { stopServices } from './stop.ts'
import { freeWorkerName, isStale, startWorker, type WorkerPlace } from './workers.ts'

/** The name of the first reality of an instance. */
const NAME = 'home'

/** The servers of an instance and its worker, found or started. */
export interface Running {
  readonly reality: Reality
  /** the reality was made just now */
  readonly isNew: boolean
}

/** Finds or starts everything an instance needs. What runs already is left as it is. @param portal starts the portal too */
export async function startEverything(
  options: StartOptions & { readonly portal: boolean },
): Promise<Running> {
  const place = await startServers(options)
  const made = await plant(place, options)
  await ensureWorker(options, place)
  await ensureCheckpoints(options, place)
  if (options.portal)
    await ensurePortal(options, place).catch((error: unknown) => {
      options.onProgress(`the portal does not run, everything else does: ${messageOf(error)}`)
    })
  else await forgetEnded(options.dataDir, PORTAL) // else whoever keeps the instance up would start it again
  return { reality: made.reality, isNew: made.created }
}

export async function startServers({
  dataDir,
  env = process.env,
  onProgress,
}: StartOptions): Promise<Servers> {
  const searchAttributes = SEARCH_ATTRIBUTES.map(({ name }) => name)
  // Waits for both: if one fails at once, the other must not go on starting unnoticed.
  const [postgres, temporal] = await Promise.allSettled([
    ensurePostgres({ dataDir, env, onProgress }),
    ensureTemporal({ dataDir, env, onProgress, searchAttributes }),
  ])
  if (postgres.status === 'rejected') throw postgres.reason
  if (temporal.status === 'rejected') throw temporal.reason
  const { address, namespace, kind } = temporal.value
  const { url: ownerUrl, workerUrl: databaseUrl, portalUrl, sequencerUrl } = postgres.value
  return {
    databaseUrl,
    ownerUrl,
    portalUrl,
    sequencerUrl,
    temporal: { address, namespace },
    isOwnTemporal: kind !== 'external',
  }
}

async function forgetEnded(dataDir: string, name: string): Promise<void> {
  const service = serviceOf(readInstance(dataDir), name)
  if (service?.process != null && !isAlive(service)) await forgetService(dataDir, name, service.process)
}

/** Ends workers whose servers have moved, and starts one if none is left. */
export async function ensureWorker(
  { dataDir, env = process.env, onProgress }: StartOptions,
  place: WorkerPlace,
) {
  await stopServices(
    dataDir,
    (service) => isWorker(service) && isStale(service, place),
    ({ name, end }) => onProgress(`${name} ${end}: its servers have moved`),
  )
  if (hasWorker(dataDir)) return
  onProgress('starting a worker')
  await keepSettings(dataDir, env)
  await startWorker(dataDir, freeWorkerName(dataDir), place)
}

/** Brings the database to this version, and makes the reality of it the first time. */
async function plant({ ownerUrl, isOwnTemporal }: Servers, { env = process.env, onProgress }: StartOptions) {
  const timeZone = requireTimeZone(env.TREEOS_TIME_ZONE || 'UTC')
  const owner = openDatabase(ownerUrl, { asOwner: true, poolMax: 2 })
  try {
    const migrations = await migrate(owner)
    if (migrations.length > 0) onProgress(`brought the database up to date: ${migrations.join(', ')}`)
    const name = requireRealityName(
      env.TREEOS_REALITY || (isOwnTemporal ? NAME : `${NAME}-${randomSuffix()}`),
    )
    const made = await bootstrapReality(owner, await loadedRegistry(), { name, timeZone })
    if (made.created) onProgress(`made the reality ${made.reality.name} with its first beings`)
    else if (env.TREEOS_TIME_ZONE && made.reality.timeZone !== timeZone)
      onProgress(`the reality keeps its time zone ${made.reality.timeZone}: TREEOS_TIME_ZONE is for new ones`)
    return made
  } finally {
    await owner.destroy()
  }
}

/** A Temporal that is not ours may hold other realities: workflows and queues are named after the reality. */
const randomSuffix = (): string => randomBytes(3).toString('hex')

function requireRealityName(name: string): string {
  if (isKey(name)) return name
  const right = 'a kebab-case name of up to 64 characters, as in home'
  throw new TreeosError('INVALID_INPUT', `TREEOS_REALITY is ${quote(name)}; it takes ${right}`)
}

function requireTimeZone(name: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
  } catch {
    throw new TreeosError(
      'INVALID_INPUT',
      `TREEOS_TIME_ZONE is ${quote(name)}; it takes an IANA name, as in Europe/Berlin`,
    )
  }
}
