import { type Kysely, sql } from 'kysely'
import { runSqlFile } from '../files.ts'

/** A claim says whether somebody watches what the model writes; a call under way can be cancelled; a paused being claims nothing. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const name of ['inbox/claim', 'moments/claim-and-read', 'moments/cancel-call'])
    await runSqlFile(db, `functions/${name}`)
  // Not by `rights.sql`, which names functions of all migrations of this version.
  await sql`revoke execute on function treeos.cancel_call(text, text, bytea, bytea) from public`.execute(db)
  await sql`
    do $$ begin
      if exists (select from pg_roles where rolname = 'treeos_app') then
        grant execute on function treeos.cancel_call(text, text, bytea, bytea) to treeos_app;
      end if;
    end $$`.execute(db)
}
