import { type Kysely, sql } from 'kysely'
import { runSqlFile } from '../files.ts'

/**
 * Overlays. `overlay` is the only table that holds the text of any. Postgres logs the whole row when a constraint of a table
 * fails, so the columns beside the text are checked by domains, whose errors name no other column.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create domain treeos.stored_tier as text check (value in ('channel', 'workspace', 'account'))`.execute(
    db,
  )
  await sql`
    create table treeos.overlay (
      tier treeos.stored_tier,
      scope text, -- the channel's name; reality; or the being of a person
      name text,
      content text,
      applies text[], -- names of Signatures; null: the entry Signature
      set_by text,
      set_at timestamptz default clock_timestamp(),
      primary key (tier, scope, name)
    )`.execute(db)
  // That the overlay of a thread changed. Its text is in a vault, which the handle names.
  await sql`
    create table treeos.overlay_change (
      id bigint generated always as identity primary key,
      thread text not null,
      tier text not null default 'thread' check (tier = 'thread'),
      commitment text, -- null: it was taken away
      handle text,
      by text not null,
      at timestamptz not null default clock_timestamp()
    )`.execute(db)
  await sql`create index overlay_change_thread on treeos.overlay_change (thread, id)`.execute(db)
  await sql`
    create trigger overlay_change_fixed before update or delete or truncate on treeos.overlay_change
      for each statement execute function treeos.refuse_change()`.execute(db)
  // Where the vaults of workers listen, each until it expires.
  await sql`create table treeos.vault (id text primary key, url text not null, expires timestamptz not null)`.execute(
    db,
  )
  await sql`alter table treeos.inbox add column overlay text`.execute(db) // the handle of a vault
  await sql`alter table treeos.moment_decision add column overlay jsonb`.execute(db) // {tiers, mode, commitment}
  for (const name of [
    'inbox/write-inbox',
    'moments/write-moment',
    'access/may-set-overlay',
    'access/set-overlay',
    'access/delete-overlay',
  ])
    await runSqlFile(db, `functions/${name}`)
  await sql`
    do $$ begin
      if exists (select from pg_roles where rolname = 'treeos_app') then
        grant select on treeos.overlay to treeos_app;
        grant select, insert, update, delete on treeos.vault to treeos_app;
        grant select, insert on treeos.overlay_change to treeos_app;
      end if;
    end $$`.execute(db)
}
