import { type ChainDb, openDatabase } from '@treeos/store'
import { type Kysely, sql } from 'kysely'
import { emptyDatabase } from './database.ts'

/** What the schema holds in an empty database after this ran as the owner. */
export async function catalogAfter(run: (owner: Kysely<ChainDb>) => Promise<unknown>): Promise<unknown[]> {
  const { url, drop } = await emptyDatabase()
  const owner = openDatabase(url, { asOwner: true })
  try {
    await run(owner)
    return await catalogOf(owner)
  } finally {
    await owner.destroy()
    await drop()
  }
}

/** Tables with their columns and rights, and functions with their text and rights. */
async function catalogOf(db: Kysely<ChainDb>): Promise<unknown[]> {
  const { rows } = await sql`
    select c.relname as name, a.attname as part, format_type(a.atttypid, a.atttypmod) as type, c.relacl::text as rights
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
    where c.relnamespace = 'treeos'::regnamespace
    union all
    select proname, prosrc, pg_get_function_identity_arguments(oid), proacl::text
    from pg_proc where pronamespace = 'treeos'::regnamespace
    order by 1, 2`.execute(db)
  return rows
}
