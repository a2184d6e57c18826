import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isAlive, readInstance, type Service } from '../instance/instance.ts'
import { CHECKPOINTS, hasWorker, isWorker, PORTAL, serviceOf, TRACES } from '../instance/services.ts'
import { messageOf } from '../machine/error.ts'
import { ensureCheckpoints } from './checkpoints.ts'
import { ensurePortal } from './portal.ts'
import { pause, replayWhenDue } from './replays.ts'
import type { StartOptions } from './servers.ts'
import { startServers } from './start.ts'
import { ensureTraces } from './traces.ts'
import { ensureWorker } from './workers.ts'

const POLL_MS = 500
const BACKOFF_MS_MIN = 500
const BACKOFF_MS_MAX = 30_000
/** After this long without an end, the next pause is a short one again. */
const STEADY_MS = 60_000
/** How long a second `treeos up` waits for the first to start again what ended. */
const MEND_MS = 90_000

export interface Supervision {
  stop(): Promise<void>
  /**
   * resolves when the folder of the instance was deleted, with the services that ran; nothing is started
   * again then
   */
  readonly deleted: Promise<readonly Service[]>
}

/** Starts again what has ended, after a longer pause each time that fails, and reports each step. */
export function superviseServices(options: StartOptions): Supervision {
  const stopping = new AbortController()
  const { promise: deleted, resolve } = Promise.withResolvers<readonly Service[]>()
  const done = restartWhatEnds(options, stopping.signal, resolve)
  const replays = replayWhenDue(options, stopping.signal)
  return {
    deleted,
    async stop() {
      stopping.abort()
      await Promise.all([done, replays])
    },
  }
}

/** False once the folder of an instance was deleted, or its record. */
export const isThere = (dataDir: string): boolean => existsSync(join(dataDir, 'instance.json'))

async function restartWhatEnds(
  options: StartOptions,
  stopping: AbortSignal,
  onDeleted: (services: readonly Service[]) => void,
): Promise<void> {
  const { dataDir, onProgress } = options
  let backoff = BACKOFF_MS_MIN
  let mendedAt = 0
  let hasFailed = false
  let known = readInstance(dataDir).services
  const isDeleted = () => {
    if (isThere(dataDir)) return false
    onProgress(
      `${dataDir} was deleted while its instance ran: nothing can be kept there, so everything is stopped`,
    )
    onDeleted(known)
    return true
  }
  while (await pause(POLL_MS, stopping)) {
    if (isDeleted()) return
    known = readInstance(dataDir).services
    const missing = missingOf(dataDir)
    if (missing.length === 0) {
      if (Date.now() - mendedAt > STEADY_MS) backoff = BACKOFF_MS_MIN
      continue
    }
    // Whoever ended it on purpose has removed its record.
    const isOrdered = !hasFailed && !known.some(isWorker) && missing.length === 1 && !hasWorker(dataDir)
    if (isOrdered) onProgress('starting the worker anew')
    else {
      onProgress(`${missing.join(' and ')} ended: starting again in ${backoff / 1000} s`)
      if (!(await pause(backoff, stopping)) || isDeleted()) return
      backoff = Math.min(backoff * 2, BACKOFF_MS_MAX)
    }
    try {
      await startAgain(options, known)
      onProgress('everything runs again')
      hasFailed = false
    } catch (error) {
      onProgress(messageOf(error))
      hasFailed = true
    }
    mendedAt = Date.now()
  }
}

/** Only what was started is started again. */
async function startAgain(options: StartOptions, known: readonly Service[]): Promise<void> {
  const has = (wanted: string) => known.some(({ name }) => name === wanted)
  const place = await startServers(options)
  await ensureWorker(options, place)
  if (has(PORTAL)) await ensurePortal(options, place)
  if (has(CHECKPOINTS)) await ensureCheckpoints(options, place)
  if (has(TRACES)) await ensureTraces(options, place)
}

/** What has just ended is started again by whoever keeps the instance up: waits for that. */
export async function untilMended(dataDir: string, onProgress: (line: string) => void): Promise<void> {
  let told = ''
  for (const until = Date.now() + MEND_MS; Date.now() < until; await sleep(POLL_MS / 2)) {
    const missing = missingOf(dataDir).join(' and ')
    if (missing === '') return
    if (missing !== told) onProgress(`waiting for ${missing} to be started again`)
    told = missing
  }
}

/** What should run and does not, in words. */
function missingOf(dataDir: string): string[] {
  const instance = readInstance(dataDir)
  const ended = (name: string, ifUnknown: boolean) => {
    const service = serviceOf(instance, name)
    return service === null ? ifUnknown : !isAlive(service)
  }
  return [
    ...(ended('postgres', true) ? ['Postgres'] : []),
    ...(ended('temporal', true) ? ['Temporal'] : []),
    ...(hasWorker(dataDir) ? [] : ['the worker']),
    ...(ended(PORTAL, false) ? ['the portal'] : []),
    ...(ended(CHECKPOINTS, false) ? ['the signer of checkpoints'] : []),
    ...(ended(TRACES, false) ? ['the sender of traces'] : []),
  ]
}
