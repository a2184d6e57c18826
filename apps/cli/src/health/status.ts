import { countParked, measureInboxes, openDatabase, type Reality, readReality } from '@treeos/chain'
import { readInstance, type Service } from '@treeos/local'
import {
  isAlive,
  keeperOf,
  locatePostgres,
  metricsOf,
  namesTemporal,
  runningWorkers,
  serviceOf,
  withoutSecrets,
} from '../instance/instance.ts'
import { duration, table } from '../text/output.ts'
import { type Beat, type Inbox, type ModelCalls, type Moments, readVitals } from './vitals.ts'

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
  }
  readonly postgres: { readonly url: string | null }
  readonly portal: { readonly url: string | null }
  /** the process that starts again what ends: a foreground `treeos up`, or the supervisor of a detached one */
  readonly supervisor: { readonly pid: number | null }
  readonly worker: {
    readonly running: boolean
    readonly pids: readonly number[]
    /** where Prometheus reads them */
    readonly metrics: readonly string[]
    /** those of them that did not answer now */
    readonly silent: readonly string[]
  }
  readonly mind: Mind | null
  /** the models by the names that beings have in `llm.connection` */
  readonly connections: Readonly<Record<string, Mind>>
  readonly reality: { readonly name: string | null; readonly timeZone: string | null }
  /** since the running workers started, all together; null when none of them answers */
  readonly moments: Moments | null
  readonly models: ModelCalls | null
  readonly slowestBeat: Beat | null
  /** of the whole reality, whether or not a worker runs */
  readonly inbox: Inbox | null
  /** beings that a budget has parked, until somebody approves; null while Postgres does not answer */
  readonly parked: number | null
}

export async function readStatus(dataDir: string, env: NodeJS.ProcessEnv = process.env): Promise<Status> {
  const workers = runningWorkers(dataDir)
  const detail = workers.find((worker) => worker.detail?.model != null)?.detail
  const metrics = metricsOf(dataDir).map(({ url }) => url)
  const postgresUrl = runningPostgres(dataDir, env)
  const [{ vitals, silent }, stored] = await Promise.all([
    readVitals(metrics),
    postgresUrl === null ? NOTHING_STORED : readStored(postgresUrl),
  ])
  const { model, baseUrl } = detail ?? {}
  return {
    temporal: temporalOf(dataDir, env),
    postgres: { url: postgresUrl === null ? null : withoutSecrets(postgresUrl) },
    portal: { url: null },
    supervisor: { pid: keeperOf(dataDir) },
    worker: {
      running: workers.length > 0,
      pids: workers.map((worker) => worker.process.pid),
      metrics,
      silent,
    },
    mind: model == null || baseUrl == null ? null : { model, baseUrl },
    connections: connectionsOf(workers.find((worker) => worker.detail?.connections != null)),
    reality: { name: stored.reality?.name ?? null, timeZone: stored.reality?.timeZone ?? null },
    moments: vitals?.moments ?? null,
    models: vitals?.models ?? null,
    slowestBeat: vitals?.slowestBeat ?? null,
    inbox: vitals?.inbox ?? stored.inbox,
    parked: stored.parked,
  }
}

const connectionsOf = (worker: Service | undefined): Record<string, Mind> =>
  worker?.detail?.connections == null ? {} : (JSON.parse(worker.detail.connections) as Record<string, Mind>)

function temporalOf(dataDir: string, env: NodeJS.ProcessEnv): Status['temporal'] {
  const service = serviceOf(readInstance(dataDir), 'temporal')
  if (service !== null && isAlive(service)) {
    const { namespace = null, ui = null } = service.detail ?? {}
    return { address: service.address, namespace, ui }
  }
  if (!namesTemporal(env)) return { address: null, namespace: null, ui: null }
  return { address: env.TEMPORAL_ADDRESS || null, namespace: env.TEMPORAL_NAMESPACE || null, ui: null }
}

