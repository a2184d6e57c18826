import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openInstance } from '../instance/instance.ts'
import { runningService } from '../instance/services.ts'
import { LocalError } from '../machine/error.ts'
import { isRunning, logSize, type Process, spawnDetached, tail, terminate } from '../machine/process.ts'
import { isStale, type WorkerPlace } from './servers.ts'

const POLL_MS = 50

/** A program of ours in a session of its own. */
export interface LaunchedProgram {
  readonly process: Process
  readonly logFile: string
  /** where in its log the output of this process begins */
  readonly from: number
}

/** The program ended, or is not ready in time. */
export class NotReadyError extends LocalError {
  override readonly name: string = 'NotReadyError'
  /** the error code that it told as JSON in its log, where it did */
  readonly told: string | null
  constructor(message: string, told: string | null) {
    super(message)
    this.told = told
  }
}

/** Starts a script with `<instance>/<name>.log`. @param env ours unless given */
export async function launch(
  dataDir: string,
  name: string,
  args: readonly string[],
  env?: NodeJS.ProcessEnv,
): Promise<LaunchedProgram> {
  openInstance(dataDir)
  const logFile = join(dataDir, `${name}.log`)
  const from = logSize(logFile)
  const process = await spawnDetached({
    command: globalThis.process.execPath,
    args,
    logFile,
    ...(env === undefined ? {} : { env }),
  })
  return { process, logFile, from }
}

/**
 * Waits until a program has done what it is started for.
 * @param look is asked again and again, with the program's log; null while it is not ready
 * @throws {NotReadyError} with the end of its log
 */
export async function untilReady<T>(
  { process, logFile, from }: LaunchedProgram,
  { what, readyMs }: { readonly what: string; readonly readyMs: number },
  look: (log: string) => T | null,
): Promise<T> {
  for (const until = Date.now() + readyMs; Date.now() < until; await sleep(POLL_MS)) {
    const isOver = !isRunning(process)
    const ready = look(tail(logFile, { from, lines: 1_000 }))
    if (ready !== null) return ready
    if (isOver) break
  }
  const how = isRunning(process) ? `is not ready within ${readyMs / 1000} s` : 'ended while starting'
  const log = tail(logFile, { from })
  throw new NotReadyError(`${what} ${how}. The end of ${logFile}:\n${log}`, toldCode(log))
}

/** The line of JSON by which a program of ours says that it is ready; null while there is none. */
export function readyLine<T>(log: string): T | null {
  const [line] = /^\{"ready":true\b.*$/m.exec(log) ?? []
  return line === undefined ? null : (JSON.parse(line) as T)
}

function toldCode(log: string): string | null {
  const [line] = /^\{"error":.*\}$/m.exec(log) ?? []
  return line === undefined ? null : (JSON.parse(line) as { error: { code: string } }).error.code
}

/** Whether a program runs with the servers of now. Ends one whose servers have moved. */
export async function runsWith(dataDir: string, name: string, place: WorkerPlace): Promise<boolean> {
  const standing = runningService(dataDir, name)
  if (standing === null) return false
  if (!isStale(standing, place)) return true
  if (standing.process !== null) await terminate(standing.process)
  return false
}

/** The variables of an environment whose names are meant for a program, and the folder of its instance. */
export function environmentOf(dataDir: string, env: NodeJS.ProcessEnv, kept: RegExp): NodeJS.ProcessEnv {
  return {
    ...Object.fromEntries(Object.entries(env).filter(([name]) => kept.test(name))),
    TREEOS_DATA: dataDir,
  }
}
