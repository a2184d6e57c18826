import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, openSync, readSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { LocalError, systemCode } from './error.ts'
import { readIfThere } from './files.ts'

/** Identifies one process. A pid alone does not, since the kernel uses it again. */
export interface Process {
  readonly pid: number
  /** Opaque. On Linux boot id and start tick, elsewhere the start as `ps` prints it. */
  readonly startedAt: string
}

const POLL_MS = 25

/** When the process behind a pid started, or null when it is gone (a zombie without threads is gone). */
export function processStart(pid: number): string | null {
  if (process.platform === 'linux') {
    const stat = readIfGone(`/proc/${pid}/stat`)
    if (stat === null) return null
    // The command, in brackets, may hold spaces and brackets: fields are counted from the last one.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    // A killed process is a zombie as soon as its first thread ended. Its ports and files stay open until the
    // last one did.
    if ((fields[0] === 'Z' && Number(fields[17]) <= 1) || fields[0] === 'X') return null // field 20: threads
    const boot = readIfThere('/proc/sys/kernel/random/boot_id') ?? ''
    return `${boot.slice(0, 8)}/${fields[19]}` // field 22 of proc(5)
  }
  try {
    process.kill(pid, 0)
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || null
  } catch (error) {
    if (systemCode(error) === 'ESRCH' || (error instanceof Error && 'status' in error)) return null
    throw error
  }
}

/** True while this process runs, false once its pid is free or belongs to another. */
export function isRunning(known: Process): boolean {
  return processStart(known.pid) === known.startedAt
}

export function thisProcess(): Process {
  const startedAt = processStart(process.pid)
  if (startedAt === null) throw new LocalError('cannot read the start time of this process')
  return { pid: process.pid, startedAt }
}

/**
 * Asks a process to end, then kills it. Does nothing when it is gone, or its pid belongs to another process
 * by now.
 * @param graceMs how long it may take to end by itself
 */
export async function terminate(
  known: Process,
  { graceMs = 10_000, signal = 'SIGTERM' as NodeJS.Signals } = {},
): Promise<'gone' | 'stopped' | 'killed'> {
  if (!send(known, signal)) return 'gone'
  if (await hasEnded(known, graceMs)) return 'stopped'
  send(known, 'SIGKILL')
  if (await hasEnded(known, 5_000)) return 'killed'
  throw new LocalError(`process ${known.pid} does not end, not even by SIGKILL`)
}

function send(known: Process, signal: NodeJS.Signals): boolean {
  if (!isRunning(known)) return false
  try {
    return process.kill(known.pid, signal)
  } catch (error) {
    if (systemCode(error) === 'ESRCH') return false
    throw error
  }
}

async function hasEnded(known: Process, withinMs: number): Promise<boolean> {
  for (const until = Date.now() + withinMs; Date.now() < until; await sleep(POLL_MS)) {
    if (!isRunning(known)) return true
  }
  return !isRunning(known)
}

export interface SpawnOptions {
  command: string
  args: readonly string[]
  /** Standard output and error are appended here. */
  logFile: string
  cwd?: string
  env?: NodeJS.ProcessEnv
  uid?: number
  gid?: number
}

/**
 * Starts a process in its own session: it runs on when we end, and does not get the Ctrl-C of our terminal.
 */
export async function spawnDetached({ command, args, logFile, ...options }: SpawnOptions): Promise<Process> {
  mkdirSync(dirname(logFile), { recursive: true })
  const log = openSync(logFile, 'a', 0o600)
  try {
    const child = spawn(command, args, { ...options, detached: true, stdio: ['ignore', log, log] })
    await once(child, 'spawn').catch((error: unknown) => {
      throw new LocalError(`cannot start ${command}: ${String(error)}`, { cause: error })
    })
    child.unref()
    const pid = child.pid as number // set once spawned
    // A child that ended at once has no start time. The empty string never equals one.
    return { pid, startedAt: processStart(pid) ?? '' }
  } finally {
    closeSync(log)
  }
}

/** Size of a log in bytes, 0 when there is none: the offset where the output of the next process begins. */
export function logSize(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}

/** The last lines of a log from byte `from` on, at most 16 KiB. Empty when there is no such file. */
export function tail(path: string, { lines = 20, from = 0 } = {}): string {
  const size = logSize(path)
  const start = Math.max(from, size - 16_384)
  if (start >= size) return ''
  const file = openSync(path, 'r')
  try {
    const bytes = Buffer.alloc(size - start)
    readSync(file, bytes, 0, bytes.length, start)
    return bytes.toString('utf8').trimEnd().split('\n').slice(-lines).join('\n')
  } finally {
    closeSync(file)
  }
}

/** Reading a file in /proc fails with ESRCH when the process ends after the file was opened. */
function readIfGone(path: string): string | null {
  try {
    return readIfThere(path)
  } catch (error) {
    if (systemCode(error) === 'ESRCH') return null
    throw error
  }
}
