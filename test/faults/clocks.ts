/**
 * Clocks that jump: Debian's libfaketime stands between a process and the clock of the machine. Monotonic
 * clocks run on.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const LIBRARIES = ['x86_64-linux-gnu', 'aarch64-linux-gnu'].map(
  (machine) => `/usr/lib/${machine}/faketime/libfaketime.so.1`,
)
/** The library reads the file again after this. */
const HEARD_MS = 1100

export const canJump = (): boolean =>
  process.platform === 'linux' && LIBRARIES.some((path) => existsSync(path))

/** The clock of all processes that start with its environment. */
export class Clock {
  readonly #file: string
  /** seconds before or behind the clock of the machine */
  offset = 0

  constructor(folder: string, name: string) {
    this.#file = join(folder, `${name}.clock`)
    this.#write()
  }

  get env(): NodeJS.ProcessEnv {
    return {
      LD_PRELOAD: LIBRARIES.find((path) => existsSync(path)),
      FAKETIME_TIMESTAMP_FILE: this.#file,
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    }
  }

  /** Resolves when its processes see the new time. */
  async set(offset: number): Promise<void> {
    this.offset = Math.round(offset)
    this.#write()
    await sleep(HEARD_MS)
  }

  #write(): void {
    const draft = `${this.#file}.draft`
    writeFileSync(draft, `${this.offset < 0 ? '' : '+'}${this.offset}s\n`, { mode: 0o644 })
    renameSync(draft, this.#file)
  }
}

/**
 * Ends a server of Postgres in order, and starts it as it was, but with this clock.
 * @returns when it is ready
 */
export async function restartUnder(clock: Clock, pid: number, logFile: string): Promise<void> {
  const [command = '', ...args] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1)
  const env = Object.fromEntries(
    readFileSync(`/proc/${pid}/environ`, 'utf8')
      .split('\0')
      .filter((entry) => entry.includes('='))
      .map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]),
  )
  const { uid, gid } = statSync(`/proc/${pid}`)
  const data = args[args.indexOf('-D') + 1] ?? ''
  process.kill(pid, 'SIGINT')
  while (existsSync(`/proc/${pid}/exe`)) await sleep(20)
  const log = openSync(logFile, 'a', 0o600)
  const child = spawn(command, args, {
    cwd: data,
    uid,
    gid,
    detached: true,
    stdio: ['ignore', log, log],
    env: { ...env, ...clock.env },
  })
  closeSync(log)
  await once(child, 'spawn')
  child.unref()
  while (!isReady(data, child.pid)) {
    if (child.exitCode !== null)
      throw new Error(`Postgres does not start under another clock: see ${logFile}`)
    await sleep(20)
  }
}

/** The file begins with the process and ends with its state. */
function isReady(data: string, pid: number | undefined): boolean {
  try {
    const lines = readFileSync(join(data, 'postmaster.pid'), 'utf8').trimEnd().split('\n')
    return lines[0] === String(pid) && lines.at(-1)?.trim() === 'ready'
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ENOENT') return false
    throw error
  }
}
