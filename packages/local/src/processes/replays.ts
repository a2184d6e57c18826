import { setTimeout as sleep } from 'node:timers/promises'
import { isRunning, terminate } from '../machine/process.ts'
import { launch } from './launch.ts'
import type { StartOptions } from './servers.ts'

const HOURS = 24
/** A start has more to do than to replay. */
const FIRST_MS = 5 * 60_000
const LOOK_EVERY_MS = 3600_000
const POLL_MS = 1000

/**
 * How often all moments are to be replayed: TREEOS_REPLAY_HOURS, or a day. 0: never.
 * @throws {RangeError} for anything but such a number
 */
export function replayHours({ TREEOS_REPLAY_HOURS: text }: NodeJS.ProcessEnv): number {
  if (!text) return HOURS
  const hours = Number(text)
  if (Number.isFinite(hours) && hours >= 0) return hours
  throw new RangeError(`TREEOS_REPLAY_HOURS is ${JSON.stringify(text)}; it takes hours, or 0 for never`)
}

/**
 * Has all moments replayed from time to time, by a process of its own with the login of commands: a worker
 * must not judge its own records. That process asks the database whether a replay is due, and keeps there
 * what it finds; its log is `replay.log`.
 * @param every time from the start, and from each run, until the next run
 */
export async function replayWhenDue(
  { dataDir, env = process.env, programs, onProgress }: StartOptions,
  stopping: AbortSignal,
  every: { readonly firstMs: number; readonly againMs: number } = {
    firstMs: FIRST_MS,
    againMs: LOOK_EVERY_MS,
  },
): Promise<void> {
  if (replayHours(env) === 0) return
  const args = [programs.treeos, 'replay', '--all', '--if-due', '--json', '--data', dataDir]
  for (let wait = every.firstMs; await pause(wait, stopping); wait = every.againMs) {
    try {
      const { process: replaying } = await launch(dataDir, 'replay', args, { ...env, TREEOS_DATA: dataDir })
      while (isRunning(replaying))
        if (!(await pause(POLL_MS, stopping))) return void (await terminate(replaying))
    } catch (error) {
      onProgress(`no replay of all moments: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
}

/** @returns false when it is time to stop */
export async function pause(ms: number, stopping: AbortSignal): Promise<boolean> {
  try {
    await sleep(ms, undefined, { signal: stopping })
    return true
  } catch {
    return false
  }
}
