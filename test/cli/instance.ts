import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Instance, processStart, readInstance, removeInstance } from '@treeos/local'
import { openDatabase, type StoreDb } from '@treeos/store'
import type { Kysely } from 'kysely'
import { afterAll, beforeAll, expect, inject } from 'vitest'
import type { ModelServer } from '../support/model-server.ts'
import type { Asked } from './shell.ts'

export const MAIN = resolve(import.meta.dirname, '../../apps/cli/src/main.ts')

const SHELL = join(import.meta.dirname, 'shell.ts')

/**
 * Commands that start processes, end by a signal or configure their process run in a process of their own; so
 * does input that is not text.
 */
const isShort = (args: readonly string[]): boolean =>
  !['up', 'down', 'worker', 'chat', 'inhabit', 'mcp', 'replay', 'tail', 'traces'].includes(args[0] ?? '') &&
  !args.some((arg) => arg.includes('\ufffd'))

/** What stands behind `--` is another program's. */
function withJson(args: readonly string[]): string[] {
  const end = args.includes('--') ? args.indexOf('--') : args.length
  return [...args.slice(0, end), '--json', ...args.slice(end)]
}

/** The end of one command. */
export interface Ran {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** An instance in its own folder, used through the command line only. */
export class CliInstance {
  readonly dataDir: string
  readonly #more: () => NodeJS.ProcessEnv
  #shell: Shell | null = null
  #asking: Promise<unknown> = Promise.resolve()

  readonly #cwd: string | undefined

  /**
   * @param more variables of its processes' environment, read as each starts
   * @param cwd where its commands run; ours unless given
   */
  constructor(more: () => NodeJS.ProcessEnv = () => ({}), cwd?: string) {
    // The name lets the next run of the check remove it if this one is killed.
    this.dataDir = mkdtempSync(join(tmpdir(), `treeos-test-${process.pid}-`))
    chmodSync(this.dataDir, 0o711)
    this.#more = more
    this.#cwd = cwd
  }

  get #env(): NodeJS.ProcessEnv {
    return { ...bareEnvironment(), TREEOS_DATA: this.dataDir, ...this.#more() }
  }

  async run(args: readonly string[], { input = '', env = {} as NodeJS.ProcessEnv } = {}): Promise<Ran> {
    if (isShort(args) && Object.keys(env).length === 0) return this.#ask({ args, input })
    const child = this.start(args, env)
    let stdout = ''
    let stderr = ''
    child.stdout?.setEncoding('utf8').on('data', (text) => (stdout += text))
    child.stderr?.setEncoding('utf8').on('data', (text) => (stderr += text))
    child.stdin?.on('error', () => undefined) // a refused command does not read what it was given
    child.stdin?.end(input)
    const [status] = (await once(child, 'close')) as [number | null]
    return { status, stdout, stderr }
  }

