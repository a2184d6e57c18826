import { openDatabase, type StoreDb } from '@treeos/store'
import { type Kysely, sql } from 'kysely'
import { emptyDatabase } from './database.ts'

/** What the schema holds in an empty database after this ran as the owner. */
export async function catalogAfter(run: (owner: Kysely<StoreDb>) => Promise<unknown>): Promise<unknown[]> {
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

/**
 * Tables with columns, defaults, constraints, indexes, triggers and rights; functions with their text and
 * rights.
 */
async function catalogOf(db: Kysely<StoreDb>): Promise<unknown[]> {
  const { rows } = await sql`
    with ours as (select oid, relname, relkind, relacl from pg_class where relnamespace = 'treeos'::regnamespace)
    select relname as name, attname as part, format_type(atttypid, atttypmod) || case when attnotnull then ' not null' else '' end
        || ' ' || attstorage::text || coalesce(' ' || pg_get_expr(adbin, adrelid), '') as type, attacl::text as rights
      from ours join pg_attribute a on attrelid = ours.oid and attnum > 0 and not attisdropped and relkind <> 'i'
      left join pg_attrdef d on d.adrelid = ours.oid and d.adnum = a.attnum
    union all select relname, 'rights', relkind::text, relacl::text from ours where relkind <> 'i'
    union all select indexrelid::regclass::text, 'index', pg_get_indexdef(indexrelid), null from pg_index join ours on ours.oid = indrelid
    union all select conrelid::regclass::text, conname, pg_get_constraintdef(pg_constraint.oid), null
      from pg_constraint join ours on ours.oid = conrelid where contype <> 'n'
    union all select typname, conname, pg_get_constraintdef(c.oid), null
      from pg_constraint c join pg_type t on t.oid = contypid where typnamespace = 'treeos'::regnamespace
    union all select tgrelid::regclass::text, tgname, pg_get_triggerdef(pg_trigger.oid), null
      from pg_trigger join ours on ours.oid = tgrelid where not tgisinternal
    union all select proname, prosrc, pg_get_function_identity_arguments(oid), proacl::text
      from pg_proc where pronamespace = 'treeos'::regnamespace
    order by 1, 2`.execute(db)
  return rows
}
