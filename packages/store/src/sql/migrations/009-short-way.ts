import { type Kysely, sql } from 'kysely'
import { runSqlFile } from '../files.ts'

/** An append may bring the open record and the decision of its moment. A table says which calls of minds are under way. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table treeos.mind_call (
      moment text primary key,
      worker text not null, -- process that makes the call
      expires timestamptz not null -- renewed while the process lives
    )`.execute(db)
  await sql`
    do $$ begin
      if exists (select from pg_roles where rolname = 'treeos_app') then
        grant select, insert, update, delete on treeos.mind_call to treeos_app;
      end if;
    end $$`.execute(db)
  for (const name of ['moments/write-moment', 'budgets/keep-budgets', 'ledger/hold', 'ledger/append'])
    await runSqlFile(db, `functions/${name}`)
  await sql`revoke execute on function treeos.write_moment(jsonb) from public`.execute(db)
}
