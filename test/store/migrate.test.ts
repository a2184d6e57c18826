import { randomUUID } from 'node:crypto'
import { verifyChains } from '@treeos/proofs'
import {
  append,
  createReality,
  MIGRATIONS,
  migrate,
  openDatabase,
  type Reality,
  waitingMigrations,
} from '@treeos/store'
import { sql } from 'kysely'
import { describe, expect, inject, it } from 'vitest'
import { emptyDatabase, onServer } from '../support/database.ts'
import { batchOf, changed } from './batch.ts'

const NAMES = Object.keys(MIGRATIONS)

describe('migrate', () => {
  it('runs every migration once when several processes start at once', async () => {
    const { url, drop } = await emptyDatabase()
    const owners = Array.from({ length: 6 }, () => openDatabase(url, { asOwner: true, poolMax: 2 }))
    try {
      expect(await waitingMigrations(owners[0]!)).toEqual(NAMES)
      const ran = await Promise.all(owners.map((owner) => migrate(owner)))
      expect(ran.flat().sort()).toEqual(NAMES)
      expect(await waitingMigrations(owners[0]!)).toEqual([])
      const later = { ...MIGRATIONS, '002-later': { up: async () => {} } }
      expect(await waitingMigrations(owners[0]!, later)).toEqual(['002-later'])
      expect(await migrate(owners[0]!)).toEqual([])
    } finally {
      await Promise.all(owners.map((owner) => owner.destroy()))
      await drop()
    }
  })

  it('runs in several databases of one server at once, which share the role', async () => {
    const databases = await Promise.all(Array.from({ length: 4 }, () => emptyDatabase()))
    const owners = databases.map(({ url }) => openDatabase(url, { asOwner: true }))
    try {
      const ran = await Promise.all(owners.map((owner) => migrate(owner)))
      expect(ran).toEqual(owners.map(() => NAMES))
    } finally {
      await Promise.all(owners.map((owner) => owner.destroy()))
      await Promise.all(databases.map(({ drop }) => drop()))
    }
  })

  it('refuses a database with a migration that this version does not know', async () => {
    const { url, drop } = await emptyDatabase()
    const owner = openDatabase(url, { asOwner: true })
    try {
      await sql`create schema treeos_migrations`.execute(owner)
      await sql`create table treeos_migrations.kysely_migration (name text, timestamp text)`.execute(owner)
      await sql`insert into treeos_migrations.kysely_migration values ('002-later', '')`.execute(owner)
      await expect(migrate(owner)).rejects.toThrow(
        /^this database has the migration 002-later, which this version of TreeOS does not know: .* migrated it; use that version, or make a new instance$/,
      )
    } finally {
      await owner.destroy()
      await drop()
    }
  })

  it.each(['SQL_ASCII', 'LATIN1'])('refuses a database in %s, and makes nothing', async (encoding) => {
    const { url, drop } = await emptyDatabase()
    const name = new URL(url).pathname.slice(1)
    await onServer(`drop database ${name}`)
    await onServer(`create database ${name} encoding '${encoding}' locale 'C' template template0`)
    const owner = openDatabase(url, { asOwner: true })
    try {
      await expect(migrate(owner)).rejects.toThrow(
        `this database is encoded in ${encoding}, and TreeOS needs UTF-8`,
      )
      const { rows } = await sql`select 1 from pg_namespace where nspname like 'treeos%'`.execute(owner)
      expect(rows).toEqual([])
    } finally {
      await owner.destroy()
      await drop()
    }
  })

  it('makes one reality when several processes ask at once', async () => {
    const { url, drop } = await emptyDatabase()
    const owner = openDatabase(url, { asOwner: true })
    try {
      await migrate(owner)
      const made = await Promise.all(
        Array.from({ length: 8 }, () => createReality(owner, { name: 'one', timeZone: 'UTC' })),
      )
      expect(new Set(made.map(({ reality }) => reality.id)).size).toBe(1)
      expect(made.filter(({ created }) => created)).toHaveLength(1)
    } finally {
      await owner.destroy()
      await drop()
    }
  })
})

describe.each([
  { may: 'may not make roles', rights: 'nocreaterole' },
  { may: 'may make roles', rights: 'createrole' },
])('a database user that $may', ({ rights }) => {
  it('migrates and appends, and cannot change the past', async () => {
    await withUser(rights, async (url) => {
      const owner = openDatabase(url, { asOwner: true })
      const db = openDatabase(url)
      try {
        await migrate(owner)
        const { reality } = await createReality(owner, { name: 'small', timeZone: 'UTC' })
        await appendOne(db, reality)
        expect(await verifyChains(db, reality.id)).toMatchObject({ ok: true, facts: 1 })
        await expect(sql`delete from treeos.fact`.execute(db)).rejects.toThrow(/refused|permission denied/)
        await expect(sql`delete from treeos.fact`.execute(owner)).rejects.toThrow(/refused/)
      } finally {
        await Promise.all([db.destroy(), owner.destroy()])
      }
    })
  })
})

async function appendOne(db: Parameters<typeof batchOf>[0], reality: Reality): Promise<void> {
  const done = await append(db, await batchOf(db, reality, { drafts: [changed('space:/')] }))
  expect(done.status).toBe('appended')
}

/** Runs with the URL of a database that a new login role owns. */
async function withUser(rights: string, run: (url: string) => Promise<void>): Promise<void> {
  const user = `user_${randomUUID().replaceAll('-', '')}`
  await onServer(`create role ${user} login ${rights} password 'secret'`)
  const { url, drop } = await emptyDatabase(user)
  const own = new URL(url)
  own.username = user
  own.password = 'secret'
  try {
    await run(own.href)
  } finally {
    await drop()
    await onServer(`drop role ${user}`)
  }
}

it('connects by the URL that services.ts provides', () => {
  expect(URL.canParse(inject('postgresUrl'))).toBe(true)
})
