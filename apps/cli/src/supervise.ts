import { setTimeout as sleep } from 'node:timers/promises'
import { readInstance } from '@treeos/local'
import { messageOf } from './failure.ts'
import { hasWorker, isAlive, isWorker, serviceOf } from './instance.ts'
import { type StartOptions, startFirstWorker, startServers } from './start.ts'
import { stopServices } from './stop.ts'
import type { WorkerPlace } from './workers.ts'

const LOOK_MS = 500
const BACKOFF_MS_MIN = 500
const BACKOFF_MS_MAX = 30_000
/** What has run this long since its last start did not fail at starting. */
const STEADY_MS = 60_000

/** Looks after what runs, and starts again what has ended, slower each time it fails. Tells so. */
export function keepAlive(options: StartOptions, first: WorkerPlace): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const done = watch(options, first, stopping.signal)
  return {
    async stop() {
      stopping.abort()
      await done
    },
  }
}

async function watch(options: StartOptions, first: WorkerPlace, stopping: AbortSignal): Promise<void> {
  let place = first
  let backoff = BACKOFF_MS_MIN
  let mendedAt = 0
  while (await pause(LOOK_MS, stopping)) {
    const missing = missingOf(options.dataDir)
    if (missing.length === 0) {
      if (Date.now() - mendedAt > STEADY_MS) backoff = BACKOFF_MS_MIN
      continue
    }
    options.onProgress(`${missing.join(' and ')} ended: starting again in ${backoff / 1000} s`)
    if (!(await pause(backoff, stopping))) return
    backoff = Math.min(backoff * 2, BACKOFF_MS_MAX)
    try {
      place = await mend(options, place)
      options.onProgress('everything runs again')
    } catch (error) {
      options.onProgress(messageOf(error))
    }
    mendedAt = Date.now()
  }
}

async function mend(options: StartOptions, before: WorkerPlace): Promise<WorkerPlace> {
  const { dataDir } = options
  const place = await startServers(options)
  const hasMoved =
    place.databaseUrl !== before.databaseUrl || place.temporal.address !== before.temporal.address
  // A worker learns of its servers once, at its start.
  if (hasMoved) await stopServices(dataDir, isWorker)
  if (!hasWorker(dataDir)) await startFirstWorker(options, place)
  return place
}

function missingOf(dataDir: string): string[] {
  const instance = readInstance(dataDir)
  const missing: string[] = []
  for (const [name, title] of [
    ['postgres', 'Postgres'],
    ['temporal', 'Temporal'],
  ] as const) {
    const service = serviceOf(instance, name)
    if (service === null || !isAlive(service)) missing.push(title)
  }
  return hasWorker(dataDir) ? missing : [...missing, 'the worker']
}

/** @returns false when it is time to stop */
async function pause(ms: number, stopping: AbortSignal): Promise<boolean> {
  try {
    await sleep(ms, undefined, { signal: stopping })
    return true
  } catch {
    return false
  }
}
