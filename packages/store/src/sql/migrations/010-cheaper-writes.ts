import { type Kysely, sql } from 'kysely'
import { runSqlFile } from '../files.ts'

/** Makes the writes of a moment cheaper: fewer indexes, updates that change no index, and functions that do less. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // No query uses these: the primary key finds a moment's attempts, and nothing looks for a moment record by its hash.
  await sql`drop index treeos.reservation_open`.execute(db)
  await sql`alter table treeos.moment_outcome drop constraint moment_outcome_hash_key`.execute(db)
  // Only append writes payloads, each after its fact, and no fact is ever deleted.
  await sql`alter table treeos.payload drop constraint payload_reel_seq_fkey`.execute(db)
  // An index that names the state makes each new state of a row a new entry in every index of the table.
  await sql`
    alter table treeos.projection add column scheduling boolean not null
      generated always as (key like 'being:%' and state like '%"schedule":{%') stored`.execute(db)
  await sql`drop index treeos.projection_scheduling`.execute(db)
  await sql`create index projection_scheduling on treeos.projection (key) where scheduling`.execute(db)
  for (const name of [
    'inbox/claim',
    'inbox/count-waiting',
    'inbox/wake-watchers',
    'budgets/lock-accounts',
    'budgets/settle-locked',
    'budgets/reserve',
  ])
    await runSqlFile(db, `functions/${name}`)
}
