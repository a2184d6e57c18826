import { randomUUID } from 'node:crypto'
import { type ChainDb, createReality, migrate, openDatabase, type Reality } from '@treeos/chain'
import type { Kysely } from 'kysely'
import pg from 'pg'
import { inject } from 'vitest'

export interface TestDatabase {
  readonly url: string
  /** as a worker: the role that cannot change the past */
  readonly db: Kysely<ChainDb>
  readonly owner: Kysely<ChainDb>
  readonly reality: Reality
  /** closes both pools and drops the database */
  close(): Promise<void>
}

/** A database of its own on the test server, migrated, with a reality in it. */
export async function freshDatabase(options: { poolMax?: number } = {}): Promise<TestDatabase> {
  const empty = await emptyDatabase()
  const owner = openDatabase(empty.url, { asOwner: true, ...options })
  await migrate(owner)
  const { reality } = await createReality(owner, { name: 'test', timeZone: 'Europe/Berlin' })
  const db = openDatabase(empty.url, options)
  const close = async () => {
    await Promise.all([db.destroy(), owner.destroy()])
    await empty.drop()
  }
  return { url: empty.url, db, owner, reality, close }
}

/** A database with nothing in it. @param user a login role that owns it; the server's own unless given */
export async function emptyDatabase(user?: string): Promise<{ url: string; drop(): Promise<void> }> {
  const name = `test_${randomUUID().replaceAll('-', '')}`
  await onServer(`create database ${name}${user === undefined ? '' : ` owner ${user}`}`)
  const url = new URL(inject('postgresUrl'))
  url.pathname = name
  return { url: url.href, drop: () => onServer(`drop database ${name} with (force)`) }
}

/** Runs one statement as the server's own user, who may do anything. */
export async function onServer(statement: string): Promise<void> {
  const client = new pg.Client(inject('postgresUrl'))
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
