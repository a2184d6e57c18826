/**
 * Whoever owns the tables, or the server, changes what the schema says or adds what it does not have: verify shows it. With
 * `TREEOS_WRITE_SHAPE=1` the shape that ships is written anew.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { faultsOfCatalog, listObservers, type StoreDb, shapeOf } from '@treeos/store'
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
async function afterStatements<T>(
  owner: Kysely<StoreDb>,
  statements: readonly string[],
  ask: (tx: Kysely<StoreDb>) => Promise<T>,
): Promise<T> {
  const over = new Error('taken back')
  let answer: { readonly of: T } | undefined
  await owner
    .transaction()
    .execute(async (tx) => {
      for (const statement of statements) await sql.raw(statement).execute(tx)
      answer = { of: await ask(tx) }
      throw over
    })
    .catch((error: unknown) => {
      if (error !== over) throw error
    })
  if (answer === undefined) throw new Error('the transaction ended without an answer')
  return answer.of
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
  const faults = await afterStatements(base.owner, statement.split('; '), faultsOfCatalog)
  const found = faults.map(({ reason, key }) => `${reason} ${key}`)
  expect(found.some((one) => one.startsWith(fault))).toBe(true)
})

it('these are as many as there were asked for', () => expect(CHANGES.length).toBeGreaterThanOrEqual(150))

const EVENT_TRIGGER = [
  `create function public.mine() returns event_trigger language plpgsql as 'begin end'`,
  'create event trigger mine on ddl_command_end execute function public.mine()',
]

it.each([
  {
    statements: ['create publication mine for table treeos.fact, treeos.inbox'],
    kind: 'publication',
    does: 'sends to other servers what is written to fact, inbox',
  },
  {
    statements: ['create publication mine for all tables'],
    kind: 'publication',
    does: 'sends to other servers what is written to all tables',
  },
  { statements: EVENT_TRIGGER, kind: 'event trigger', does: 'runs public.mine() at each ddl_command_end' },
])(
  'the $kind of the operator $does: doctor tells it until a comment accepts it, and no record is broken',
  async (made) => {
    const before = await listObservers(base.db)
    const [faults, told, accepted] = await afterStatements(base.owner, made.statements, async (tx) => [
      await faultsOfCatalog(tx),
      await listObservers(tx),
      await sql
        .raw(`comment on ${made.kind} mine is 'accepted: a copy for reports'`)
        .execute(tx)
        .then(() => listObservers(tx)),
    ])
    expect(before).toEqual([])
    expect(faults).toEqual([])
    expect(told).toEqual([{ kind: made.kind, name: 'mine', does: made.does }])
    expect(accepted).toEqual([])
  },
)

it('a publication of tables that are not ours is not told', async () => {
  const statements = ['create table public.own (n int)', 'create publication mine for table public.own']
  expect(await afterStatements(base.owner, statements, listObservers)).toEqual([])
})

it('a search path with our schema in it is the same shape', async () => {
  const shown = await afterStatements(base.owner, ['set local search_path = treeos, public'], faultsOfCatalog)
  expect(shown).toEqual([])
})
