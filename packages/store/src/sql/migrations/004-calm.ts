import { type Kysely, sql } from 'kysely'
import { runSqlFile } from '../files.ts'

/** Notices that are equal are one entry with a count; beings without a budget of their own have the standard one. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table treeos.inbox
      add column notice text, -- what notices to one person must share to be one entry; null for anything but a notice
      add column times integer not null default 1, -- how many notices this entry stands for
      add column latest timestamptz -- when the last of them came; null while there is one`.execute(db)
  await sql`
    create unique index inbox_notice on treeos.inbox (being, notice)
      where notice is not null and closed_by is null`.execute(db)
  for (const name of [
    'budgets/standard',
    'budgets/is-hurried',
    'budgets/is-paced',
    'budgets/is-parked',
    'budgets/take-pace',
    'budgets/reserve',
    'inbox/write-inbox',
    'inbox/write-notices',
    'ledger/append',
  ])
    await runSqlFile(db, `functions/${name}`)
}
