import { type Kysely, sql } from 'kysely'

/** What else wakes a being than a summon or a change of what its flow reads. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(SCHEDULING).execute(db)
}

const SCHEDULING = `
-- Few of many beings have a schedule. A row is canonical JSON, so text says whether one may; a row in which only a
-- content says so is read in vain.
create index projection_scheduling on treeos.projection (key)
  where key like 'being:%' and state like '%"schedule":{%';
`
