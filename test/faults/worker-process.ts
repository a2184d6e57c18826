/** Workers that are processes, as users run them. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { collectGarbage } from './garbage.ts'

const WORKER_MAIN = createRequire(import.meta.url).resolve('@treeos/worker/main')

/** Of its inspector, which opens no port before {@link WorkerProcess.memoryKept} asks for it. */
const ANY_PORT = '--inspect-port=127.0.0.1:0'
const INSPECTOR_MS_MAX = 30_000

/**
 * Keeps the compiled sources of the worker's program in a folder, for workers with that NODE_COMPILE_CACHE. A
 * process keeps what it compiled when it exits, so a worker that is killed keeps nothing. This one exits
 * since it has no database.
 */
export async function compileWorker(folder: string): Promise<void> {
  const env = { ...process.env, DATABASE_URL: '', NODE_COMPILE_CACHE: folder }
  await once(spawn(process.execPath, [WORKER_MAIN], { env, stdio: 'ignore' }), 'exit')
}

/** None outlives the run that started it. */
const alive = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of alive) child.kill('SIGKILL')
})

/** A worker as users run it: a separate process of the product's entry file. */
export class WorkerProcess {
  /** true once it takes work, false when it ended before that */
  readonly ready: Promise<boolean>
  /** the signal or exit status it ended by */
  readonly ended: Promise<NodeJS.Signals | number>
  /** killed by us, not by a crash point */
  wasKilled = false
  readonly #child: ChildProcess
  readonly #logFile: string
  #inspector: Promise<string> | null = null

  constructor(logFile: string, env: NodeJS.ProcessEnv) {
    this.#logFile = logFile
    const log = openSync(logFile, 'a')
    this.#child = spawn(process.execPath, [ANY_PORT, WORKER_MAIN], { env, stdio: ['ignore', 'pipe', log] })
    closeSync(log)
    alive.add(this.#child)
    this.ended = once(this.#child, 'exit').then(([code, signal]) => {
      alive.delete(this.#child)
      return signal ?? code
    })
    this.ready = Promise.race([this.#saysReady(), this.ended.then(() => false)])
  }

  async #saysReady(): Promise<boolean> {
    if (this.#child.stdout !== null)
      for await (const line of createInterface(this.#child.stdout))
        if (line.includes('"ready":true')) return true
    return false
  }

  /** Resident memory in bytes. */
  async memory(): Promise<number> {
    const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(this.pid)])
    return 1024 * Number(stdout)
  }

  /** Resident memory in bytes, without what is garbage. */
  async memoryKept(): Promise<number> {
    this.#inspector ??= this.#openInspector()
    await collectGarbage(await this.#inspector)
    await sleep(500) // V8 returns pages in the background
    return this.memory()
  }

  async #openInspector(): Promise<string> {
    const before = (await readFile(this.#logFile, 'utf8')).length
    this.#child.kill('SIGUSR1')
    for (const until = Date.now() + INSPECTOR_MS_MAX; Date.now() < until; await sleep(50)) {
      const [, address] =
        /Debugger listening on (\S+)/.exec((await readFile(this.#logFile, 'utf8')).slice(before)) ?? []
      if (address !== undefined) return address
    }
    throw new Error(`the worker did not open its inspector: see ${this.#logFile}`)
  }

  /** The log line that says why it ended by itself; empty when there is none. */
  async lastWords(): Promise<string> {
    const lines = (await readFile(this.#logFile, 'utf8')).split('\n')
    return (
      lines.findLast((line) => line.startsWith('{"level":60,') && line.includes(`"pid":${this.pid},`)) ?? ''
    )
  }

  get pid(): number {
    return this.#child.pid as number
  }

  kill(): void {
    this.wasKilled = true
    this.#child.kill('SIGKILL')
  }

  /** Asks it to end in order, as an operator does. @returns how it ended */
  retire(): Promise<NodeJS.Signals | number> {
    this.#child.kill('SIGTERM')
    return this.ended
  }

  /** It runs no more until `resume`, and does not know it. */
  freeze(): void {
    this.#child.kill('SIGSTOP')
  }

  resume(): void {
    this.#child.kill('SIGCONT')
  }
}
