/** A database as an older version made it: its schema, its rows, and what its workers said to it afterwards. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import pg from 'pg'

/** A statement that a process sent, with its values. */
export interface Statement {
  /** number of the connection */
  readonly client: number
  readonly text: string
  readonly values: readonly unknown[]
}

interface Table {
  /** with its schema */
  readonly name: string
  /** without those that Postgres generates */
  readonly columns: readonly string[]
  /** rows as JSON, in the order of `columns` */
  readonly rows: readonly string[]
}

export interface RecordedDatabase {
  /** statements of the migrations */
  readonly schema: readonly Statement[]
  readonly tables: readonly Table[]
  /** last values by name; null before the first one */
  readonly sequences: Readonly<Record<string, string | null>>
  /** what clients and workers of that version said next, while beings lived */
  readonly afterwards: readonly Statement[]
  /** moments that were sealed by then, by being */
  readonly moments: Readonly<Record<string, number>>
}

export const RECORDED = import.meta.dirname
const fileOf = (name: string): string => join(RECORDED, `${name}.json.gz`)

export async function readRecorded(name: string): Promise<RecordedDatabase> {
  return JSON.parse(gunzipSync(await readFile(fileOf(name))).toString('utf8'), revive) as RecordedDatabase
}
export const writeRecorded = (name: string, database: RecordedDatabase): Promise<void> =>
  writeFile(fileOf(name), gzipSync(JSON.stringify(database, bytesAsText), { level: 9 }))

/** A Buffer is an object of its bytes by the time a replacer sees it. */
const bytesAsText = (_: string, value: unknown) => {
  const { type, data } = (value ?? {}) as { type?: unknown; data?: number[] }
  return type === 'Buffer' && data !== undefined ? { $bytes: Buffer.from(data).toString('base64') } : value
}
const revive = (_: string, value: unknown) => {
  const { $bytes } = (value ?? {}) as { $bytes?: string }
  return typeof $bytes === 'string' ? Buffer.from($bytes, 'base64') : value
}

/** Notes every statement of this process until it is stopped. */
export function noteStatements(): { readonly noted: Statement[]; stop(): void } {
  const noted: Statement[] = []
  const clients = new Map<pg.Client, number>()
  const { query } = pg.Client.prototype
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    const [first, second] = args as [string | { text: string; values?: unknown[] }, unknown]
    const { text, values } = typeof first === 'string' ? { text: first, values: second } : first
    if (!clients.has(this)) clients.set(this, clients.size)
    noted.push({ client: clients.get(this) ?? 0, text, values: Array.isArray(values) ? [...values] : [] })
    return (query as (...all: unknown[]) => unknown).apply(this, args)
  } as typeof query
  const stop = () => {
    pg.Client.prototype.query = query
  }
  return { noted, stop }
}

const OURS = `n.nspname in ('treeos', 'treeos_migrations')`

/** Reads all rows and sequences, as the owner. Nobody may write meanwhile. */
export async function readDatabase(url: string): Promise<Pick<RecordedDatabase, 'tables' | 'sequences'>> {
  return withClient(url, async (client) => {
    const { rows: columns } = await client.query<{ name: string; columns: string[] }>(`
      select format('%I.%I', n.nspname, c.relname) as name, array_agg(a.attname::text order by a.attnum) as columns
      from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
      where ${OURS} and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
      group by 1 order by 1`)
    const tables: Table[] = []
    for (const { name, columns: names } of columns) {
      const list = names.map((column) => `"${column}"`).join(', ')
      const { rows } = await client.query<{ row: string }>(
        `select row_to_json(t)::text as row from (select ${list} from ${name}) t`,
      )
      if (rows.length > 0) tables.push({ name, columns: names, rows: rows.map(({ row }) => row) })
    }
    const { rows: sequences } = await client.query<{ name: string; last: string | null }>(`
      select format('%I.%I', schemaname, sequencename) as name, last_value::text as last from pg_sequences
      where schemaname in ('treeos', 'treeos_migrations') order by 1`)
    return { tables, sequences: Object.fromEntries(sequences.map(({ name, last }) => [name, last])) }
  })
}

/** Makes an empty database that one, as the server's own user. */
export async function restore(url: string, { schema, tables, sequences }: RecordedDatabase): Promise<void> {
  await withClient(url, async (client) => {
    for (const { text, values } of schema) await client.query(text, [...values])
    await client.query('set session_replication_role = replica')
    for (const { name } of tables) await client.query(`delete from ${name}`) // what the migrations wrote
    for (const { name, columns, rows } of tables) {
      const list = columns.map((column) => `"${column}"`).join(', ')
      await client.query(
        `insert into ${name} (${list}) overriding system value
           select ${list} from json_populate_recordset(null::${name}, $1)`,
        [`[${rows.join(',')}]`],
      )
    }
    for (const [name, last] of Object.entries(sequences))
      if (last !== null) await client.query('select setval($1, $2)', [name, last])
  })
}

/** @param use runs with a connection of its own */
export async function withClient<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}
