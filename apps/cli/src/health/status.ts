import { type StandardFor, standardBudgets } from '@treeos/client/records'
import type { Budget } from '@treeos/core'
import {
  type Beat,
  isAlive,
  keeperOf,
  locatePostgres,
  type ModelCalls,
  type Moments,
  metricsOf,
  namesTemporal,
  PORTAL,
  readInstance,
  readVitals,
  runningWorkers,
  type Service,
  serviceOf,
  type WakeLimit,
  wakeLimit,
  withoutSecrets,
} from '@treeos/local'
import { type ExtensionVersionsView, listExtensionVersions } from '@treeos/reality'
import {
  countPaced,
  countParked,
  findLastRestore,
  findReality,
  listWorkers,
  measureInboxes,
  measurePeoplesInboxes,
  type NotedRestore,
  openDatabase,
  type Reality,
  type StoreDb,
  type WaitingWakes,
} from '@treeos/store'
import { type Kysely, sql } from 'kysely'
import { isAway } from './away-extensions.ts'
import { type CheckpointStatus, readCheckpointStatus } from './checkpoints.ts'
import { readWaiting } from './migrations.ts'
import { readToolServers, type ServerState } from './tools.ts'
import { readWitnessStatus, type WitnessStatus } from './witnesses.ts'

interface Mind {
  readonly model: string
  readonly baseUrl: string
}

/** What runs, and where; null where nothing runs. Holds no secrets. */
export interface Status {
  readonly temporal: {
    readonly address: string | null
    readonly namespace: string | null
    readonly ui: string | null
    /** it answers callers without a credential; null while no worker has found out */
    readonly open: boolean | null
    /** persons may act by the signal `act`, as from Temporal's UI; null while no worker runs */
    readonly actSignal: boolean | null
  }
  readonly postgres: { readonly url: string | null }
  readonly portal: { readonly url: string | null }
  /** what was signed last of all facts and moments; null where nothing was */
  readonly checkpoint: CheckpointStatus | null
  /** null where the signer asks no witnesses */
  readonly witnesses: WitnessStatus | null
  /**
   * the process that starts again what ends: a foreground `treeos up`, or the supervisor of a detached one
   */
  readonly supervisor: { readonly pid: number | null }
  readonly worker: {
    readonly running: boolean
    /** workers that live, wherever they run, own ones too; null while Postgres does not tell */
    readonly living: number | null
    readonly pids: readonly number[]
    /** where Prometheus reads them */
    readonly metrics: readonly string[]
    /** those of them that did not answer now */
    readonly silent: readonly string[]
  }
  /** what the tool servers of each worker do, by name; of the first worker that has them */
  readonly tools: Readonly<Record<string, ServerState>>
  readonly mind: Mind | null
  /** the models by the names that beings have in `llm.connection` */
  readonly connections: Readonly<Record<string, Mind>>
  readonly reality: { readonly name: string | null; readonly timeZone: string | null }
  /** since the running workers started, all together; null when none of them answers */
  readonly moments: Moments | null
  readonly models: ModelCalls | null
  readonly slowestBeat: Beat | null
  /**
   * what workers have to do, in the whole reality, whether or not a worker runs; without a median and
   * priorities where Postgres did not tell, and a worker did
   */
  readonly wakes: (Pick<WaitingWakes, 'waiting' | 'oldestSeconds'> & Partial<WaitingWakes>) | null
  /** what keeps wakes waiting; null where none has waited for long, or nothing tells */
  readonly limit: WakeLimit | null
  /** what waits for people; null while Postgres does not answer */
  readonly inbox: PeoplesInbox | null
  /** what each being without a budget of its own may use; null while Postgres does not answer */
  readonly budgets: Readonly<Record<StandardFor, Partial<Budget>>> | null
  /** beings that a budget has parked, until somebody approves; null while Postgres does not answer */
  readonly parked: number | null
  /** how many of `wakes` wait for a budget of moments a minute; null while Postgres does not answer */
  readonly paced: number | null
  /** migrations of this version that the database has not had; null where nothing tells */
  readonly migrations: readonly string[] | null
  /** extensions whose current version no living worker has loaded; null while Postgres does not answer */
  readonly awaited: readonly ExtensionVersionsView[] | null
  /** the last restore of Postgres that was noticed or told; null for none, or while Postgres does not answer */
  readonly restored: NotedRestore | null
  /** what people are to be told by webhooks and e-mail; null where no portal keeps any */
  readonly outlets: Outlets | null
}

/** Deliveries of all outlets. */
export interface Outlets {
  /** that failed, and are tried again */
  readonly late: number
  /** that were given up: `treeos outlet list` says why */
  readonly dead: number
}

export interface PeoplesInbox {
  /** questions and answers */
  readonly waiting: number
  /** notices, counting each of equal ones */
  readonly notices: number
  readonly oldestSeconds: number
}

