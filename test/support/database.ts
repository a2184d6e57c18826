import { randomUUID } from 'node:crypto'
import { createReality, openDatabase, type Reality, type StoreDb } from '@treeos/store'
import type { Kysely } from 'kysely'
import { afterAll, beforeAll, inject } from 'vitest'
import { onServerAt } from './template.ts'

export interface TestDatabase extends Urls {
  /** connected as workers are: the role owns nothing and cannot change the past */
  readonly db: Kysely<StoreDb>
  /** connected as commands are, which act for persons */
  readonly people: Kysely<StoreDb>
  readonly owner: Kysely<StoreDb>
  readonly reality: Reality
  /** closes both pools and drops the database */
  close(): Promise<void>
}

/** A database of its own on the test server, migrated, with a reality in it. */
export async function freshDatabase(options: { poolMax?: number } = {}): Promise<TestDatabase> {
  const { drop, ...urls } = await migratedDatabase()
  const owner = openDatabase(urls.url, { asOwner: true, ...options })
  const { reality } = await createReality(owner, { name: 'test', timeZone: 'Europe/Berlin' })
  const db = openDatabase(urls.workerUrl, options)
  const people = openDatabase(urls.peopleUrl, { role: 'treeos_people', ...options })
  const close = async () => {
    await Promise.all([db.destroy(), people.destroy(), owner.destroy()])
    await drop()
  }
  return { ...urls, db, people, owner, reality, close }
}

/**
 * A fresh database from the first test of a file to the last. It has no fields before the first `beforeAll`
 * ends.
 */
export function useDatabase(options: { poolMax?: number } = {}): TestDatabase {
  const database = {} as TestDatabase
  beforeAll(async () => void Object.assign(database, await freshDatabase(options)))
  afterAll(() => database.close?.())
  return database
}

interface Urls {
  /** as the server's own user, who may do anything */
  readonly url: string
  /** as workers log in */
  readonly workerUrl: string
  /** as commands log in, which act for persons */
  readonly peopleUrl: string
  /** as acts by signal log in; null where no such login is named */
  readonly signalsUrl: string | null
}

export interface OwnDatabase extends Urls {
  drop(): Promise<void>
}

/** A database with nothing in it. @param user a login role that owns it; the server's own unless given */
export const emptyDatabase = (user?: string): Promise<OwnDatabase> =>
  createDatabase(user === undefined ? '' : `owner ${user}`)

/** A database with all that another one holds, to which nobody is connected. */
export const copyOf = ({ url }: Urls): Promise<OwnDatabase> =>
  createDatabase(`template ${new URL(url).pathname.slice(1)}`)

/** A migrated database with no reality in it. */
export const migratedDatabase = (): Promise<OwnDatabase> =>
  createDatabase(`template ${inject('templateDatabase')}`)

async function createDatabase(how: string): Promise<OwnDatabase> {
  const name = `test_${randomUUID().replaceAll('-', '')}`
  await onServer(`create database ${name} ${how}`)
  const urlOf = (server: string) => Object.assign(new URL(server), { pathname: name }).href
  const signals = inject('signalsPostgresUrl')
  const urls = {
    url: urlOf(inject('postgresUrl')),
    workerUrl: urlOf(inject('workerPostgresUrl')),
    peopleUrl: urlOf(inject('peoplePostgresUrl')),
    signalsUrl: signals === null ? null : urlOf(signals),
  }
  return { ...urls, drop: () => onServer(`drop database ${name} with (force)`) }
}

/** Runs one statement as the server's own user, who may do anything. */
export const onServer = (statement: string): Promise<void> => onServerAt(inject('postgresUrl'), statement)
