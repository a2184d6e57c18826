import { openDatabase, readReality } from '@treeos/chain'
import { readInstance } from '@treeos/local'
import {
  isAlive,
  locatePostgres,
  namesTemporal,
  runningWorkers,
  serviceOf,
  withoutSecrets,
} from './instance.ts'
import { table } from './output.ts'

/** What runs, and where. Null where nothing does; no secrets. */
export interface Status {
  readonly temporal: {
    readonly address: string | null
    readonly namespace: string | null
    readonly ui: string | null
  }
  readonly postgres: { readonly url: string | null }
  readonly portal: { readonly url: string | null }
  readonly worker: { readonly running: boolean; readonly pids: readonly number[] }
  readonly mind: { readonly model: string; readonly baseUrl: string } | null
  readonly reality: { readonly name: string | null; readonly timeZone: string | null }
}

export async function readStatus(dataDir: string, env: NodeJS.ProcessEnv = process.env): Promise<Status> {
  const workers = runningWorkers(dataDir)
  const detail = workers.find((worker) => worker.detail?.model != null)?.detail
  const postgresUrl = runningPostgres(dataDir, env)
  const reality = postgresUrl === null ? null : await realityOf(postgresUrl)
  const { model, baseUrl } = detail ?? {}
  return {
    temporal: temporalOf(dataDir, env),
    postgres: { url: postgresUrl === null ? null : withoutSecrets(postgresUrl) },
    portal: { url: null },
    worker: { running: workers.length > 0, pids: workers.map((worker) => worker.process.pid) },
    mind: model == null || baseUrl == null ? null : { model, baseUrl },
    reality: { name: reality?.name ?? null, timeZone: reality?.timeZone ?? null },
  }
}

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
    return null // it does not run: that is what is told
  }
}

async function realityOf(url: string) {
  const db = openDatabase(url, { poolMax: 1 })
  try {
    return await readReality(db)
  } catch {
    return null // it does not answer, or holds none yet
  } finally {
    await db.destroy()
  }
}

export function describeStatus(status: Status, dataDir: string): string {
  const { temporal, postgres, worker, mind, reality } = status
  const pids = worker.pids.length === 1 ? 'process' : 'processes'
  return table(
    [
      ['reality', reality.name === null ? 'none reached' : `${reality.name}, time in ${reality.timeZone}`],
      ['Temporal', temporal.address ?? 'not running'],
      ...(temporal.ui === null ? [] : [['Temporal UI', temporal.ui]]),
      ['Postgres', postgres.url ?? 'not running'],
      ['worker', worker.running ? `${pids} ${worker.pids.join(', ')}` : 'not running'],
      ['mind', mind === null ? 'none connected' : `${mind.model} at ${mind.baseUrl}`],
      ['state', dataDir],
    ],
    '  ',
  )
}
