/**
 * Whoever owns the tables, or the server, changes what the schema says or adds what it does not have: verify shows it. With
 * `TREEOS_WRITE_SHAPE=1` the shape that ships is written anew.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { faultsOfCatalog, type StoreDb, shapeOf } from '@treeos/store'
import { type Kysely, sql } from 'kysely'
import { expect, it } from 'vitest'
import { useDatabase } from '../support/database.ts'

const SHAPE = join(import.meta.dirname, '../../packages/store/src/sql/shape.json')
const base = useDatabase()

it.runIf(process.env.TREEOS_WRITE_SHAPE === '1')('writes the shape', async () => {
  writeFileSync(SHAPE, `${JSON.stringify(await shapeOf(base.owner), null, 2)}\n`)
})

it('nothing is wrong with the schema as it was made', async () => {
  expect(await faultsOfCatalog(base.people)).toEqual([])
})

/** Runs statements as the owner, asks, and takes them back. */
async function faultsAfter(owner: Kysely<StoreDb>, statements: readonly string[]): Promise<string[]> {
  const over = new Error('taken back')
  let found: string[] = []
  await owner
    .transaction()
    .execute(async (tx) => {
      for (const statement of statements) await sql.raw(statement).execute(tx)
      found = (await faultsOfCatalog(tx)).map(({ reason, key }) => `${reason} ${key}`)
      throw over
    })
    .catch((error: unknown) => {
      if (error !== over) throw error
    })
  return found
}

const ROLES = ['treeos_app', 'treeos_people', 'treeos_sequencer']
const TABLES = [
  'blob',
  'journal',
  'lease',
  'fact',
  'inbox',
  'moment_decision',
  'moment_outcome',
  'moment_open',
  'projection',
  'head',
]
const own = (statement: string, fault: string) => [statement, fault] as const

/** More than a hundred changes, by table, role and kind. */
const CHANGES: readonly (readonly [statement: string, fault: string])[] = [
  ...TABLES.flatMap((table) => [
    own(`alter table treeos.${table} add column more text`, `table-mismatch ${table}.more`),
    own(`alter table treeos.${table} add constraint mine check (true)`, `table-mismatch ${table} mine`),
    own(`create unique index mine on treeos.${table} ((1))`, `table-mismatch ${table} index mine`),
    own(
      `create table public.more () inherits (treeos.${table})`,
      `table-mismatch ${table}: inherits from a table, or is inherited`,
    ),
    own(`create publication mine for table treeos.${table}`, 'trigger-mismatch publication mine'),
    ...ROLES.map((role) =>
      own(`grant truncate on treeos.${table} to ${role}`, `rights-mismatch ${role}: truncate ${table}`),
    ),
    ...ROLES.map((role) =>
      own(`grant trigger on treeos.${table} to ${role}`, `rights-mismatch ${role}: trigger ${table}`),
    ),
    own(`grant delete on treeos.${table} to public`, `rights-mismatch public: delete ${table}`),
  ]),
  ...ROLES.flatMap((role) => [
    own(`alter role ${role} createrole`, `rights-mismatch ${role}: makes roles`),
    own(`alter role ${role} createdb`, `rights-mismatch ${role}: makes databases`),
    own(`alter role ${role} bypassrls`, `rights-mismatch ${role}: bypasses row security`),
    own(`alter role ${role} superuser`, `rights-mismatch ${role}: superuser`),
    own(`alter role ${role} replication`, `rights-mismatch ${role}: replicates`),
    own(`grant pg_write_all_data to ${role}`, `rights-mismatch ${role}: member of pg_write_all_data`),
    own(
      `grant pg_execute_server_program to ${role}`,
      `rights-mismatch ${role}: member of pg_execute_server_program`,
    ),
    own(
      `alter role ${role} set session_replication_role = 'replica'`,
      `rights-mismatch ${role}: set session_replication_role`,
    ),
    own(`alter role ${role} set search_path = public`, `rights-mismatch ${role}: set search_path`),
    own(`alter role ${role} set row_security = off`, `rights-mismatch ${role}: set row_security`),
    own(`grant create on schema treeos to ${role}`, `rights-mismatch ${role}: create schema treeos`),
  ]),
  own(
    `set local session_replication_role = 'replica'`,
    'rights-mismatch this session: session_replication_role',
  ),
  own('grant usage on schema treeos to public', 'rights-mismatch public: usage schema treeos'),
  own(
    'alter default privileges in schema treeos grant insert on tables to public',
    'rights-mismatch default rights in treeos',
  ),
  own("alter table treeos.fact alter column kind set default 'note'", 'table-mismatch fact.kind'),
  own('alter table treeos.fact alter column header drop not null', 'table-mismatch fact.header'),
  own('alter table treeos.inbox alter column id type varchar', 'table-mismatch inbox.id'),
  own('alter table treeos.lease set unlogged', 'table-mismatch lease: is not logged'),
  own(
    `create function public.mine() returns event_trigger language plpgsql as 'begin end'; create event trigger mine on ddl_command_end execute function public.mine()`,
    'trigger-mismatch event trigger mine',
  ),
  own(
    `create function public.same(text, text) returns boolean language sql immutable as 'select true'; create operator public.= (leftarg = text, rightarg = text, function = public.same)`,
    'table-mismatch operator =',
  ),
  own(
    `create function public.cast_of(jsonb) returns text language sql immutable as 'select null::text'; create cast (jsonb as text) with function public.cast_of(jsonb) as assignment`,
    'table-mismatch cast from jsonb to text',
  ),
  own('alter function treeos.append(jsonb) reset all', 'function-mismatch append'),
  own(`alter function treeos.append(jsonb) set search_path = public`, 'function-mismatch append'),
]

it.each(CHANGES)('%s shows', async (statement, fault) => {
  const found = await faultsAfter(base.owner, statement.split('; '))
  expect(found.some((one) => one.startsWith(fault))).toBe(true)
})

it('these are as many as there were asked for', () => expect(CHANGES.length).toBeGreaterThanOrEqual(150))
