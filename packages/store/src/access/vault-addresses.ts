import { sql } from 'kysely'
import type { Db } from '../sql/database.ts'

/** After this time without a renewal the worker of a vault counts as dead. */
const SILENCE_SECONDS_MAX = 15
const LATER = sql`pg_catalog.clock_timestamp() + make_interval(secs => ${SILENCE_SECONDS_MAX})`

/** Says where a vault listens, until it is silent. Forgets those that have been silent for an hour. */
export async function announceVault(
  db: Db,
  { id, url }: { readonly id: string; readonly url: string },
): Promise<void> {
  await sql`
    with gone as (delete from treeos.vault where expires < pg_catalog.clock_timestamp() - interval '1 hour')
    insert into treeos.vault (id, url, expires) values (${id}, ${url}, ${LATER})
    on conflict (id) do update set url = excluded.url, expires = excluded.expires`.execute(db)
}

export async function forgetVault(db: Db, id: string): Promise<void> {
  await db.deleteFrom('vault').where('id', '=', id).execute()
}

/** Where a vault listens, or did listen. @returns null when its worker has stopped in order */
export async function findVault(
  db: Db,
  id: string,
): Promise<{ readonly url: string; readonly lives: boolean } | null> {
  const { rows } = await sql<{ url: string; lives: boolean }>`
    select url, expires > pg_catalog.clock_timestamp() as lives from treeos.vault where id = ${id}`.execute(
    db,
  )
  return rows[0] ?? null
}

/** The vaults that live, the last announced first. */
export async function listVaults(db: Db): Promise<{ readonly id: string; readonly url: string }[]> {
  const { rows } = await sql<{ id: string; url: string }>`
    select id, url from treeos.vault where expires > pg_catalog.clock_timestamp() order by expires desc`.execute(
    db,
  )
  return rows
}
