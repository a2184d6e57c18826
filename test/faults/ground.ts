/** Services that only one run uses, so it may kill them. */
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { workflowBundle } from '@treeos/host'
import {
  configFileOf,
  ensurePostgres,
  ensureTemporal,
  removeInstance,
  stopInstance,
  type Temporal,
} from '@treeos/local'
import { SEARCH_ATTRIBUTES } from '@treeos/protocol'
import { bundleForReplay } from '@treeos/replay'
import { Clock, restartUnder } from './clocks.ts'
import { Disk } from './disks.ts'
import { type FaultProxy, tcpTarget } from './proxy.ts'
import { type Server, serverOf } from './server.ts'
import { compileWorker, WorkerProcess } from './worker-process.ts'

export type Say = (line: string) => void

export interface Ground {
  readonly postgres: Server
  readonly temporal: Server
  /** as the owner, with credentials, through the given proxy */
  postgresUrl(proxy: FaultProxy, database: string): string
  /** credential of Temporal; the address is a proxy's */
  readonly temporalOptions: Temporal['options']
  /** as the role of workers, which owns nothing */
  workerUrl(proxy: FaultProxy, database: string): string
  peopleUrl(proxy: FaultProxy, database: string): string
  /** as the role of acts by signal; null where the server has none */
  signalsUrl(proxy: FaultProxy, database: string): string | null
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

function tcpAddress(url: string): string {
  const { host, port } = tcpTarget(url)
  return `${host}:${port}`
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
  const workers = new Set<WorkerProcess>()
  const servers = {
    postgres: await serverOf(
      'postgres',
      dataDir,
      { address: tcpAddress(postgres.url), pid: postgres.pid },
      async () => {
        const { url, pid } = await startPostgres()
        return { address: tcpAddress(url), pid }
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
    peopleUrl: (proxy, database) => urlOf(postgres.peopleUrl, proxy, database),
    workerUrl: (proxy, database) => urlOf(postgres.workerUrl, proxy, database),
    signalsUrl: (proxy, database) =>
      postgres.signalsUrl === null ? null : urlOf(postgres.signalsUrl, proxy, database),
    startWorker(extra) {
      const { OPENAI_API_KEY: _, ...inherited } = env
      const worker = new WorkerProcess(workerLog, {
        ...inherited,
        TZ: 'UTC',
        TREEOS_LOG: 'warn',
        TREEOS_TEST_BUILD: '1',
        NODE_COMPILE_CACHE: compiled,
        TREEOS_WORKFLOW_BUNDLE: bundlePath,
        // the rest, such as the key, is in the instance's file
        TEMPORAL_ADDRESS: servers.temporal.proxy.address,
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
