import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from './database.ts'
import { readSqlFile } from './files.ts'
import SHIPPED from './shape.json' with { type: 'json' }

/**
 * What of the living schema is not as this version ships it: by the name of the function, trigger, role,
 * column or constraint.
 */
export interface CatalogFault {
  readonly reason: 'function-mismatch' | 'trigger-mismatch' | 'rights-mismatch' | 'table-mismatch'
  readonly key: string
}

/** Roles that TreeOS makes: they own nothing and may do nothing else. */
const ROLES = ['treeos_app', 'treeos_people', 'treeos_signals', 'treeos_sequencer', 'treeos_portal'] as const
/** Settings of a database or a role that let a session pass the guards, or take other objects for ours. */
const SETTINGS = [
  'session_replication_role',
  'search_path',
  'session_preload_libraries',
  'local_preload_libraries',
  'event_triggers',
  'row_security',
  'check_function_bodies',
  'transform_null_equals',
  'plpgsql.variable_conflict',
  'array_nulls',
  'zero_damaged_pages',
  'ignore_checksum_failure',
] as const

type FaultQuery = (db: Db) => Promise<readonly CatalogFault[]>

const fault = (reason: CatalogFault['reason'], rows: readonly { readonly key: string }[]): CatalogFault[] =>
  rows.map(({ key }) => ({ reason, key }))

/** Tables that hold other rows than their own, or keep none of them in the log of Postgres; what a schema of ours does not have. */
const ofTables: FaultQuery = async (db) => {
  const { rows } = await sql<{ key: string }>`
    select key from (
      select c.relname || ': inherits from a table, or is inherited' as key
        from pg_catalog.pg_class c where c.relnamespace = 'treeos'::regnamespace and c.relkind in ('r', 'p')
        and exists (select from pg_catalog.pg_inherits i where c.oid in (i.inhrelid, i.inhparent))
      union all select c.relname || ': is not logged' from pg_catalog.pg_class c
        where c.relnamespace = 'treeos'::regnamespace and c.relkind = 'r' and c.relpersistence <> 'p'
      union all select c.relname || ': is owned by ' || pg_get_userbyid(c.relowner) from pg_catalog.pg_class c
        join pg_catalog.pg_namespace n on n.oid = c.relnamespace
        where n.nspname = 'treeos' and c.relkind in ('r', 'S') and c.relowner <> n.nspowner
      union all select 'operator ' || o.oprname from pg_catalog.pg_operator o where o.oprnamespace = 'treeos'::regnamespace
      union all select 'operator ' || o.oprname || ' of ' || pg_get_userbyid(o.oprowner) from pg_catalog.pg_operator o
        where o.oprnamespace = 'public'::regnamespace
        and not exists (select from pg_catalog.pg_depend d where d.classid = 'pg_operator'::regclass and d.objid = o.oid and d.deptype = 'e')
      union all select 'operator class ' || c.opcname from pg_catalog.pg_opclass c where c.opcnamespace = 'treeos'::regnamespace
      union all select 'cast from ' || format_type(c.castsource, null) || ' to ' || format_type(c.casttarget, null)
        from pg_catalog.pg_cast c where c.oid >= 16384
        and not exists (select from pg_catalog.pg_depend d where d.classid = 'pg_cast'::regclass and d.objid = c.oid and d.deptype = 'e')
    ) as found order by key`.execute(db)
  return fault('table-mismatch', rows)
}

