import { realpathSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { POSTGRES_URL_FORM } from '@treeos/postgres'
import { openInstance, recordService } from '../instance/instance.ts'
import { LocalError, messageOf } from '../machine/error.ts'
import { acquireLock } from '../machine/lock.ts'
import { findBinaries } from './binaries.ts'
import { makeCluster, passwordIn, USER } from './cluster.ts'
import { makeLogin, PEOPLE, PORTAL, SEQUENCER, SIGNALS, WORKER } from './logins.ts'
import { clusterHome, serverOwner } from './owner.ts'
import { createDatabase, query, serve, stopServer, urlOf } from './server.ts'

export interface PostgresOptions {
  /** The instance's folder. */
  dataDir: string
  /** A port that has to be used; a free one otherwise, the last one if possible. */
  port?: number | undefined
  onProgress?: (line: string) => void
  env?: NodeJS.ProcessEnv
}

export interface Postgres {
  /** With the password, of the role that owns our tables: for migrations. Never log it. */
  url: string
  /** With the password, of a role that owns nothing when the server is ours: for workers. Never log it. */
  workerUrl: string
  /**
   * With the password, of a role that owns nothing when the server is ours: for commands, which act for
   * persons. Never log it.
   */
  peopleUrl: string
  /**
   * With the password, of the role of acts by signal; null for a server that is not ours, unless
   * TREEOS_SIGNALS_DATABASE_URL names it. Never log it.
   */
  signalsUrl: string | null
  /**
   * With the password, of the role of the portal; null for a server that is not ours, unless
   * TREEOS_PORTAL_DATABASE_URL names it. Never log it.
   */
  portalUrl: string | null
  /**
   * With the password, of the role of the sequencer; null for a server that is not ours, unless
   * TREEOS_SEQUENCER_DATABASE_URL names it. Never log it.
   */
  sequencerUrl: string | null
  /** Null for a server that is not ours. */
  pid: number | null
  /** True when it ran before this call. */
  reused: boolean
  /** Ends our server, open connections included; nothing for one that is not ours. */
  stop(): Promise<void>
}

const NAME = 'postgres'
const DATABASE = 'treeos'
const WAIT_MS = 120_000 // a first start creates a cluster; a start after a crash recovers

/**
 * The database of an instance: DATABASE_URL (and TREEOS_OWNER_DATABASE_URL for its owner), else a server
 * under `dataDir`, which runs on when this process ends. A server that still runs there is reused; after a
 * kill it recovers.
 * @throws LocalError, PortTakenError
 */
export async function ensurePostgres(options: PostgresOptions): Promise<Postgres> {
  const { env = process.env, onProgress = () => {} } = options
  const dataDir = resolve(options.dataDir)
  openInstance(dataDir)
  if (env.DATABASE_URL) return useExternal(dataDir, env.DATABASE_URL, env)
  const lock = await acquireLock(join(dataDir, 'postgres.lock'), {
    waitMs: WAIT_MS,
    onWait: ({ pid }) => onProgress(`process ${pid} is starting Postgres for this instance`),
  })
  try {
    return await start(dataDir, options.port, onProgress)
  } finally {
    lock.release()
  }
}

async function useExternal(dataDir: string, url: string, env: NodeJS.ProcessEnv): Promise<Postgres> {
  const ownerUrl = env.TREEOS_OWNER_DATABASE_URL ?? url
  for (const [name, given] of [
    ['DATABASE_URL', url],
    ['TREEOS_OWNER_DATABASE_URL', ownerUrl],
  ] as const)
    await requireAnswer(name, given)
  // Not asked whether it answers: its role may be made by the migrations that follow.
  const portalUrl = env.TREEOS_PORTAL_DATABASE_URL || null
  const sequencerUrl = env.TREEOS_SEQUENCER_DATABASE_URL || null
  const signalsUrl = env.TREEOS_SIGNALS_DATABASE_URL || null
  const peopleUrl = env.TREEOS_PEOPLE_DATABASE_URL || ownerUrl
  const { host, pathname } = new URL(url)
  await recordService(dataDir, { name: NAME, process: null, address: `${host}${pathname}` })
  const urls = { url: ownerUrl, workerUrl: url, peopleUrl, signalsUrl, portalUrl, sequencerUrl }
  return { ...urls, pid: null, reused: true, stop: async () => {} }
}

async function requireAnswer(name: string, url: string): Promise<void> {
  if (!URL.canParse(url)) throw new LocalError(`${name} is not a URL: ${POSTGRES_URL_FORM}`)
  const { host, pathname } = new URL(url)
  try {
    await query(url, 'select 1')
  } catch (error) {
    throw new LocalError(
      `${name} names ${host}${pathname}, which does not answer: ${messageOf(error)}. ` +
        'Start that server, correct the variable, or unset it to use the one TreeOS brings along',
      { cause: error },
    )
  }
}

async function start(
  dataDir: string,
  port: number | undefined,
  onProgress: (line: string) => void,
): Promise<Postgres> {
  const runsAs = serverOwner(onProgress)
  const instanceHome = join(dataDir, NAME)
  const home = realpathSync(clusterHome(instanceHome, runsAs, onProgress))
  const password = passwordIn(instanceHome)
  const binaries = await findBinaries(runsAs, onProgress)
  const data = await makeCluster(home, binaries, password, runsAs)
  const { server, reused } = await serve({
    dataDir,
    data,
    binaries,
    owner: runsAs,
    password,
    port,
    onProgress,
  })
  const owner = { login: USER, password }
  await createDatabase(urlOf(owner, server, 'postgres'), DATABASE)
  const url = urlOf(owner, server, DATABASE)
  return {
    url,
    workerUrl: await makeLogin(url, instanceHome, WORKER),
    peopleUrl: await makeLogin(url, instanceHome, PEOPLE),
    signalsUrl: await makeLogin(url, instanceHome, SIGNALS),
    portalUrl: await makeLogin(url, instanceHome, PORTAL),
    sequencerUrl: await makeLogin(url, instanceHome, SEQUENCER),
    pid: server.process.pid,
    reused,
    stop: () => stopServer(dataDir, server),
  }
}