function runningPostgres(dataDir: string, env: NodeJS.ProcessEnv): string | null {
  try {
    return locatePostgres(dataDir, env).url
  } catch {
    return null // it does not run
  }
}

interface Stored {
  readonly reality: Reality | null
  readonly inbox: Inbox | null
  readonly parked: number | null
}
/** For a Postgres that does not answer, or holds no reality yet. */
const NOTHING_STORED: Stored = { reality: null, inbox: null, parked: null }

async function readStored(url: string): Promise<Stored> {
  const db = openDatabase(url, { poolMax: 1 })
  try {
    const reality = await readReality(db)
    if (reality === null) return NOTHING_STORED
    return { reality, inbox: await measureInboxes(db), parked: await countParked(db) }
  } catch {
    return NOTHING_STORED
  } finally {
    await db.destroy()
  }
}

export function describeStatus(status: Status, dataDir: string): string {
  const { temporal, postgres, supervisor, worker, mind, connections, reality, inbox, parked } = status
  const pids = worker.pids.length === 1 ? 'process' : 'processes'
  return table(
    [
      ['reality', reality.name === null ? 'none reached' : `${reality.name}, time in ${reality.timeZone}`],
      ['Temporal', temporal.address ?? 'not running'],
      ...(temporal.ui === null ? [] : [['Temporal UI', temporal.ui]]),
      ['Postgres', postgres.url ?? 'not running'],
      ['worker', worker.running ? `${pids} ${worker.pids.join(', ')}` : 'not running'],
      ...(supervisor.pid === null ? [] : [['kept up by', `process ${supervisor.pid}`]]),
      ...worker.metrics.map((url) => [
        'metrics',
        worker.silent.includes(url) ? `${url} does not answer` : url,
      ]),
      ['mind', mind === null ? 'none connected' : `${mind.model} at ${mind.baseUrl}`],
      ...Object.entries(connections).map(([name, { model, baseUrl }]) => [
        `mind ${name}`,
        `${model} at ${baseUrl}`,
      ]),
      ...(inbox === null ? [] : [['inbox', describeInbox(inbox)]]),
      ...(parked ? [['budgets', describeParked(parked)]] : []),
      ...describeWork(status),
      ['state', dataDir],
    ],
    '  ',
  )
}

export const describeParked = (parked: number): string =>
  `${parked} ${parked === 1 ? 'being is' : 'beings are'} parked by a budget`

function describeInbox({ waiting, oldestSeconds }: Inbox): string {
  if (waiting === 0) return 'nothing waits'
  return `${waiting} ${waiting === 1 ? 'wake waits' : 'wakes wait'}, the oldest for ${duration(oldestSeconds)}`
}

/** What workers have done since they started. Zero counts are left out. */
function describeWork({ moments, models, slowestBeat }: Status): string[][] {
  const lines: string[][] = []
  if (moments !== null) {
    const { act, see, failure, skipped, reasons } = moments
    const total = act + see + failure + skipped
    const kinds = listed({ act, see, failure, skipped })
    const why = listed(reasons)
    const told = `${total} since the start: ${kinds}${why === '' ? '' : ` (${why})`}`
    lines.push(['moments', total === 0 ? 'none since the start' : told])
  }
  if (models !== null && models.calls > 0) {
    const { calls, failures, lost, promptTokens, completionTokens } = models
    const wrong = listed({ failed: failures, lost })
    lines.push([
      'model',
      `${calls} calls${wrong === '' ? '' : ` (${wrong})`}, ${promptTokens} tokens in, ${completionTokens} out`,
    ])
  }
  if (slowestBeat !== null) {
    const { name, meanSeconds, p95Seconds } = slowestBeat
    lines.push([
      'slowest',
      `${name}, ${duration(meanSeconds)} on average, 95 % within ${duration(p95Seconds)}`,
    ])
  }
  return lines
}

/** `3 act, 1 see`: zero counts are left out. */
const listed = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ')
