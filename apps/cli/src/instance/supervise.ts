import { setTimeout as sleep } from 'node:timers/promises'
import { readInstance } from '@treeos/local'
import { messageOf } from '../text/failure.ts'
import { hasWorker, isAlive, serviceOf } from './instance.ts'
import type { StartOptions } from './start.ts'

const LOOK_MS = 500
const BACKOFF_MS_MIN = 500
const BACKOFF_MS_MAX = 30_000
/** After this long without an end, the next pause is a short one again. */
const STEADY_MS = 60_000

/** Starts again what has ended, after a longer pause each time that fails, and reports each step. */
export function keepAlive(options: StartOptions): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const done = watch(options, stopping.signal)
  return {
    async stop() {
      stopping.abort()
      await done
    },
  }
}

async function watch(options: StartOptions, stopping: AbortSignal): Promise<void> {
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
      const { ensureWorker, startServers } = await import('./start.ts') // the supervisor rarely needs all of it
      await ensureWorker(options, await startServers(options))
      options.onProgress('everything runs again')
    } catch (error) {
      options.onProgress(messageOf(error))
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
