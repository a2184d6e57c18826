import { chmodSync, mkdtempSync, readdirSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensurePostgres, ensureTemporal, type Postgres, removeInstance, type Temporal } from '@treeos/local'
import { SEARCH_ATTRIBUTES } from '@treeos/protocol'
import pg from 'pg'

/** Real services for one run. */
export interface Services {
  readonly temporal: Temporal
  readonly postgres: Postgres
  /** size of the files that the Temporal of this run keeps; null for a Temporal of one's own */
  bytesOfTemporal(): number | null
  /** the SQLite file of the Temporal of this run; null for a Temporal of one's own */
  fileOfTemporal(): string | null
  /** creates an empty database that is dropped after the run */
  createDatabase(name: string): Promise<string>
  /** the URL of a database of this run as workers log in, who own nothing */
  asWorker(databaseUrl: string): string
  /** registers work for before the services stop; the last one runs first */
  atEnd(cleanUp: () => Promise<unknown>): void
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Runs a benchmark on its own Temporal and Postgres in a temporary folder, unless TEMPORAL_ADDRESS or
 * DATABASE_URL name others. At the end, also after a signal, it stops exactly the services that it started
 * and removes their files.
 */
export async function withServices<T>(
  onProgress: (line: string) => void,
  run: (services: Services) => Promise<T>,
): Promise<T> {
  const dataDir = mkdtempSync(join(tmpdir(), 'treeos-bench-'))
  chmodSync(dataDir, 0o711) // a Postgres that runs as another user must reach it
  const cleanUps: (() => Promise<unknown>)[] = []
  try {
    return await Promise.race([start(dataDir, onProgress, cleanUps).then(run), interruption()])
  } finally {
    for (const cleanUp of cleanUps.toReversed()) await cleanUp()
    await removeInstance(dataDir)
  }
}

/** Rejects when a signal asks this process to end, so that what was started is stopped first. */
export const interruption = (): Promise<never> =>
  new Promise((_, reject) => {
    for (const signal of SIGNALS) process.once(signal, () => reject(new Error(`ended by ${signal}`)))
  })

async function start(
  dataDir: string,
  onProgress: (line: string) => void,
  cleanUps: (() => Promise<unknown>)[],
): Promise<Services> {
  const searchAttributes = SEARCH_ATTRIBUTES.map((attribute) => attribute.name)
  const postgres = await ensurePostgres({ dataDir, onProgress })
  const temporal = await ensureTemporal({ dataDir, searchAttributes, onProgress })
  const run = `${Date.now().toString(36)}${process.pid}`
  return {
    postgres,
    temporal,
    bytesOfTemporal: () => (temporal.pid === null ? null : bytesIn(join(dataDir, 'temporal'))),
    fileOfTemporal: () => (temporal.pid === null ? null : databaseIn(join(dataDir, 'temporal'))),
    asWorker: (databaseUrl) =>
      Object.assign(new URL(postgres.workerUrl), { pathname: new URL(databaseUrl).pathname }).href,
    atEnd: (cleanUp) => void cleanUps.push(cleanUp),
    async createDatabase(name) {
      const database = `bench_${run}_${name}`
      await onServer(postgres.url, `create database ${database}`)
      if (postgres.pid === null)
        cleanUps.push(() => onServer(postgres.url, `drop database if exists ${database} with (force)`))
      return Object.assign(new URL(postgres.url), { pathname: database }).href
    },
  }
}

const bytesIn = (folder: string) =>
  readdirSync(folder).reduce((sum, file) => sum + statSync(join(folder, file)).size, 0)

const databaseIn = (folder: string) =>
  join(folder, readdirSync(folder).find((file) => file.endsWith('.db')) ?? 'server.db')

async function onServer(url: string, statement: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