/** What our roles may do, or are members of, beside the rights to our tables; and settings that change what a session of ours does. */
const ofRoles: FaultQuery = async (db) => {
  const ours = sql.join([...ROLES])
  const { rows } = await sql<{ key: string }>`
    select key from (
      select r.rolname || ': ' || attribute as key from pg_catalog.pg_roles r cross join lateral (values
        ('superuser', r.rolsuper), ('bypasses row security', r.rolbypassrls), ('makes roles', r.rolcreaterole),
        ('makes databases', r.rolcreatedb), ('replicates', r.rolreplication), ('logs in', r.rolcanlogin)) as has (attribute, is_so)
        where r.rolname in (${ours}) and is_so
      union all select m.rolname || ': member of ' || g.rolname from pg_catalog.pg_auth_members a
        join pg_catalog.pg_roles m on m.oid = a.member join pg_catalog.pg_roles g on g.oid = a.roleid
        where m.rolname in (${ours})
      union all select coalesce(r.rolname, 'everybody') || ': set ' || split_part(setting, '=', 1) from pg_catalog.pg_db_role_setting s
        left join pg_catalog.pg_roles r on r.oid = s.setrole cross join lateral unnest(s.setconfig) as setting
        where (split_part(setting, '=', 1) in (${sql.join([...SETTINGS])}) or setting = 'synchronous_commit=off')
        and s.setdatabase in (0, (select oid from pg_catalog.pg_database where datname = current_database()))
      union all select 'public: ' || lower(a.privilege_type) || ' schema treeos' from pg_catalog.pg_namespace n
        cross join lateral aclexplode(n.nspacl) a where n.nspname = 'treeos' and a.grantee = 0
      union all select r.rolname || ': create schema treeos' from pg_catalog.pg_namespace n
        cross join lateral aclexplode(n.nspacl) a join pg_catalog.pg_roles r on r.oid = a.grantee
        where n.nspname = 'treeos' and a.privilege_type = 'CREATE' and a.grantee <> n.nspowner
      union all select coalesce(r.rolname, 'public') || ': create in the database' from pg_catalog.pg_database d
        cross join lateral aclexplode(d.datacl) a left join pg_catalog.pg_roles r on r.oid = a.grantee
        where d.datname = current_database() and a.privilege_type = 'CREATE' and coalesce(r.rolname, 'public') in (${ours}, 'public')
      union all select 'default rights in ' || coalesce(n.nspname, 'all schemas') from pg_catalog.pg_default_acl d
        left join pg_catalog.pg_namespace n on n.oid = d.defaclnamespace
        where n.nspname = 'treeos' or (d.defaclnamespace = 0 and d.defaclrole = (select nspowner from pg_catalog.pg_namespace where nspname = 'treeos'))
      union all select 'this session: session_replication_role' where current_setting('session_replication_role') <> 'origin'
    ) as found order by key`.execute(db)
  return fault('rights-mismatch', rows)
}

/** Defaults and constraints as Postgres gives them back. */
interface SchemaPart {
  readonly name: string
  readonly said: string
}

/**
 * Columns as `TABLE.COLUMN`, constraints, unique indexes, rules and policies as `TABLE NAME`; triggers, functions and sequences, what they
 * do beside a name and a body. All supported versions of Postgres give the same:
 * not-null constraints, which Postgres has in its list of constraints from 18 on, are told by their columns, and the name of
 * the schema, which Postgres writes or not by the search path, is left out.
 */
async function partsOf(db: Db, schema: string): Promise<SchemaPart[]> {
  const { rows } = await sql<SchemaPart>`
    with ours as (select oid, relname as of_table from pg_catalog.pg_class where relnamespace = ${schema}::regnamespace and relkind in ('r', 'c'))
    select of_table || '.' || attname as name, format_type(atttypid, atttypmod) || case when attnotnull then ' not null' else '' end
        || case attidentity when 'a' then ' always made' when 'd' then ' made' else '' end
        || coalesce((select ' collate ' || o.collname from pg_catalog.pg_collation o join pg_catalog.pg_type t on t.oid = atttypid
          where o.oid = attcollation and attcollation <> t.typcollation), '')
        || coalesce(' default ' || pg_get_expr(adbin, adrelid), '') as said
      from ours join pg_catalog.pg_attribute a on attrelid = ours.oid and attnum > 0 and not attisdropped and attgenerated = ''
      left join pg_catalog.pg_attrdef d on d.adrelid = ours.oid and d.adnum = a.attnum
    union all select of_table || ' ' || conname, pg_get_constraintdef(c.oid) || case when convalidated then '' else ' not valid' end
      from pg_catalog.pg_constraint c join ours on ours.oid = conrelid where contype <> 'n'
    union all select of_table || ' index ' || i.relname, pg_get_indexdef(indexrelid) || case when indisvalid then '' else ' invalid' end
      from pg_catalog.pg_index x join ours on ours.oid = indrelid join pg_catalog.pg_class i on i.oid = indexrelid where indisunique
    union all select 'trigger ' || of_table || '.' || tgname, pg_get_triggerdef(t.oid)
      from pg_catalog.pg_trigger t join ours on ours.oid = tgrelid where not tgisinternal
    union all select of_table || ' rule ' || rulename, pg_get_ruledef(r.oid)
      from pg_catalog.pg_rewrite r join ours on ours.oid = ev_class
    union all select of_table || ' row security', 'on'
      from ours join pg_catalog.pg_class c on c.oid = ours.oid where c.relrowsecurity or c.relforcerowsecurity
    union all select of_table || ' policy ' || polname, polcmd::text || coalesce(pg_get_expr(polqual, polrelid), '')
      from pg_catalog.pg_policy join ours on ours.oid = polrelid
    union all select 'function ' || p.proname, concat_ws(' ', pg_get_function_arguments(p.oid), pg_get_function_result(p.oid), p.provolatile)
        || case when p.proisstrict then ' strict' else '' end || case when p.proleakproof then ' leakproof' else '' end
      from pg_catalog.pg_proc p where p.pronamespace = ${schema}::regnamespace
    union all select 'sequence ' || c.relname, concat_ws(' ', seqstart, seqincrement, seqmin, seqmax, seqcycle)
      from pg_catalog.pg_sequence s join pg_catalog.pg_class c on c.oid = s.seqrelid where c.relnamespace = ${schema}::regnamespace
    union all select typname || ' domain', concat_ws(' ', format_type(typbasetype, typtypmod), typdefault, typnotnull)
      from pg_catalog.pg_type where typnamespace = ${schema}::regnamespace and typtype = 'd'
    union all select typname || ' ' || conname, pg_get_constraintdef(c.oid)
      from pg_catalog.pg_constraint c join pg_catalog.pg_type t on t.oid = contypid
      where typnamespace = ${schema}::regnamespace and contype <> 'n'`.execute(db)
  return rows.map(({ name, said }) => ({ name, said: said.replaceAll(`${schema}.`, '') }))
}

