import { sql } from 'kysely'
import { type CatalogFault, faultsOfShape } from './catalog-shape.ts'
import type { Db } from './database.ts'
import { listFunctions, readSqlFile } from './files.ts'

/** `create or replace function treeos.NAME(…) … $$ BODY $$` */
const FUNCTION = /create or replace function treeos\.(\w+)\([\s\S]*?\$\$([\s\S]*)\$\$/
/** `create table treeos.TABLE (… COLUMN TYPE generated always as (EXPRESSION) stored` */
const GENERATED =
  /create table treeos\.(\w+) \((?:(?!create table)[\s\S])*?\n\s+(\w+) \w+ generated always as \(([\s\S]+?)\) stored/g
const TRIGGER = /create trigger (\w+)\s[\s\S]*?\son treeos\.(\w+)/g
const GRANT = /grant ([\w, ()]+?) on (function )?([^;']+?)\s+to ([\w%$, ]+?)\s*(?:;|\$grant\$)/g

/**
 * Compares functions, triggers and rights of the database with the files of this version: a function that was
 * replaced or added, a trigger that was dropped or does not fire, a right of our roles, or of everybody, that
 * no file gives, and a generated column that has another definition or none. Postgres answers this about
 * itself.
 */
export async function faultsOfCatalog(db: Db): Promise<CatalogFault[]> {
  const [functions, triggers, rights, generated] = await Promise.all([
    shippedFunctions(),
    shippedTriggers(),
    shippedRights(),
    shippedGenerated(),
  ])
  const faults = [
    ...(await faultsOfFunctions(db, functions)),
    ...(await faultsOfTriggers(db, triggers)),
    ...(await faultsOfRights(db, rights)),
    ...(await faultsOfGenerated(db, generated)),
    ...(await faultsOfShape(db)),
  ]
  // A function or a trigger that is gone shows by its name and by its shape.
  return [...new Map(faults.map((fault) => [`${fault.reason} ${fault.key}`, fault])).values()]
}

/** `set NAME = …` between the arguments of a function and its body */
const SETTING = /\bset (\w+) (?:=|to) ([^\n]+?)(?= set | as |\n|$)/g

interface ShippedFunction {
  readonly body: string
  readonly isDefiner: boolean
  /** `NAME=VALUE`, in order of the names */
  readonly settings: string
}

async function shippedFunctions(): Promise<Map<string, ShippedFunction>> {
  const files = await Promise.all((await listFunctions()).map(readSqlFile))
  return new Map(
    files.map((text) => {
      const [whole = '', name = '', body = ''] = FUNCTION.exec(text) ?? []
      const head = whole.slice(0, whole.indexOf('$$'))
      const settings = [...head.matchAll(SETTING)].map(([, setting, value]) => `${setting}=${value}`)
      return [
        name,
        { body, isDefiner: head.includes('security definer'), settings: settings.sort().join('; ') },
      ]
    }),
  )
}

async function shippedTriggers(): Promise<Set<string>> {
  return new Set(
    [...(await readSqlFile('triggers.sql')).matchAll(TRIGGER)].map(([, name, table]) => `${table}.${name}`),
  )
}

/** By role: `execute NAME`, `insert TABLE`, `select columns of TABLE` and so on. */
async function shippedRights(): Promise<Set<string>> {
  const rights = new Set<string>()
  for (const [, kinds = '', isFunction, on = '', to = ''] of (await readSqlFile('rights.sql')).matchAll(
    GRANT,
  )) {
    const roles = to.includes('%1$I') ? ['treeos_app', 'treeos_people'] : to.split(/,\s*/)
    const names = [...on.matchAll(/treeos\.(\w+)/g)].map(([, name]) => name)
    const ofTables = kinds.replace(/^select \([^)]*\)/, 'select columns of').replace(/\([^)]*\)/g, '')
    for (const kind of isFunction === undefined ? ofTables.split(/,\s*/) : ['execute'])
      for (const name of names) for (const role of roles) rights.add(`${role.trim()}: ${kind.trim()} ${name}`)
  }
  return rights
}

/**
 * Expressions of generated columns by `TABLE.COLUMN`, with the spelling that Postgres gives back left out.
 */
async function shippedGenerated(): Promise<Map<string, string>> {
  const found = (await readSqlFile('tables.sql')).matchAll(GENERATED)
  return new Map(
    [...found].map(([, table, column, expression = '']) => [
      `${table}.${column}`,
      plainExpression(expression),
    ]),
  )
}

function plainExpression(expression: string): string {
  return expression
    .replaceAll(' like ', '~~')
    .replace(/\s+|[()]|::text/g, '')
    .toLowerCase()
}

async function faultsOfFunctions(
  db: Db,
  shipped: Awaited<ReturnType<typeof shippedFunctions>>,
): Promise<CatalogFault[]> {
  const { rows } = await sql<{ name: string; body: string; definer: boolean; settings: string[] | null }>`
    select proname::text as name, prosrc as body, prosecdef as definer, proconfig as settings from pg_catalog.pg_proc p
    join pg_catalog.pg_namespace n on n.oid = p.pronamespace where n.nspname = 'treeos'`.execute(db)
  const found = new Map<string, number>()
  const wrong = new Set<string>()
  for (const { name, body, definer, settings } of rows) {
    found.set(name, (found.get(name) ?? 0) + 1)
    const right = shipped.get(name)
    const set = [...(settings ?? [])].sort().join('; ')
    if (right?.body !== body || right.isDefiner !== definer || right.settings !== set) wrong.add(name)
  }
  for (const name of shipped.keys()) if (found.get(name) !== 1) wrong.add(name)
  return [...wrong].sort().map((key) => ({ reason: 'function-mismatch', key }))
}

async function faultsOfTriggers(db: Db, shipped: ReadonlySet<string>): Promise<CatalogFault[]> {
  const { rows } = await sql<{ name: string; fires: boolean }>`
    select c.relname || '.' || t.tgname as name, t.tgenabled in ('O', 'A') as fires
    from pg_catalog.pg_trigger t join pg_catalog.pg_class c on c.oid = t.tgrelid
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'treeos' and not t.tgisinternal`.execute(db)
  const firing = new Set(rows.filter(({ fires }) => fires).map(({ name }) => name))
  const wrong = [
    ...[...shipped].filter((name) => !firing.has(name)),
    ...rows.map(({ name }) => name).filter((name) => !shipped.has(name)),
  ]
  return [...new Set(wrong)].sort().map((key) => ({ reason: 'trigger-mismatch', key }))
}

/**
 * Of our roles, of what logs in as one of them, and of everybody. Reading counts for these alone: an operator may let others read. The
 * portal's role has none that commands have not.
 */
async function faultsOfRights(db: Db, shipped: ReadonlySet<string>): Promise<CatalogFault[]> {
  const { rows } = await sql<{ right: string }>`
    with given as (
      select c.relname::text as name, a.grantee, lower(a.privilege_type) as kind, c.relowner as owner, is_grantable
      from pg_catalog.pg_class c cross join lateral aclexplode(c.relacl) a
      where c.relnamespace = 'treeos'::regnamespace and c.relkind in ('r', 'v', 'm', 'p', 'f', 'S')
      union all
      select c.relname::text, a.grantee, lower(a.privilege_type) || case a.privilege_type when 'SELECT' then ' columns of' else '' end,
        c.relowner, is_grantable
      from pg_catalog.pg_class c join pg_catalog.pg_attribute t on t.attrelid = c.oid cross join lateral aclexplode(t.attacl) a
      where c.relnamespace = 'treeos'::regnamespace
      union all
      select p.proname::text, a.grantee, 'execute', p.proowner, is_grantable
      from pg_catalog.pg_proc p cross join lateral aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
      where p.pronamespace = 'treeos'::regnamespace)
    select distinct coalesce(r.rolname, 'public') || ': ' || kind || ' ' || name || case when is_grantable then ', and to give it on' else '' end as right
    from given left join pg_catalog.pg_roles r on r.oid = grantee
    where grantee <> owner and (kind not like 'select%' or grantee = 0 or starts_with(r.rolname::text, 'treeos_'))
    order by 1`.execute(db)
  return rows
    .filter(({ right }) => !shipped.has(right.replace(/^treeos_portal:/, 'treeos_people:')))
    .map(({ right }) => ({ reason: 'rights-mismatch', key: right }))
}

async function faultsOfGenerated(db: Db, shipped: ReadonlyMap<string, string>): Promise<CatalogFault[]> {
  const { rows } = await sql<{ name: string; expression: string }>`
    select c.relname || '.' || a.attname as name, pg_catalog.pg_get_expr(d.adbin, d.adrelid) as expression
    from pg_catalog.pg_attribute a join pg_catalog.pg_class c on c.oid = a.attrelid
    join pg_catalog.pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where c.relnamespace = 'treeos'::regnamespace and c.relkind = 'r' and a.attgenerated = 's' and not a.attisdropped`.execute(
    db,
  )
  const found = new Map(rows.map(({ name, expression }) => [name, plainExpression(expression)]))
  const wrong = [...new Set([...shipped.keys(), ...found.keys()])].filter(
    (name) => shipped.get(name) !== found.get(name),
  )
  return wrong.sort().map((key) => ({ reason: 'table-mismatch', key }))
}