  /** In a process that runs one command after another. */
  #ask(asked: Asked): Promise<Ran> {
    const answer = this.#asking.then(() => {
      this.#shell ??= new Shell(this.#env, this.#cwd)
      return this.#shell.ask(asked)
    })
    this.#asking = answer.catch(() => undefined)
    return answer
  }

  /** The one JSON value of a command that ended well. */
  async json<T>(
    args: readonly string[],
    options: { input?: string; env?: NodeJS.ProcessEnv } = {},
  ): Promise<T> {
    const { status, stdout, stderr } = await this.run(withJson(args), options)
    if (status !== 0) throw new Error(`treeos ${args.join(' ')} ended with ${status}: ${stdout}${stderr}`)
    return JSON.parse(stdout) as T
  }

  /** The error of a command that was refused. */
  async refusal(args: readonly string[], options: { input?: string; env?: NodeJS.ProcessEnv } = {}) {
    const { status, stdout } = await this.run(withJson(args), options)
    const { error } = JSON.parse(stdout) as { error: { code: string; message: string } }
    return { status, code: error.code, message: error.message }
  }

  start(args: readonly string[], env: NodeJS.ProcessEnv = {}): ChildProcess {
    return spawn(process.execPath, [MAIN, ...args], { env: { ...this.#env, ...env }, cwd: this.#cwd })
  }

  /** For tests that start the command themselves. */
  get environment(): Record<string, string> {
    return Object.fromEntries(
      Object.entries(this.#env).filter((entry): entry is [string, string] => entry[1] !== undefined),
    )
  }

  get state(): Instance {
    return readInstance(this.dataDir)
  }

  pidOf(name: string): number {
    const pid = this.state.services.find((service) => service.name === name)?.process?.pid
    if (pid === undefined) throw new Error(`no ${name} is recorded in ${this.dataDir}`)
    return pid
  }

  /** Kills the supervisor of a detached instance: what ends stays ended until the next `treeos up`. */
  async loseSupervisor(): Promise<void> {
    const pid = this.pidOf('up')
    process.kill(pid, 'SIGKILL')
    await until('the end of the supervisor', () => !isAlive(pid))
  }

  log(name: string): string {
    return readFileSync(join(this.dataDir, name), 'utf8')
  }

  /** Opens the instance's database with rights that no command has. */
  async asOwner<T>(use: (owner: Kysely<StoreDb>) => Promise<T>): Promise<T> {
    const password = readFileSync(join(this.dataDir, 'postgres', 'password'), 'utf8').trim()
    const address = this.state.services.find(({ name }) => name === 'postgres')?.address
    const url = `postgres://treeos:${password}@${address}/treeos`
    const owner = openDatabase(url, { asOwner: true, poolMax: 1 })
    try {
      return await use(owner)
    } finally {
      await owner.destroy()
    }
  }

  async remove(): Promise<void> {
    this.#shell?.close()
    await removeInstance(this.dataDir)
  }
}

export interface UsedInstance {
  /** the models that its beings ask, as `test-model` */
  readonly modelServer?: ModelServer
  readonly env?: NodeJS.ProcessEnv
  /** arguments of `treeos up`, besides `--detach`; without a portal unless given */
  readonly up?: readonly string[]
  /** a folder where its commands run; it is made */
  readonly cwd?: string
}

/** An instance that is up from the first test of a file to the last. */
export function useInstance({
  modelServer,
  env = {},
  up = ['--no-portal'],
  cwd,
}: UsedInstance = {}): CliInstance {
  const mind = () =>
    modelServer === undefined ? {} : { OPENAI_BASE_URL: modelServer.url, TREEOS_MODEL: 'test-model' }
  const home = new CliInstance(() => ({ ...mind(), ...env }), cwd)
  beforeAll(async () => {
    if (cwd !== undefined) mkdirSync(cwd, { recursive: true })
    const { status, stderr } = await home.run(['up', '--detach', ...up])
    expect(status, stderr).toBe(0)
  })
  afterAll(() => home.remove())
  return home
}

/**
 * A folder that lasts as long as the file's tests.
 * @returns writes a JSON file into it, and gives its path
 */
export function useJsonFiles(): (name: string, content: unknown) => string {
  const folder = mkdtempSync(join(tmpdir(), 'treeos-cli-files-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  return (name, content) => {
    const path = join(folder, name)
    writeFileSync(path, JSON.stringify(content))
    return path
  }
}

class Shell {
  readonly #process: ChildProcess
  #answered: { resolve(ran: Ran): void; reject(error: Error): void } | null = null

  constructor(env: NodeJS.ProcessEnv, cwd: string | undefined) {
    this.#process = fork(SHELL, { env, ...(cwd === undefined ? {} : { cwd }), execArgv: [], stdio: 'ignore' })
    this.#process.on('message', (ran) => this.#answered?.resolve(ran as Ran))
    this.#process.on('exit', (code) => this.#answered?.reject(new Error(`the shell ended with ${code}`)))
  }

  ask(asked: Asked): Promise<Ran> {
    return new Promise((resolve, reject) => {
      this.#answered = { resolve, reject }
      this.#process.send(asked, (error) => error && reject(error))
    })
  }

  close(): void {
    this.#answered = null
    if (this.#process.connected) this.#process.disconnect()
  }
}

/** Our environment without the variables that name other services, models or instances. */
function bareEnvironment(): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    TREEOS_NO_DOWNLOAD: '1',
    OLLAMA_HOST: '127.0.0.1:1',
    // Bundling the workflows takes each worker seconds, so all tests but `create.long.test.ts` share one
    // bundle.
    TREEOS_WORKFLOW_BUNDLE: inject('bundlePath'),
  }
  for (const name of Object.keys(env)) {
    if (/^(TEMPORAL_|OPENAI_|DATABASE_URL$|TREEOS_(DATA|MODEL|REALITY|TIME_ZONE|DEBUG)$)/.test(name))
      delete env[name]
  }
  return env
}

/** A zombie is gone, though its pid still takes signals. */
export const isAlive = (pid: number): boolean => processStart(pid) !== null

/** @throws when `seen` never turns true */
export async function until(
  what: string,
  seen: () => boolean | Promise<boolean>,
  seconds = 60,
): Promise<void> {
  for (const end = Date.now() + seconds * 1000; Date.now() < end; await sleep(50)) if (await seen()) return
  throw new Error(`${what} did not happen within ${seconds} s`)
}