/** Functions of another owner, or in another language than those of the files. */
const ofFunctions: FaultQuery = async (db) => {
  const { rows } = await sql<{ key: string }>`
    select p.proname::text as key from pg_catalog.pg_proc p join pg_catalog.pg_language l on l.oid = p.prolang
    join pg_catalog.pg_namespace n on n.oid = p.pronamespace
    where n.nspname = 'treeos' and (l.lanname not in ('sql', 'plpgsql') or p.proowner <> n.nspowner
      or p.prosupport <> 0)
    order by 1`.execute(db)
  return fault('function-mismatch', rows)
}

/** How the difference of a part is told. */
function partFault(name: string): CatalogFault {
  const [kind, of = ''] = name.split(' ', 2)
  if (kind === 'function') return { reason: 'function-mismatch', key: of }
  return kind === 'trigger'
    ? { reason: 'trigger-mismatch', key: of }
    : { reason: 'table-mismatch', key: name }
}

/**
 * Compares columns, defaults, constraints and unique indexes with those that this version ships, and finds what no schema of ours has: other
 * owners, inheritance, operators, casts, and what roles or settings add.
 */
export async function faultsOfShape(db: Db): Promise<CatalogFault[]> {
  const shipped = new Map<string, string>(Object.entries(SHIPPED.parts))
  const found = new Map((await partsOf(db, 'treeos')).map(({ name, said }) => [name, said]))
  const names = [...new Set([...shipped.keys(), ...found.keys()])].sort()
  const others = names.filter((name) => shipped.get(name) !== found.get(name)).map(partFault)
  const more = await Promise.all([ofTables, ofRoles, ofFunctions].map((find) => find(db)))
  return [...others, ...more.flat()]
}

export interface SchemaShape {
  /** digest of the `tables.sql` that the parts were read from */
  readonly tables: string
  readonly parts: Readonly<Record<string, string>>
}

/** What `shape.json` has to hold, of a database that was just migrated. */
export async function shapeOf(db: Db): Promise<SchemaShape> {
  const parts = (await partsOf(db, 'treeos')).map(({ name, said }) => [name, said] as const)
  return {
    tables: digestOfTables(await readSqlFile('tables.sql')),
    parts: Object.fromEntries(parts.sort(([a], [b]) => (a < b ? -1 : 1))),
  }
}

/** Of the statements in `tables.sql`, without comments and layout: by it a shape of other tables is found without a database. */
export const digestOfTables = (text: string): string =>
  createHash('sha256')
    .update(
      text
        .replace(/--[^\n]*/g, '')
        .replace(/\s+/g, ' ')
        .trim(),
    )
    .digest('hex')