export async function readStatus(dataDir: string, env: NodeJS.ProcessEnv = process.env): Promise<Status> {
  const workers = runningWorkers(dataDir)
  const detail = workers.find((worker) => worker.detail?.model != null)?.detail
  const metrics = metricsOf(dataDir).map(({ url }) => url)
  const postgresUrl = runningPostgres(dataDir, env)
  const [{ vitals, silent }, tools, stored, migrations] = await Promise.all([
    readVitals(metrics),
    readToolServers(metrics),
    postgresUrl === null ? NOTHING_STORED : readStored(postgresUrl),
    postgresUrl === null ? null : readWaiting(dataDir, env),
  ])
  const { model, baseUrl } = detail ?? {}
  const wakes = stored.wakes ?? vitals?.wakes ?? null
  return {
    temporal: { ...temporalOf(dataDir, env), ...guardOf(workers) },
    postgres: { url: postgresUrl === null ? null : withoutSecrets(postgresUrl) },
    portal: { url: portalOf(dataDir) },
    checkpoint: readCheckpointStatus(dataDir),
    witnesses: readWitnessStatus(dataDir),
    supervisor: { pid: keeperOf(dataDir) },
    worker: {
      running: workers.length > 0 || (stored.living ?? 0) > 0,
      living: stored.living,
      pids: workers.map((worker) => worker.process.pid),
      metrics,
      silent,
    },
    tools,
    mind: model == null || baseUrl == null ? null : { model, baseUrl },
    connections: connectionsOf(workers.find((worker) => worker.detail?.connections != null)),
    reality: { name: stored.reality?.name ?? null, timeZone: stored.reality?.timeZone ?? null },
    moments: vitals?.moments ?? null,
    models: vitals?.models ?? null,
    slowestBeat: vitals?.slowestBeat ?? null,
    wakes,
    limit: wakeLimit({ ...stored, wakes, load: vitals?.load ?? null }),
    inbox: stored.inbox,
    budgets: stored.budgets,
    parked: stored.parked,
    paced: stored.paced,
    migrations,
    awaited: stored.awaited,
    restored: stored.restored,
    outlets: stored.outlets,
  }
}

const connectionsOf = (worker: Service | undefined): Record<string, Mind> =>
  worker?.detail?.connections == null ? {} : (JSON.parse(worker.detail.connections) as Record<string, Mind>)

function guardOf(workers: readonly Service[]): Pick<Status['temporal'], 'open' | 'actSignal'> {
  const said = (name: string) => {
    const values = workers.flatMap(({ detail }) => detail?.[name] ?? [])
    return values.length === 0 ? null : values.includes('true')
  }
  return { open: said('temporalOpen'), actSignal: said('actSignal') }
}

function temporalOf(
  dataDir: string,
  env: NodeJS.ProcessEnv,
): Pick<Status['temporal'], 'address' | 'namespace' | 'ui'> {
  const service = serviceOf(readInstance(dataDir), 'temporal')
  if (service !== null && isAlive(service)) {
    const { namespace = null, ui = null } = service.detail ?? {}
    return { address: service.address, namespace, ui }
  }
  if (!namesTemporal(env)) return { address: null, namespace: null, ui: null }
  return { address: env.TEMPORAL_ADDRESS || null, namespace: env.TEMPORAL_NAMESPACE || null, ui: null }
}

function portalOf(dataDir: string): string | null {
  const portal = serviceOf(readInstance(dataDir), PORTAL)
  return portal !== null && isAlive(portal) ? (portal.detail?.url ?? null) : null
}

function runningPostgres(dataDir: string, env: NodeJS.ProcessEnv): string | null {
  try {
    return locatePostgres(dataDir, env).peopleUrl
  } catch {
    return null // it does not run
  }
}

interface StoredState {
  readonly reality: Reality | null
  readonly wakes: WaitingWakes | null
  readonly inbox: PeoplesInbox | null
  readonly budgets: Status['budgets']
  readonly parked: number | null
  readonly paced: number | null
  readonly living: number | null
  readonly awaited: Status['awaited']
  readonly restored: NotedRestore | null
  readonly outlets: Outlets | null
}
/** For a Postgres that does not answer, or holds no reality yet. */
const NOTHING_STORED: StoredState = {
  reality: null,
  wakes: null,
  inbox: null,
  budgets: null,
  parked: null,
  paced: null,
  living: null,
  awaited: null,
  restored: null,
  outlets: null,
}

/** An instance without a portal has no such table. */
const readOutlets = (db: Kysely<StoreDb>): Promise<Outlets | null> =>
  sql<{ late: string; dead: string }>`select late, dead from portal.delivery_state()`.execute(db).then(
    ({ rows: [found] }) => ({ late: Number(found?.late ?? 0), dead: Number(found?.dead ?? 0) }),
    () => null,
  )

/** Without a living worker all of them are away, which another line says. */
async function listAwaited(at: { readonly db: Kysely<StoreDb>; readonly reality: Reality }) {
  if ((await listWorkers(at.db)).length === 0) return []
  return (await listExtensionVersions(at)).filter(isAway)
}

async function readStored(url: string): Promise<StoredState> {
  const db = openDatabase(url, { role: 'treeos_people', poolMax: 1 })
  try {
    const reality = await findReality(db)
    if (reality === null) return NOTHING_STORED
    return {
      reality,
      wakes: await measureInboxes(db),
      inbox: await measurePeoplesInboxes(db),
      budgets: await standardBudgets({ db, reality }),
      parked: await countParked(db),
      paced: await countPaced(db),
      living: (await listWorkers(db)).length,
      awaited: await listAwaited({ db, reality }),
      restored: await findLastRestore(db),
      outlets: await readOutlets(db),
    }
  } catch {
    return NOTHING_STORED
  } finally {
    await db.destroy()
  }
}

/** What wakes wait for that are counted. */
export function describePaced(waiting: number, paced: number): string {
  if (paced === 0) return ''
  return paced < waiting
    ? `, ${paced} of them for a budget of moments a minute`
    : ' for a budget of moments a minute'
}

/** What keeps wakes waiting, and what would help. */
export const LIMITS: Readonly<Record<WakeLimit, string>> = {
  workers: 'no worker lives',
  budgets: 'budgets of moments a minute',
  processors: 'the processor: a worker has no time left, so another core and one more worker would help',
  postgres: 'Postgres: workers have time, and their steps wait for it',
  minds: 'minds: workers have time, and beings wait for their models',
}

export const describeParked = (parked: number): string =>
  `${parked} ${parked === 1 ? 'being is' : 'beings are'} parked by a budget`
