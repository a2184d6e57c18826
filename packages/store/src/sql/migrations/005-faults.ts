import { type Kysely, sql } from 'kysely'
import { runSqlFile } from '../files.ts'

/** Adds a table for the errors of failed attempts of a model, a script, an operation or an effect. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table treeos.moment_fault (
      moment text not null,
      part text not null check (part in ('model', 'script', 'decide', 'effect')),
      attempt integer not null check (attempt > 0),
      at timestamptz not null default clock_timestamp(),
      seconds double precision not null,
      message text not null,
      stack text,
      primary key (moment, part, attempt)
    )`.execute(db)
  await runSqlFile(db, 'functions/moments/keep-fault')
  await sql`
    do $$ begin
      if exists (select from pg_roles where rolname = 'treeos_app') then
        grant select on treeos.moment_fault to treeos_app;
      end if;
    end $$`.execute(db)
}
