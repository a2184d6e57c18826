import { setTimeout as sleep } from 'node:timers/promises'
import { InstanceBusyError, lockInstance, readInstance } from '@treeos/local'
import { isAlive, serviceOf, UP } from './instance.ts'

const POLL_MS = 100

/** Claims an instance until `release`. Waits while another process starts it. */
export type Claim = Awaited<ReturnType<typeof lockInstance>>

/** @returns null when another process keeps the instance up, once everything is ready */
export async function claim(dataDir: string, onProgress: (line: string) => void): Promise<Claim | null> {
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

/** Whether a `treeos up`, in the foreground or detached, supervises the instance and has finished its start. */
export function isKeptUp(dataDir: string): boolean {
  const keeper = serviceOf(readInstance(dataDir), UP)
  return keeper !== null && isAlive(keeper) && keeper.detail?.state === 'ready'
}
