import { randomUUID } from 'node:crypto'
import { migrate, openDatabase } from '@treeos/store'
import pg from 'pg'

/** A migrated database that tests copy: a copy takes a tenth of a second, migrations as long again. */
export interface Template {
  readonly name: string
  drop(): Promise<void>
}

/** @param serverUrl of any database on the server */
export async function makeTemplate(serverUrl: string): Promise<Template> {
  const name = `test_template_${randomUUID().slice(0, 8)}`
  await onServerAt(serverUrl, `create database ${name}`)
  const url = Object.assign(new URL(serverUrl), { pathname: name })
  const owner = openDatabase(url.href, { asOwner: true, poolMax: 1 })
  await migrate(owner)
  await owner.destroy()
  return { name, drop: () => onServerAt(serverUrl, `drop database if exists ${name} with (force)`) }
}

/** Runs one statement over a connection of its own. */
export async function onServerAt(url: string, statement: string): Promise<void> {
  const client = new pg.Client(url)
  client.on('error', () => undefined) // the statement under way rejects as well
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
