import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readInstance, type Service } from '@treeos/local'
import { messageOf } from '../text/failure.ts'
import { CHECKPOINTS, hasWorker, isAlive, PORTAL, serviceOf } from './instance.ts'
import type { StartOptions } from './servers.ts'

const LOOK_MS = 500
const BACKOFF_MS_MIN = 500
const BACKOFF_MS_MAX = 30_000
/** After this long without an end, the next pause is a short one again. */
const STEADY_MS = 60_000

export interface Supervision {
  stop(): Promise<void>
  /** resolves when the folder of the instance was deleted, with the services that ran; nothing is started again then */
  readonly deleted: Promise<readonly Service[]>
}

/** Starts again what has ended, after a longer pause each time that fails, and reports each step. */
export function keepAlive(options: StartOptions): Supervision {
  const stopping = new AbortController()
  const { promise: deleted, resolve } = Promise.withResolvers<readonly Service[]>()
  const done = watch(options, stopping.signal, resolve)
  return {
    deleted,
    async stop() {
      stopping.abort()
      await done
    },
  }
}

/** False once the folder of an instance was deleted, or its record. */
export const isThere = (dataDir: string): boolean => existsSync(join(dataDir, 'instance.json'))

async function watch(
  options: StartOptions,
  stopping: AbortSignal,
  onDeleted: (services: readonly Service[]) => void,
): Promise<void> {
  const { dataDir, onProgress } = options
  let backoff = BACKOFF_MS_MIN
  let mendedAt = 0
  let known = readInstance(dataDir).services
  const isDeleted = () => {
    if (isThere(dataDir)) return false
    onProgress(
      `${dataDir} was deleted while its instance ran: nothing can be kept there, so everything is stopped`,
    )
    onDeleted(known)
    return true
  }
  while (await pause(LOOK_MS, stopping)) {
    if (isDeleted()) return
    known = readInstance(dataDir).services
    const missing = missingOf(dataDir)
    if (missing.length === 0) {
      if (Date.now() - mendedAt > STEADY_MS) backoff = BACKOFF_MS_MIN
      continue
    }
    onProgress(`${missing.join(' and ')} ended: starting again in ${backoff / 1000} s`)
    if (!(await pause(backoff, stopping)) || isDeleted()) return
    backoff = Math.min(backoff * 2, BACKOFF_MS_MAX)
    try {
      const { ensureWorker, startServers } = await import('./start.ts') // the supervisor rarely needs all of it
      const place = await startServers(options)
      await ensureWorker(options, place)
      const { ensurePortal } = await import('./portal.ts')
      if (has(known, PORTAL)) await ensurePortal(options, place)
      const { ensureCheckpoints } = await import('./checkpoints.ts')
      if (has(known, CHECKPOINTS)) await ensureCheckpoints(options, place)
      onProgress('everything runs again')
    } catch (error) {
      onProgress(messageOf(error))
    }
    mendedAt = Date.now()
  }
}

/** What should run and does not, in words. */
export function missingOf(dataDir: string): string[] {
  const instance = readInstance(dataDir)
  const missing: string[] = []
  for (const [name, title] of [
    ['postgres', 'Postgres'],
    ['temporal', 'Temporal'],
  ] as const) {
    const service = serviceOf(instance, name)
    if (service === null || !isAlive(service)) missing.push(title)
  }
  if (!hasWorker(dataDir)) missing.push('the worker')
  // Only what was started is started again.
  for (const [name, title] of [
    [PORTAL, 'the portal'],
    [CHECKPOINTS, 'the signer of checkpoints'],
  ] as const) {
    const service = serviceOf(instance, name)
    if (service !== null && !isAlive(service)) missing.push(title)
  }
  return missing
}

const has = (services: readonly Service[], wanted: string): boolean =>
  services.some(({ name }) => name === wanted)

/** @returns false when it is time to stop */
async function pause(ms: number, stopping: AbortSignal): Promise<boolean> {
  try {
    await sleep(ms, undefined, { signal: stopping })
    return true
  } catch {
    return false
  }
}
