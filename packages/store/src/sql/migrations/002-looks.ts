import { type Kysely, sql } from 'kysely'
import { runSqlFile } from '../files.ts'

/** Wakes that go on from a look, summons that expect no reply, and channels. The rights on the table cover its new columns. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table treeos.inbox
      add column answers text,
      add column looks smallint not null default 0,
      add column expect_reply boolean not null default true,
      add column channel text`.execute(db)
  await sql`create index inbox_channel on treeos.inbox (channel) where channel is not null`.execute(db)
  await runSqlFile(db, 'functions/inbox/write-inbox')
}
