import { randomUUID } from 'node:crypto'
import { Client } from '@temporalio/client'
import emotions from '@treeos/emotions'
import { connectTemporal } from '@treeos/local'
import { bootstrapReality, setStandardBudgets } from '@treeos/reality'
import { migrate, openDatabase, type Reality, type StoreDb } from '@treeos/store'
import { buildRegistry, type Extension, type Registry, seed } from '@treeos/world'
import type { Kysely } from 'kysely'
import pg from 'pg'
import type { Ground } from './ground.ts'
import { patiently } from './patiently.ts'
import type { FaultProxy } from './proxy.ts'

/**
 * An experiment's own part of the ground: a database with a reality, and connections that bypass the
 * misbehaving proxies.
 */
export interface Plot {
  readonly reality: Reality
  readonly registry: Registry
  readonly db: Kysely<StoreDb>
  readonly owner: Kysely<StoreDb>
  readonly temporal: Client
  /** for workers, through the proxy that may misbehave unless another one is given */
  databaseUrl(through?: FaultProxy): string
  /** likewise, for workers that take acts by signal */
  signalsUrl(through?: FaultProxy): string | null
  close(): Promise<void>
}

export async function plant(
  ground: Ground,
  extensions: readonly Extension[],
  timeZone = 'UTC',
): Promise<Plot> {
  const { calm, proxy } = ground.postgres
  const database = `faults_${randomUUID().replaceAll('-', '')}`
  await onServer(ground, `create database ${database}`)
  const owner = openDatabase(ground.postgresUrl(calm, database), { asOwner: true, poolMax: 3 })
  await migrate(owner)
  const registry = buildRegistry([seed, emotions, ...extensions])
  const { reality } = await bootstrapReality(owner, registry, {
    name: database.slice(0, 16),
    timeZone,
  })
  // as many moments as fit into the time
  await setStandardBudgets({ db: owner, reality }, { llm: {}, scripted: {} })
  const db = openDatabase(ground.peopleUrl(calm, database), { role: 'treeos_people', poolMax: 8 })
  const connection = await connectTemporal({
    ...ground.temporalOptions,
    address: ground.temporal.calm.address,
  })
  return {
    reality,
    registry,
    db,
    owner,
    temporal: new Client({ connection }),
    databaseUrl: (through = proxy) => ground.workerUrl(through, database),
    signalsUrl: (through = proxy) => ground.signalsUrl(through, database),
    async close() {
      await connection.close()
      await Promise.all([db.destroy(), owner.destroy()])
      await patiently(() => onServer(ground, `drop database if exists ${database} with (force)`))
    },
  }
}

async function onServer(ground: Ground, statement: string): Promise<void> {
  const client = new pg.Client(ground.postgresUrl(ground.postgres.calm, 'postgres'))
  client.on('error', () => undefined)
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
