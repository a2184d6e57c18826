import { chmodSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensurePostgres, ensureTemporal, type Postgres, removeInstance, type Temporal } from '@treeos/local'
import { SEARCH_ATTRIBUTES } from '@treeos/workflows'
import pg from 'pg'

/** Real services for one run. */
export interface Services {
  readonly temporal: Temporal
  readonly postgres: Postgres
  /** makes an empty database, dropped when the services are stopped */
  createDatabase(name: string): Promise<string>
  /** Ends exactly what was started, and removes its files. */
  stop(): Promise<void>
}

/** Starts a Temporal and a Postgres in a folder of their own, unless TEMPORAL_ADDRESS or DATABASE_URL name others. */
export async function startServices(onProgress: (line: string) => void): Promise<Services> {
  const dataDir = mkdtempSync(join(tmpdir(), 'treeos-bench-'))
  chmodSync(dataDir, 0o711) // so that a Postgres with a user of its own can reach it
  const searchAttributes = SEARCH_ATTRIBUTES.map((attribute) => attribute.name)
  const made: string[] = []
  const run = `${Date.now().toString(36)}${process.pid}`
  try {
    const postgres = await ensurePostgres({ dataDir, onProgress })
    const temporal = await ensureTemporal({ dataDir, searchAttributes, onProgress })
    return {
      temporal,
      postgres,
      async createDatabase(name) {
        const database = `bench_${run}_${name}`
        await onServer(postgres.url, `create database ${database}`)
        made.push(database)
        return Object.assign(new URL(postgres.url), { pathname: database }).href
      },
      async stop() {
        if (postgres.pid === null)
          for (const database of made)
            await onServer(postgres.url, `drop database if exists ${database} with (force)`)
        await removeInstance(dataDir)
      },
    }
  } catch (error) {
    await removeInstance(dataDir)
    throw error
  }
}

async function onServer(url: string, statement: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
