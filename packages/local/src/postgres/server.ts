import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { escapeIdentifier, ProvingClient, type QueryResult } from '@treeos/postgres'
import { forgetService, readInstance, recordService } from '../instance/instance.ts'
import { LocalError, messageOf, systemCode } from '../machine/error.ts'
import { freePort, PortTakenError } from '../machine/ports.ts'
import { isRunning, logSize, type Process, spawnDetached, tail, terminate } from '../machine/process.ts'
import { serverEnvironment } from '../machine/server-environment.ts'
import type { Binaries } from './binaries.ts'
import { runningPostmaster, socketFolderOf, USER } from './cluster.ts'
import type { Owner } from './owner.ts'

export interface Server {
  process: Process
  port: number
  /** where its Unix socket is; null when its programs reach it by its port */
  socketFolder: string | null
}

interface ClusterToServe {
  dataDir: string
  /** The cluster. */
  data: string
  binaries: Binaries
  owner: Owner | null
  password: string
  port: number | undefined
  onProgress: (line: string) => void
}

const NAME = 'postgres'
const HOST = '127.0.0.1'
const READY_MS = 60_000 // recovery after a crash reads the log of the last minutes
const STOP_SIGNAL = 'SIGINT' // "fast": SIGTERM would wait for the last client to leave
const ATTEMPTS_MAX = 10
const POLL_MS = 25

/** How to log in to a server of ours: by its Unix socket, which proves it, else on loopback. */
export function urlOf(
  { login, password }: { login: string; password: string },
  { port, socketFolder }: Pick<Server, 'port' | 'socketFolder'>,
  database: string,
): string {
  const host = socketFolder === null ? HOST : encodeURIComponent(socketFolder)
  return `postgres://${login}:${password}@${host}:${port}/${database}`
}

/** The server that runs on these data, or a new one. Returns when the port is bound and recovery is over. */
export async function serve(how: ClusterToServe): Promise<{ server: Server; reused: boolean }> {
  const running = runningPostmaster(how.data)
  if (running !== null) {
    if (how.port !== undefined && running.port !== how.port) {
      const which = `Postgres of ${how.dataDir} runs on port ${running.port}, not ${how.port}`
      throw new LocalError(`${which}: stop the instance first`)
    }
    await record(how.dataDir, running)
    if (await isReady(running, how)) return { server: running, reused: true }
  }
  return { server: await launch(how), reused: false }
}

/**
 * Starts the server. Tries again while a child of a killed server, or another process on the port, is in the
 * way.
 */
async function launch(how: ClusterToServe): Promise<Server> {
  const { dataDir, data, onProgress } = how
  const logFile = join(dataDir, 'postgres.log')
  const socketFolder = socketFolderOf(data)
  if (socketFolder === null)
    onProgress(`${data} is too long a path for a Unix socket: Postgres is reached by its port instead`)
  let preferred = readInstance(dataDir).ports[NAME]
  for (let attempt = 1; ; attempt++) {
    const port = await freePort('Postgres', { wanted: how.port, preferred })
    const from = logSize(logFile)
    onProgress(`starting Postgres on port ${port}`)
    const settings = [`port=${port}`, `listen_addresses=${HOST}`, 'unix_socket_permissions=0700']
    settings.push(
      `unix_socket_directories=${socketFolder === null ? '' : `"${socketFolder.replaceAll('"', '""')}"`}`,
    )
    settings.push('synchronous_commit=on', 'max_connections=200', 'timezone=UTC', 'log_timezone=UTC')
    // whole pages, of which the first changes after each checkpoint write many
    settings.push('wal_compression=on')
    // for a solid-state disk: with 4, small tables are read as a whole, whatever is sought
    settings.push('random_page_cost=1.1')
    const started = await spawnDetached({
      command: how.binaries.postgres,
      args: ['-D', data, ...settings.flatMap((setting) => ['-c', setting])],
      logFile,
      cwd: data,
      env: { ...serverEnvironment(), LC_ALL: 'C' },
      ...how.owner,
    })
    const server = { process: started, port, socketFolder }
    await record(dataDir, server)
    if (await isReady(server, how)) return server
    await forgetService(dataDir, NAME, started)
    const log = tail(logFile, { from })
    const isTaken = log.includes('Address already in use')
    if (isTaken && how.port !== undefined) throw new PortTakenError(port, 'Postgres')
    if (isTaken) preferred = undefined // otherwise keep the port: running workers know this one
    const mayPass = isTaken || /pre-existing shared memory block|lock file .* already exists/.test(log)
    if (!mayPass || attempt === ATTEMPTS_MAX) {
      throw new LocalError(`Postgres does not start. The end of ${logFile}:\n${log}`)
    }
    await sleep(500)
  }
}

/** @returns false when the process ended instead */
async function isReady(server: Server, { password, dataDir }: ClusterToServe): Promise<boolean> {
  const url = urlOf({ login: USER, password }, server, 'postgres')
  for (const until = Date.now() + READY_MS; ; await sleep(POLL_MS)) {
    try {
      await query(url, 'select 1')
      if (isRunning(server.process)) return true // otherwise another server answered
    } catch (error) {
      if (systemCode(error) === '28P01') {
        const file = join(dataDir, NAME, 'password')
        throw new LocalError(`Postgres on port ${server.port} refuses the password in ${file}`, {
          cause: error,
        })
      }
      if (isRunning(server.process) && Date.now() > until) {
        const log = `${join(dataDir, 'postgres.log')}:\n${tail(join(dataDir, 'postgres.log'))}`
        const late = `Postgres does not answer within ${READY_MS / 1000} s (${messageOf(error)})`
        throw new LocalError(`${late}. The end of ${log}`, { cause: error })
      }
    }
    if (!isRunning(server.process)) return false
  }
}

export async function stopServer(dataDir: string, { process }: Server): Promise<void> {
  await terminate(process, { signal: STOP_SIGNAL })
  await forgetService(dataDir, NAME, process)
}

/** @param url of another database on that server */
export async function createDatabase(url: string, name: string): Promise<void> {
  const { rows } = await query(url, 'select 1 from pg_database where datname = $1', [name])
  if (rows.length === 0) await query(url, `create database ${escapeIdentifier(name)}`)
}

/** One statement over a connection of its own. */
export async function query(url: string, text: string, values: unknown[] = []): Promise<QueryResult> {
  const client = new ProvingClient({ connectionString: url, connectionTimeoutMillis: 5_000 })
  // pg emits an event for a connection lost between statements. Without a listener it ends the process. A
  // running statement rejects too, so the event can be ignored.
  client.on('error', () => {})
  try {
    await client.connect()
    return await client.query(text, values)
  } finally {
    await client.end()
  }
}

async function record(dataDir: string, { process, port, socketFolder }: Server): Promise<void> {
  const service = { name: NAME, process, address: `${HOST}:${port}`, stopSignal: STOP_SIGNAL } as const
  await recordService(dataDir, { ...service, detail: { socketFolder } }, { [NAME]: port })
}
