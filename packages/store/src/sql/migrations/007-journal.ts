import { type Kysely, sql } from 'kysely'
import { runSqlFile } from '../files.ts'

/** A journal of all appends, so that readers can follow what happens and resume where they stopped. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table treeos.journal (
      entry bigint generated always as identity primary key,
      moment text,
      reels text[] not null,
      seqs bigint[] not null
    )`.execute(db)
  await sql`
    do $$ begin
      if exists (select from pg_roles where rolname = 'treeos_app') then
        grant select on treeos.journal, treeos.journal_entry_seq to treeos_app;
      end if;
    end $$`.execute(db)
  for (const name of ['ledger/keep-journal', 'ledger/append']) await runSqlFile(db, `functions/${name}`)
}
