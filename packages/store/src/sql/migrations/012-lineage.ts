import { type Kysely, sql } from 'kysely'
import { runSqlFile } from '../files.ts'

/**
 * The children of beings by role. A database may have the table without the column, or with it: then it gets the column with the
 * role that children had before there were others, or stays as it is.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table if not exists treeos.children (
      child text primary key,
      parent text not null,
      role text not null default 'generalist',
      state text, -- how far it has come; null for a child without a profile
      asleep boolean not null default false
    )`.execute(db)
  await sql`
    alter table treeos.children
      add column if not exists role text not null default 'generalist',
      add column if not exists state text,
      add column if not exists asleep boolean not null default false`.execute(db)
  await sql`create index if not exists children_role on treeos.children (role, parent)`.execute(db)
  await runSqlFile(db, 'functions/ledger/keep-children')
  await sql`
    create or replace trigger projection_child_born after insert on treeos.projection
      for each row when (new.key like 'being:%' and new.parent is not null)
      execute function treeos.keep_children()`.execute(db)
  // A row is canonical JSON, so its text shows whether its being may have a profile.
  await sql`
    create or replace trigger projection_child_changed after update on treeos.projection
      for each row when (new.key like 'being:%' and new.parent is not null and new.state like '%"lineage":{%')
      execute function treeos.keep_children()`.execute(db)
  await sql`
    create or replace trigger projection_child_gone after delete on treeos.projection
      for each row when (old.key like 'being:%' and old.parent is not null)
      execute function treeos.keep_children()`.execute(db)
  await sql`
    insert into treeos.children (child, parent)
      select substr(key, 7), parent from treeos.projection where key like 'being:%' and parent is not null
      on conflict do nothing`.execute(db)
  await sql`
    do $$ begin
      if exists (select from pg_roles where rolname = 'treeos_app') then
        grant select on treeos.children to treeos_app;
      end if;
    end $$`.execute(db)
}
