/**
 * Whoever owns the tables changes what guards them, or plants what no function would write: verify shows it.
 */
import { randomUUID } from 'node:crypto'
import { newWake } from '@treeos/core'
import { verifyAll } from '@treeos/proofs'
import { enqueue, faultsOfCatalog } from '@treeos/store'
import { FOLD } from '@treeos/world'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { useDatabase } from '../support/database.ts'
import { putWake } from '../support/wakes.ts'

const base = useDatabase()

const CHANGES: readonly (readonly [string, string, string])[] = [
  [
    'a disabled trigger',
    'alter table treeos.fact disable trigger fact_fixed',
    'trigger-mismatch fact.fact_fixed',
  ],
  [
    'a dropped trigger',
    'drop trigger fact_payload_erased on treeos.fact',
    'trigger-mismatch fact.fact_payload_erased',
  ],
  [
    'a trigger of somebody',
    'create trigger mine before insert on treeos.fact for each row execute function suppress_redundant_updates_trigger()',
    'trigger-mismatch fact.mine',
  ],
  [
    'a replaced function',
    `create or replace function treeos.has_ended(whose text) returns boolean language sql as 'select false'`,
    'function-mismatch has_ended',
  ],
  [
    'a second function of a name',
    `create function treeos.append(batch text) returns integer language sql as 'select 1'`,
    'function-mismatch append',
  ],
  [
    'a function less',
    'drop function treeos.is_sent(jsonb, treeos.inbox, treeos.inbox)',
    'function-mismatch is_sent',
  ],
  [
    'a function with the rights of its caller',
    'alter function treeos.enqueue_act(jsonb) security invoker',
    'function-mismatch enqueue_act',
  ],
  [
    'a generated column that is an ordinary one',
    'alter table treeos.projection alter column found_as drop expression',
    'table-mismatch projection.found_as',
  ],
  [
    'a generated column with another expression',
    `alter table treeos.projection drop column found_as, add found_as text generated always as (case when key like 'being:%' then 'scheduling' end) stored`,
    'table-mismatch projection.found_as',
  ],
  [
    'a right to a table',
    'grant insert on treeos.inbox to treeos_app',
    'rights-mismatch treeos_app: insert inbox',
  ],
  [
    'a right to a column',
    'grant update (expires) on treeos.lease to treeos_app',
    'rights-mismatch treeos_app: update lease',
  ],
  [
    'a right to the vectors of notes',
    'grant update (vectors) on treeos.sealed_text to treeos_app',
    'rights-mismatch treeos_app: update sealed_text',
  ],
  [
    'a right to a function',
    'grant execute on function treeos.revoke_token(text, text) to treeos_app',
    'rights-mismatch treeos_app: execute revoke_token',
  ],
  [
    'a right of everybody',
    'grant execute on function treeos.erase_moment(text, text) to public',
    'rights-mismatch public: execute erase_moment',
  ],
]

it('nothing is wrong with the schema as it was made', async () => {
  expect(await faultsOfCatalog(base.people)).toEqual([])
})

it.each(CHANGES)('%s shows', async (_what, statement, fault) => {
  const over = new Error('taken back')
  let found: string[] = []
  await base.owner
    .transaction()
    .execute(async (tx) => {
      await sql.raw(statement).execute(tx)
      found = (await faultsOfCatalog(tx)).map(({ reason, key }) => `${reason} ${key}`)
      throw over
    })
    .catch((error: unknown) => {
      if (error !== over) throw error
    })
  expect(found).toContain(fault)
})

it('verify shows a changed guard, and an act of a person that no rightful login put there', async () => {
  const verified = async () =>
    (await verifyAll(base.people, base.reality.id, FOLD)).broken.map(({ reason }) => reason)
  expect(await verified()).toEqual([])
  await sql`insert into treeos.projection (key, reel, state, folded_seq, cognition) values ('being:ann', 'being:ann', '{}', 1, 'human')`.execute(
    base.owner,
  )
  const before = await verified()
  const act = (id: string) =>
    newWake({ id: `act/${id}`, being: 'ann', kind: 'act', priority: 1, content: { call: {} } })
  await enqueue(base.people, 'act', act(randomUUID()))
  expect(await verified()).toEqual(before) // control: a rightful login
  await putWake(base.owner, act(randomUUID()))
  await sql`alter table treeos.fact disable trigger fact_fixed`.execute(base.owner)
  expect((await verified()).filter((reason) => !before.includes(reason)).sort()).toEqual([
    'act-unexplained',
    'trigger-mismatch',
  ])
})
