import { type Kysely, sql } from 'kysely'
import { runSqlFile } from '../files.ts'

/** A claim reserves its call in fewer statements, and an append reads the open reservations of its moment once. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const name of ['budgets/reserve-first', 'budgets/keep-budgets', 'moments/claim-and-read'])
    await runSqlFile(db, `functions/${name}`)
  // Not by `rights.sql`, which names functions of all migrations of this version.
  await sql`revoke execute on function treeos.reserve_first(text, text, integer, bigint, bigint) from public`.execute(
    db,
  )
  await sql`
    do $$ begin
      if exists (select from pg_roles where rolname = 'treeos_app') then
        grant execute on function treeos.reserve_first(text, text, integer, bigint, bigint) to treeos_app;
      end if;
    end $$`.execute(db)
}
