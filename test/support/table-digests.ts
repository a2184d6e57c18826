import type { StoreDb } from '@treeos/store'
import { type Kysely, sql } from 'kysely'

/**
 * What runs by itself: workers tell where their vaults are, and the log follows the journal in its own time.
 */
const RENEWED = ['vault', 'log_entry', 'log_state', 'log_tile', 'worker']

/** A digest of each table of the store: equal before and after whatever must leave no trace. */
export async function tableDigests(owner: Kysely<StoreDb>): Promise<Record<string, string>> {
  const { rows } = await sql<{ name: string }>`
    select tablename as name from pg_tables where schemaname = 'treeos' order by tablename`.execute(owner)
  const digests: Record<string, string> = {}
  for (const { name } of rows) {
    if (RENEWED.includes(name)) continue
    const table = sql.table(`treeos.${name}`)
    const found = await sql<{ digest: string }>`
      select md5(coalesce(string_agg(t::text, '|' order by t::text), '')) as digest from ${table} t`.execute(
      owner,
    )
    digests[name] = found.rows[0]?.digest ?? ''
  }
  return digests
}
