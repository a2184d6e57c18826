/** Services that only one run uses, so it may kill them. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { workflowBundle } from '@treeos/host'
import {
  configFileOf,
  ensurePostgres,
  ensureTemporal,
  readInstance,
  removeInstance,
  stopInstance,
  type Temporal,
} from '@treeos/local'
import { SEARCH_ATTRIBUTES } from '@treeos/protocol'
import { bundleForReplay } from '@treeos/replay'
import { Clock, restartUnder } from './clocks.ts'
import { Disk } from './disks.ts'
import { FaultProxy } from './proxy.ts'

export type Say = (line: string) => void

/** A server that can be killed and comes back on its data. */
export interface Server {
  readonly name: 'postgres' | 'temporal'
  /** what workers connect to */
  readonly proxy: FaultProxy
  /** what the driver connects to; it misbehaves only when the server does */
  readonly calm: FaultProxy
  kill(): void
  /** ready again when it resolves */
  restart(): Promise<void>
  /**
   * Starts it and kills it as soon as its log has this line.
   * @returns false when it was ready before that, and runs
   */
  killWhile(logLine: string): Promise<boolean>
}

export interface Ground {
  readonly postgres: Server
  readonly temporal: Server
  /** as the owner, with credentials, through the given proxy */
  postgresUrl(proxy: FaultProxy, database: string): string
  /** credential of Temporal; the address is a proxy's */
  readonly temporalOptions: Temporal['options']
  /** as the role of workers, which owns nothing */
  workerUrl(proxy: FaultProxy, database: string): string
  /** file of the workflow bundle for replay */
  readonly replayBundlePath: string
  /** folder of the logs of the servers */
  readonly dataDir: string
  /** all workers write to it */
  readonly workerLog: string
  /** those that hold what they are named for; null when they are the disks of the machine */
  readonly disks: Disks | null
  /** null when all have the clock of the machine */
  readonly clocks: Clocks | null
  readonly workers: Set<WorkerProcess>
  startWorker(env: NodeJS.ProcessEnv): WorkerProcess
  close(): Promise<void>
}

/** Small disks of a ground. */
export interface Disks {
  /** Postgres' data */
  readonly postgres: Disk
  /** Temporal's file, and the logs of both servers */
  readonly temporal: Disk
  /** the log of the workers */
  readonly logs: Disk
}

/** Clocks of a ground. Temporal has that of the machine. */
export interface Clocks {
  readonly postgres: Clock
  readonly workers: Clock
}

/** What a scenario needs of its ground: small disks, or clocks that jump. */
export type Special = 'disks' | 'clocks'

/** Files of workflow bundles that were made before. */
export interface Bundles {
  readonly bundlePath: string
  readonly replayBundlePath: string
}

function urlOf(credentials: string, proxy: FaultProxy, database: string): string {
  return Object.assign(new URL(credentials), { host: proxy.address, pathname: database }).href
}

interface GroundOptions {
  /** made here when absent, which takes seconds */
  readonly bundles?: Bundles | undefined
  /** left out, neither */
  readonly special?: Special | undefined
}

export async function startGround(say: Say, { bundles, special }: GroundOptions = {}): Promise<Ground> {
  const home = await mkdtemp(join(tmpdir(), 'treeos-faults-'))
  await chmod(home, 0o711) // the server's user has to pass
  const dataDir = join(home, 'instance')
  const disks = special === 'disks' ? await mountDisks(dataDir) : null
  const workerLog = join(dataDir, disks === null ? '.' : 'logs', 'worker.log')
  const { DATABASE_URL: _, TEMPORAL_ADDRESS: __, ...env } = process.env // these must be ours to kill
  const options = { dataDir, env, onProgress: say }
  const searchAttributes = SEARCH_ATTRIBUTES.map(({ name }) => name)
  const compiled = env.NODE_COMPILE_CACHE ?? join(home, 'compiled')
  const clocks =
    special === 'clocks'
      ? { postgres: new Clock(home, 'postgres'), workers: new Clock(home, 'workers') }
      : null
  const startPostgres = async () => {
    const started = await ensurePostgres(options)
    if (clocks === null || started.pid === null) return started
    await restartUnder(clocks.postgres, started.pid, join(dataDir, 'postgres.log'))
    return ensurePostgres(options)
  }
  const startTemporal = () => ensureTemporal({ ...options, searchAttributes })

  const [postgres, temporal, { bundlePath, replayBundlePath }] = await Promise.all([
    startPostgres(),
    startTemporal(),
    bundles ?? makeBundles(home),
    bundles ?? compileWorker(compiled),
  ])
  const credentials = new URL(postgres.url)
  const workers = new Set<WorkerProcess>()
  const servers = {
    postgres: await serverOf(
      'postgres',
      dataDir,
      { address: credentials.host, pid: postgres.pid },
      async () => {
        const { url, pid } = await startPostgres()
        return { address: new URL(url).host, pid }
      },
    ),
    temporal: await serverOf('temporal', dataDir, temporal, startTemporal),
  }
  const killWorkers = () => {
    for (const worker of workers) worker.kill()
  }
  process.once('exit', killWorkers)

  return {
    ...servers,
    temporalOptions: temporal.options,
    replayBundlePath,
    dataDir,
    workerLog,
    disks,
    clocks,
    workers,
    postgresUrl: (proxy, database) => urlOf(postgres.url, proxy, database),
    workerUrl: (proxy, database) => urlOf(postgres.workerUrl, proxy, database),
    startWorker(extra) {
      const { OPENAI_API_KEY: _, ...inherited } = env
      const worker = new WorkerProcess(workerLog, {
        ...inherited,
        TZ: 'UTC',
        TREEOS_LOG: 'warn',
        TREEOS_TEST_BUILD: '1',
        NODE_COMPILE_CACHE: compiled,
        TREEOS_WORKFLOW_BUNDLE: bundlePath,
        TEMPORAL_ADDRESS: servers.temporal.proxy.address, // the rest, such as the key, is in the instance's file
        TEMPORAL_CONFIG_FILE: configFileOf(dataDir),
        ...clocks?.workers.env,
        ...extra,
      })
      workers.add(worker)
      void worker.ended.then(() => workers.delete(worker))
      return worker
    },
    async close() {
      killWorkers()
      await Promise.all([...workers].map((worker) => worker.ended))
      process.off('exit', killWorkers)
      for (const { proxy, calm } of Object.values(servers)) await Promise.all([proxy.close(), calm.close()])
      if (disks !== null) {
        await stopInstance(dataDir)
        for (const disk of [disks.logs, disks.postgres, disks.temporal]) await disk.unmount()
      }
      await removeInstance(dataDir)
      await rm(home, { recursive: true, force: true })
    },
  }
}

