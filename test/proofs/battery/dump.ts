/** All rows of Postgres as text, and changes of them as an owner of the database can make them. */
import type { StoreDb } from '@treeos/store'
import { type Kysely, sql } from 'kysely'
import { tamper } from '../../store/tampered-chains.ts'

/** A row as text, by column. */
export type Row = Record<string, string | null>

export interface Table {
  readonly name: string
  /** types by column; those that Postgres computes are left out */
  readonly columns: ReadonlyMap<string, string>
  readonly key: readonly string[]
  readonly rows: readonly Readonly<Row>[]
}

export type Dump = ReadonlyMap<string, Table>

/** A row that is changed, added (`before` is null) or deleted (`after` is null). */
export interface Change {
  readonly table: string
  readonly before: Readonly<Row> | null
  readonly after: Readonly<Row> | null
}

type Owned = { readonly owner: Kysely<StoreDb> }

/**
 * Drops the constraints of all tables except primary keys, as an owner can: an attack may break any of them.
 */
export async function unguard({ owner }: Owned): Promise<void> {
  const { rows } = await sql<{ statement: string }>`
    select format('alter table %s drop constraint if exists %I cascade', conrelid::regclass, conname) as statement
    from pg_constraint where connamespace = 'treeos'::regnamespace and conrelid <> 0 and contype in ('c', 'u', 'f')
    union all
    select format('drop index treeos.%I', c.relname) from pg_index i join pg_class c on c.oid = i.indexrelid
    where c.relnamespace = 'treeos'::regnamespace and i.indisunique and not i.indisprimary
      and not exists (select from pg_constraint k where k.conindid = i.indexrelid)`.execute(owner)
  for (const { statement } of rows) await sql.raw(statement).execute(owner)
}

export async function dump({ owner }: Owned): Promise<Dump> {
  const { rows: columns } = await sql<{ table: string; name: string; type: string; key: number | null }>`
    select c.relname as table, a.attname as name, format_type(a.atttypid, a.atttypmod) as type,
      array_position(i.indkey::int2[], a.attnum) as key
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    left join pg_index i on i.indrelid = c.oid and i.indisprimary
    where c.relnamespace = 'treeos'::regnamespace and c.relkind = 'r' and a.attgenerated = ''
    order by c.relname, a.attnum`.execute(owner)
  const tables = new Map<string, Table>()
  for (const [name, own] of Map.groupBy(columns, ({ table }) => table)) {
    const list = own.map((column) => `"${column.name}"::text as "${column.name}"`).join()
    const { rows } = await sql.raw<Row>(`select ${list} from treeos.${name}`).execute(owner)
    const key = own.flatMap((column) => (column.key === null ? [] : [column.name]))
    tables.set(name, { name, columns: new Map(own.map((column) => [column.name, column.type])), key, rows })
  }
  return tables
}

export const keyOf = ({ key }: Table, row: Readonly<Row>): string =>
  JSON.stringify(key.map((column) => row[column]))

/** What turns one dump into another. */
export function difference(from: Dump, to: Dump, tables: Iterable<string> = from.keys()): Change[] {
  return [...tables].flatMap((name) => {
    const table = tableOf(from, name)
    return changesOf(table, tableOf(to, name).rows)
  })
}

export function changesOf(table: Table, rows: readonly Readonly<Row>[]): Change[] {
  const changes: Change[] = []
  const left = new Map(table.rows.map((row) => [keyOf(table, row), row]))
  for (const after of rows) {
    const key = keyOf(table, after)
    const before = left.get(key) ?? null
    left.delete(key)
    const isSame = before !== null && [...table.columns.keys()].every((name) => before[name] === after[name])
    if (!isSame) changes.push({ table: table.name, before, after })
  }
  for (const before of left.values()) changes.push({ table: table.name, before, after: null })
  return changes
}

export function tableOf(from: Dump, name: string): Table {
  const table = from.get(name)
  if (table === undefined) throw new Error(`there is no table ${name}`)
  return table
}

/** Makes changes in one transaction, without triggers. */
export async function make(at: Owned, shape: Dump, changes: readonly Change[]): Promise<void> {
  const statements = [
    ...changes.flatMap(({ table, before }) =>
      before === null ? [] : [deletion(tableOf(shape, table), before)],
    ),
    ...changes.flatMap(({ table, after }) =>
      after === null ? [] : [insertion(tableOf(shape, table), after)],
    ),
  ]
  await tamper(at, statements.join(';\n'))
}

export const undone = (changes: readonly Change[]): Change[] =>
  changes.map(({ table, before, after }) => ({ table, before: after, after: before }))

function deletion({ name, key, columns }: Table, row: Readonly<Row>): string {
  const is = key.map((column) => `"${column}" = ${literal(row[column] ?? null, columns.get(column) ?? '')}`)
  return `delete from treeos.${name} where ${is.join(' and ')}`
}

function insertion({ name, columns }: Table, row: Readonly<Row>): string {
  const names = [...columns.keys()].map((column) => `"${column}"`).join()
  const values = [...columns].map(([column, type]) => literal(row[column] ?? null, type)).join()
  return `insert into treeos.${name} (${names}) overriding system value values (${values})`
}

const literal = (value: string | null, type: string): string =>
  value === null ? 'null' : `'${value.replaceAll("'", "''")}'::${type}`
