import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { round } from '../statistics.ts'

/** Bytes by the name of a table or an index. */
export type Sizes = ReadonlyMap<string, number>

/** What one moment adds, in bytes, largest first. */
export type Split = Readonly<Record<string, number>>

export function growth(before: Sizes, after: Sizes, moments: number): Split {
  const grown = [...after].map(
    ([name, bytes]) => [name, (bytes - (before.get(name) ?? 0)) / moments] as const,
  )
  return Object.fromEntries(
    grown
      .filter(([, bytes]) => bytes !== 0)
      .toSorted(([, a], [, b]) => b - a)
      .map(([name, bytes]) => [name, round(bytes)]),
  )
}

/** `table` without its indexes, `table.index`, and what is stored outside of its rows, `table (toast)`. */
export async function sizesOfPostgres(databaseUrl: string): Promise<Sizes> {
  const rows = await ask<{ name: string; bytes: number }>(
    databaseUrl,
    `select coalesce(main.relname || ' (toast)', its.relname || '.' || c.relname, c.relname) as name,
       pg_relation_size(c.oid)::float8 as bytes
     from pg_class c left join pg_class main on main.reltoastrelid = c.oid
       left join pg_index i on i.indexrelid = c.oid left join pg_class its on its.oid = i.indrelid
     where c.relkind in ('r', 'i', 't') and coalesce(main.relnamespace, c.relnamespace) = 'treeos'::regnamespace`,
  )
  return new Map(rows.map(({ name, bytes }) => [name, bytes]))
}

export const isTable = (name: string): boolean => /^\w+$/.test(name)

/** Mean bytes of each column of a table, over rows that have it; of all rows of the table. */
export async function columnsOf(databaseUrl: string, table: string): Promise<Split> {
  const columns = await ask<{ name: string }>(
    databaseUrl,
    `select attname as name from pg_attribute
     where attrelid = format('treeos.%I', $1::text)::regclass and attnum > 0 and not attisdropped`,
    [table],
  )
  const means = columns
    .map(({ name }) => pg.escapeIdentifier(name))
    .map((name) => `coalesce(sum(pg_column_size(${name})), 0)::float8 / count(*) as ${name}`)
  const [row] = await ask<Record<string, number>>(
    databaseUrl,
    `select pg_relation_size('treeos.${table}')::float8 / count(*) as "bytes of a row's place",
       avg(pg_column_size(t.*))::float8 as "bytes of a row", ${means.join(', ')}
     from treeos.${table} t having count(*) > 0`,
  )
  return Object.fromEntries(
    Object.entries(row ?? {}).flatMap(([name, bytes]) => (bytes === 0 ? [] : [[name, round(bytes)]])),
  )
}

async function ask<Row>(
  databaseUrl: string,
  statement: string,
  values: readonly string[] = [],
): Promise<Row[]> {
  const client = new pg.Client(databaseUrl)
  await client.connect()
  try {
    return (await client.query(statement, [...values])).rows
  } finally {
    await client.end()
  }
}

const COPIES_MAX = 10

/**
 * Tables and indexes of a SQLite file, its free pages and its log. The server locks the file, so a copy of
 * both files is read. A copy that was made during a write can be damaged; then another one is made.
 * @param file of a server that has nothing to do
 */
export async function sizesOfSqlite(file: string): Promise<Sizes> {
  const folder = mkdtempSync(join(tmpdir(), 'treeos-bench-copy-'))
  const copy = join(folder, 'copy.db')
  try {
    for (let tries = 1; ; tries++) {
      for (const end of ['', '-wal'])
        if (existsSync(`${file}${end}`)) copyFileSync(`${file}${end}`, `${copy}${end}`)
      try {
        return sizesOfCopy(copy)
      } catch (error) {
        if (tries === COPIES_MAX) throw error
        await sleep(200)
      }
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function sizesOfCopy(copy: string): Sizes {
  const db = new DatabaseSync(copy)
  try {
    const [{ quick_check: verdict } = {}] = db.prepare('pragma quick_check').all()
    if (verdict !== 'ok') throw new Error(`the copy is damaged: ${verdict}`)
    const sizes = new Map(
      db
        .prepare('select name, pgsize as bytes from dbstat where aggregate = true')
        .all()
        .map(({ name, bytes }) => [String(name), Number(bytes)]),
    )
    const [{ free } = {}] = db
      .prepare('select freelist_count * page_size as free from pragma_freelist_count(), pragma_page_size()')
      .all()
    return sizes.set('free pages', Number(free))
  } finally {
    db.close()
  }
}