const POSTGRES_MIB = 400
const TEMPORAL_MIB = 128
const LOGS_MIB = 8

async function mountDisks(dataDir: string): Promise<Disks> {
  const temporal = await Disk.mount(dataDir, TEMPORAL_MIB)
  return {
    temporal,
    postgres: await Disk.mount(join(dataDir, 'postgres'), POSTGRES_MIB),
    logs: await Disk.mount(join(dataDir, 'logs'), LOGS_MIB),
  }
}

async function makeBundles(folder: string): Promise<Bundles> {
  const write = async (name: string, { code }: { code: string }) => {
    await writeFile(join(folder, name), code)
    return join(folder, name)
  }
  return {
    bundlePath: await write('workflow-bundle.js', await workflowBundle()),
    replayBundlePath: await write('replay-bundle.js', await bundleForReplay()),
  }
}

interface Running {
  readonly address: string
  readonly pid: number | null
}

async function serverOf(
  name: Server['name'],
  dataDir: string,
  first: Running,
  start: () => Promise<Running>,
): Promise<Server> {
  const speaks = name === 'postgres' ? name : 'anything'
  const proxy = await FaultProxy.start(targetOf(first), speaks)
  const calm = await FaultProxy.start(targetOf(first), speaks)
  let { pid } = first
  const restart = async () => {
    const running = await start()
    pid = running.pid
    proxy.target = targetOf(running)
    calm.target = targetOf(running)
  }
  return {
    name,
    proxy,
    calm,
    kill() {
      if (pid === null) throw new Error(`${name} is not ours to kill`)
      process.kill(pid, 'SIGKILL')
    },
    restart,
    async killWhile(logLine) {
      const log = join(dataDir, `${name}.log`)
      const from = (await readFile(log, 'utf8')).length
      const before = pid
      let ended: 'ready' | 'killed' | null = null
      const starting = restart().then(
        () => {
          ended ??= 'ready'
        },
        (error: unknown) => {
          if (ended !== 'killed') throw error
        },
      )
      while (ended === null) {
        const now = readInstance(dataDir).services.find((service) => service.name === name)?.process?.pid
        if (now !== undefined && now !== before && (await readFile(log, 'utf8')).includes(logLine, from)) {
          ended = 'killed'
          process.kill(now, 'SIGKILL')
        } else await sleep(2)
      }
      await starting
      return ended === 'killed'
    },
  }
}

function targetOf({ address }: Running) {
  const { hostname, port } = new URL(`tcp://${address}`)
  return { host: hostname, port: Number(port) }
}

const WORKER_MAIN = createRequire(import.meta.url).resolve('@treeos/worker/main')

/**
 * Keeps the compiled sources of the worker's program in a folder, for workers with that NODE_COMPILE_CACHE. A process keeps what
 * it compiled when it exits, so a worker that is killed keeps nothing. This one exits since it has no database.
 */
export async function compileWorker(folder: string): Promise<void> {
  const env = { ...process.env, DATABASE_URL: '', NODE_COMPILE_CACHE: folder }
  await once(spawn(process.execPath, [WORKER_MAIN], { env, stdio: 'ignore' }), 'exit')
}

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

  constructor(logFile: string, env: NodeJS.ProcessEnv) {
    this.#logFile = logFile
    const log = openSync(logFile, 'a')
    this.#child = spawn(process.execPath, [WORKER_MAIN], { env, stdio: ['ignore', 'pipe', log] })
    closeSync(log)
    this.ended = once(this.#child, 'exit').then(([code, signal]) => signal ?? code)
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
