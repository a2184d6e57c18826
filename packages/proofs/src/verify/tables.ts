import { type Db, faultsOfCatalog } from '@treeos/store'
import { sql } from 'kysely'
import type { ChainFault } from './verdict.ts'

/**
 * Finds tables that may show different rows to different readers: a view or a foreign table in place of a
 * table, a rule on it, or row security. Finds functions, triggers and rights that are not as this version
 * ships them, too. Postgres answers this about itself, so whoever can change the server's program can hide
 * such a table. A bundle is checked without Postgres.
 */
export async function faultsOfTables(tx: Db): Promise<ChainFault[]> {
  const { rows } = await sql<ChainFault>`
    select 'schema' as reel, 0 as seq, 'table-mismatch' as reason, c.relname::text as key
    from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'treeos' and c.relkind in ('r', 'p', 'v', 'm', 'f')
      and (c.relkind <> 'r' or c.relrowsecurity or exists (select from pg_catalog.pg_rewrite r where r.ev_class = c.oid))
    order by c.relname`.execute(tx)
  const catalog = await faultsOfCatalog(tx)
  return [...rows, ...catalog.map((fault) => ({ reel: 'schema', seq: 0, ...fault }))]
}
