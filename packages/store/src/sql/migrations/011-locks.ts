import { type Kysely, sql } from 'kysely'
import { runSqlFile } from '../files.ts'

/** Takes the plain writes of closed entries and of effects from workers: functions that check write them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const name of ['inbox/close-entries', 'moments/record-effect', 'moments/record-effect-result'])
    await runSqlFile(db, `functions/${name}`)
  await sql`
    do $$ begin
      if exists (select from pg_roles where rolname = 'treeos_app') then
        revoke update (closed_by, closed_at) on treeos.inbox from treeos_app;
        revoke insert, update (result) on treeos.moment_effect from treeos_app;
      end if;
    end $$`.execute(db)
}
