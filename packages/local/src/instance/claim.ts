import { setTimeout as sleep } from 'node:timers/promises'
import type { Lock } from '../machine/lock.ts'
import { InstanceBusyError, lockInstance } from './instance.ts'
import { runningService, UP } from './services.ts'

const POLL_MS = 100

/**
 * Claims an instance until `release`. Waits while another process starts it.
 * @returns null when another process keeps the instance up, once everything is ready
 */
export async function claimInstance(
  dataDir: string,
  onProgress: (line: string) => void,
): Promise<Lock | null> {
  for (let told = false; ; told = true) {
    try {
      return await lockInstance(dataDir)
    } catch (error) {
      if (!(error instanceof InstanceBusyError)) throw error
      if (isKeptUp(dataDir)) return null
      if (!told) onProgress(`process ${error.pid} is starting this instance`)
      await sleep(POLL_MS)
    }
  }
}

/**
 * Whether a `treeos up`, in the foreground or detached, supervises the instance and has finished its start.
 */
export const isKeptUp = (dataDir: string): boolean => runningService(dataDir, UP)?.detail?.state === 'ready'
