import { sql } from 'kysely'
import type { Db } from './database.ts'

/** What somebody made in our database that belongs to no table of ours: a tool of the operator, or of an intruder. */
export interface SchemaObserver {
  readonly kind: 'publication' | 'subscription' | 'event trigger'
  readonly name: string
  /** what it does, as the rest of a sentence */
  readonly does: string
}

/** The first word of the comment by which the owner of the database says that an observer is meant to be there. */
const ACCEPTED = 'accepted'

/**
 * Lists publications that send rows of our tables to other servers, subscriptions that write there what another server sends, and event triggers that do not belong to an extension of Postgres.
 * Left out are those that a comment accepts: `comment on publication NAME is 'accepted: why'`.
 */
export async function listObservers(db: Db): Promise<SchemaObserver[]> {
  const { rows } = await sql<SchemaObserver>`
    select kind, name, does from (
      select 'publication' as kind, p.pubname::text as name, 'sends to other servers what is written to '
          || case when p.puballtables then 'all tables' else (
            select string_agg(t.tablename, ', ' order by t.tablename) from pg_catalog.pg_publication_tables t
            where t.pubname = p.pubname and t.schemaname = 'treeos') end as does,
        obj_description(p.oid, 'pg_publication') as said
      from pg_catalog.pg_publication p
      union all
      select 'subscription', s.subname::text, 'writes what another server sends', obj_description(s.oid, 'pg_subscription')
      from pg_catalog.pg_subscription s join pg_catalog.pg_database d on d.oid = s.subdbid
      where d.datname = current_database() and s.subenabled
      union all
      select 'event trigger', e.evtname::text, 'runs ' || e.evtfoid::regproc || '() at each ' || e.evtevent,
        obj_description(e.oid, 'pg_event_trigger')
      from pg_catalog.pg_event_trigger e where e.evtenabled <> 'D' and not exists (
        select from pg_catalog.pg_depend d where d.objid in (e.oid, e.evtfoid) and d.deptype = 'e')
    ) as found where does is not null and coalesce(said, '') not like ${`${ACCEPTED}%`} order by kind, name`.execute(
    db,
  )
  return rows
}
