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
import { drawn } from '../support/night.ts'

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
  // The name of a guard stays, and what it does is another thing.
  own(
    'drop trigger fact_fixed on treeos.fact; create trigger fact_fixed after insert on treeos.fact for each statement execute function treeos.refuse_change()',
    'trigger-mismatch fact.fact_fixed',
  ),
  own(
    'create or replace trigger fact_fixed before update on treeos.fact for each row when (false) execute function treeos.refuse_change()',
    'trigger-mismatch fact.fact_fixed',
  ),
  own(
    "create rule mine as on insert to treeos.moment_decision where new.moment like 'ann/%' do instead nothing",
    'table-mismatch moment_decision rule mine',
  ),
  own(
    'create rule mine as on update to treeos.lease do also delete from treeos.watch',
    'table-mismatch lease rule mine',
  ),
  own('alter table treeos.fact enable row level security', 'table-mismatch fact row security'),
  own(
    "create policy mine on treeos.inbox for select using (being <> 'ann')",
    'table-mismatch inbox policy mine',
  ),
  own('alter function treeos.has_ended(text) immutable', 'function-mismatch has_ended'),
  own('alter function treeos.lease_is_valid(text, integer) strict', 'function-mismatch lease_is_valid'),
  own('alter function treeos.told(bytea) leakproof', 'function-mismatch told'),
  own(
    "drop function treeos.keep_vector(text, text, real[]); create function treeos.keep_vector(its_id text, its_model text, its_vector real[] default '{1}') returns void language sql security definer as ''",
    'function-mismatch keep_vector',
  ),
  own("create procedure treeos.mine() language sql as 'select 1'", 'function-mismatch mine'),
  own('alter sequence treeos.journal_entry_seq cycle', 'table-mismatch sequence journal_entry_seq'),
  own('alter sequence treeos.journal_entry_seq increment by 2', 'table-mismatch sequence journal_entry_seq'),
  own(
    'grant update on sequence treeos.journal_entry_seq to treeos_app',
    'rights-mismatch treeos_app: update journal_entry_seq',
  ),
  own('alter table treeos.journal alter entry drop identity', 'table-mismatch journal.entry'),
  own('alter table treeos.journal alter entry set generated by default', 'table-mismatch journal.entry'),
  own('alter table treeos.inbox alter channel type text collate "POSIX"', 'table-mismatch inbox.channel'),
  own("alter domain treeos.wake_kind set default 'act'", 'table-mismatch wake_kind domain'),
  own('alter type treeos.note_vector add attribute more text', 'table-mismatch note_vector.more'),
  own(
    'grant insert on treeos.blob to treeos_app with grant option',
    'rights-mismatch treeos_app: insert blob, and to give it on',
  ),
  own('grant insert on treeos.fact to treeos_portal', 'rights-mismatch treeos_portal: insert fact'),
  own(
    'grant execute on function treeos.append(jsonb) to treeos_portal',
    'rights-mismatch treeos_portal: execute append',
  ),
  own('grant select on treeos.token to treeos_app', 'rights-mismatch treeos_app: select token'),
  own('grant select on treeos.fact to treeos_sequencer', 'rights-mismatch treeos_sequencer: select fact'),
  own(
    'grant select (payload_hash) on treeos.fact to public',
    'rights-mismatch public: select columns of fact',
  ),
  own('grant select on treeos.sealed_text to public', 'rights-mismatch public: select sealed_text'),
  own(
    'alter role treeos_app set plpgsql.variable_conflict = use_column',
    'rights-mismatch treeos_app: set plpgsql.variable_conflict',
  ),
  own(
    'alter role treeos_people set synchronous_commit = off',
    'rights-mismatch treeos_people: set synchronous_commit',
  ),
  own('alter function treeos.append(jsonb) reset all', 'function-mismatch append'),
  own(`alter function treeos.append(jsonb) set search_path = public`, 'function-mismatch append'),
]

it.each(drawn(CHANGES))('%s shows', async (statement, fault) => {
  const faults = await afterStatements(base.owner, statement.split('; '), faultsOfCatalog)
  const found = faults.map(({ reason, key }) => `${reason} ${key}`)
  expect(found.some((one) => one.startsWith(fault))).toBe(true)
})

it('these are as many as there were asked for', () => expect(CHANGES.length).toBeGreaterThanOrEqual(180))

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
  {
    statements: [
      "create subscription mine connection 'host=127.0.0.1' publication theirs with (connect = false)",
      'alter subscription mine enable',
    ],
    kind: 'subscription',
    does: 'writes what another server sends',
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

it('who is no role of ours may be let read', async () => {
  const statements = ['create role reporter', 'grant select on treeos.fact to reporter']
  expect(await afterStatements(base.owner, statements, faultsOfCatalog)).toEqual([])
})

it('a publication of tables that are not ours is not told', async () => {
  const statements = ['create table public.own (n int)', 'create publication mine for table public.own']
  expect(await afterStatements(base.owner, statements, listObservers)).toEqual([])
})

it('a search path with our schema in it is the same shape', async () => {
  const shown = await afterStatements(base.owner, ['set local search_path = treeos, public'], faultsOfCatalog)
  expect(shown).toEqual([])
})
