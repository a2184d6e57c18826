/** Backups of a database without the keys of sealed texts, by SQL. */
import type { openDatabase } from '@treeos/store'
import { sql } from 'kysely'

type Database = ReturnType<typeof openDatabase>

export type Backup = ReadonlyMap<string, readonly string[]>
/** A backup of all tables but that of the keys: each row as JSON, by table. */
export async function dumpOf(owner: Database): Promise<Backup> {
  const { rows } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables
    where table_schema = 'treeos' and table_type = 'BASE TABLE' and table_name <> 'sealed_text'`.execute(
    owner,
  )
  const linesOf = async ({ name }: { name: string }) => {
    const from = sql.table(`treeos.${name}`)
    const found = await sql<{ line: string }>`select to_jsonb(t)::text as line from ${from} t`.execute(owner)
    return [name, found.rows.map(({ line }) => line)] as const
  }
  return new Map(await Promise.all(rows.map(linesOf)))
}
export const isIn = (backup: Backup, text: string): boolean =>
  [...backup.values()].some((lines) =>
    lines.some((line) => line.includes(text) || line.includes(Buffer.from(text).toString('hex'))),
  )
/** Puts a backup into a database that is migrated. */
export async function restore(backup: Backup, into: Database): Promise<void> {
  await into.transaction().execute(async (to) => {
    await sql`set local session_replication_role = replica`.execute(to)
    for (const [table, lines] of backup) {
      const name = sql.table(`treeos.${table}`)
      const { rows } = await sql<{ list: string }>`
        select string_agg(quote_ident(column_name), ', ') as list from information_schema.columns
        where table_schema = 'treeos' and table_name = ${table} and is_generated = 'NEVER'`.execute(to)
      const columns = sql.raw(rows[0]!.list)
      await sql`delete from ${name}`.execute(to)
      await sql`insert into ${name} (${columns}) overriding system value
        select ${columns} from unnest(${lines}::text[]) as given(line),
          jsonb_populate_record(null::${name}, given.line::jsonb)`.execute(to)
    }
  })
}
