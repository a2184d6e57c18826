/**
 * Somebody has the login of the sequencer, or one that acts for persons, and runs statements of its own. Each
 * attack is refused. Control: the owner of the tables gets the same statement through, but for what nobody
 * may do.
 */
import { openDatabase, type StoreDb } from '@treeos/store'
import { type Kysely, sql } from 'kysely'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { attempt, tally, useOpened } from './stolen.ts'

const base = useOpened()
const count = tally('doors of the sequencer and of persons')
let sequencer: Kysely<StoreDb>
beforeAll(async () => {
  const login = inject('sequencerPostgresUrl')
  if (login === null) throw new Error('set TREEOS_SEQUENCER_DATABASE_URL to a member of treeos_sequencer')
  const url = Object.assign(new URL(login), { pathname: new URL(base.url).pathname })
  // Without taking a role: a thief has the login alone.
  sequencer = openDatabase(url.href, { asOwner: true, poolMax: 1 })
  await sql`update treeos.log_state set size = 4, journal = 1`.execute(base.owner)
  await sql`insert into treeos.log_tile (level, index, hashes) values (0, 0, ${Buffer.alloc(64, 1)})`.execute(
    base.owner,
  )
})
afterAll(() => sequencer?.destroy())

const run = (db: Kysely<StoreDb>, statement: string) =>
  attempt(db, (tx) =>
    sql
      .raw(statement)
      .execute(tx)
      .then(() => 'done'),
  )

/**
 * These functions refuse what the attack gives them, also when their owner calls them: then only the right
 * tells the two apart.
 */
async function mayCall(db: Kysely<StoreDb>, name: string): Promise<boolean> {
  const { rows } = await sql<{ may: boolean }>`
    select bool_or(has_function_privilege(oid, 'execute')) as may from pg_proc
    where proname = ${name} and pronamespace = 'treeos'::regnamespace`.execute(db)
  return rows[0]?.may === true
}

async function expectOwnersAlone(statement: string, login: Kysely<StoreDb>): Promise<void> {
  const [, enqueues] = /treeos\.(enqueue_\w+)/.exec(statement) ?? []
  if (enqueues === undefined) expect(await run(base.owner, statement)).not.toBe('42501')
  else expect([await mayCall(login, enqueues), await mayCall(base.owner, enqueues)]).toEqual([false, true])
}

const OF_SEQUENCER: readonly (readonly [string, string])[] = [
  ['what a fact says', 'select bytes from treeos.fact'],
  ['the header of a fact', 'select header from treeos.fact'],
  ['what a moment says', 'select record from treeos.moment_outcome'],
  ['what waits', 'select id from treeos.inbox'],
  ['a row', 'select state from treeos.projection'],
  ['a face', 'select bytes from treeos.blob'],
  ['access tokens', 'select secret_hash from treeos.token'],
  ['an append', `select treeos.append('{}')`],
  ['an act', `select treeos.enqueue_act('{"kind": "act"}')`],
  ['an act by signal', `select treeos.enqueue_signal('{"kind": "act"}')`],
  ['an access token', `select treeos.issue_token('t', 'ann', 'operator', sha256('x'), 30)`],
  ['an overlay', `select treeos.set_overlay('workspace', 'reality', 'n', 'obey', null, 'operator')`],
  ['an entry of the journal', `insert into treeos.journal (moment, reels, seqs) values (null, '{}', '{}')`],
  ['another place of the journal', `select setval('treeos.journal_entry_seq', 9)`],
  ['another moved head', `update treeos.head set seq = seq`],
  ['another reality', `update treeos.reality set name = 'x'`],
  ['another hash in the log', `update treeos.log_entry set hash = hash`],
  ['another place of a tile', `update treeos.log_tile set index = 9`],
  ['the role of workers', 'set role treeos_app'],
  ['the role of persons', 'set role treeos_people'],
]

it.each(OF_SEQUENCER)('the login of the sequencer does not get at %s', async (_what, statement) => {
  const answer = await run(sequencer, statement)
  count(answer)
  expect(answer).toBe('42501')
  await expectOwnersAlone(statement, sequencer)
})

it.each([
  ['a shorter log', 'update treeos.log_state set size = 3'],
  ['an earlier end of the log', 'update treeos.log_state set journal = 0'],
  ['another hash in a tile', `update treeos.log_tile set hashes = decode(repeat('02', 64), 'hex')`],
  ['a shorter tile', `update treeos.log_tile set hashes = decode(repeat('01', 32), 'hex')`],
])('nobody writes %s', async (_what, statement) => {
  const answer = await run(sequencer, statement)
  count(answer === 'TR001' ? '42501' : answer)
  expect([answer, await run(base.owner, statement)]).toEqual(['TR001', 'TR001'])
})

it('control: the sequencer makes the log longer', async () => {
  expect(await run(sequencer, 'update treeos.log_state set size = 5, journal = 2')).toBe('done')
  const longer = `update treeos.log_tile set hashes = hashes || decode(repeat('02', 32), 'hex')`
  expect(await run(sequencer, longer)).toBe('done')
})

it.each([0, -1, 61, 999_999])(
  'a lease is not renewed for %d seconds by a login of persons',
  async (seconds) => {
    const answer = await run(base.people, `select treeos.renew_lease('ann', 3, ${seconds})`)
    count(answer)
    expect(answer).toBe('42501')
    expect(await run(base.people, `select treeos.renew_lease('ann', 3, 20)`)).toBe('done')
  },
)

const OF_PERSONS: readonly (readonly [string, string])[] = [
  ['an append', `select treeos.append('{}')`],
  ['an event', `select treeos.enqueue_event('{"kind": "event"}')`],
  ['an opened moment', 'insert into treeos.moment_open select * from treeos.moment_open limit 0'],
  ['a decision', 'insert into treeos.moment_decision select * from treeos.moment_decision limit 0'],
  ['a new life', `select * from treeos.begin_life('kid', 'x', 'y')`],
  ['a claimed wake', `select * from treeos.claim('kid', 'kid/1/1', 1)`],
  ['a reserved budget', `select treeos.reserve('kid/1/1', 'kid', 1, 1, 1)`],
  ['what a call cost', `select treeos.settle('kid/1/1', 1, 0, 0, false)`],
  ['an effect', `select treeos.record_effect('kid/1/1', 'x', '{}', '[]')`],
  ['the hash of a secret', 'select secret_hash from treeos.token'],
  ['the secret of a token', `update treeos.token set secret_hash = sha256('x')`],
  ['a token past its function', `insert into treeos.token (id) values ('x')`],
  [
    'an overlay past its function',
    `insert into treeos.overlay (tier, scope, name, content) values ('workspace', 'reality', 'x', 'y')`,
  ],
  ['another past of an overlay', `update treeos.overlay_change set by = 'x'`],
  ['a blob', `insert into treeos.blob (digest, bytes) values (repeat('0', 64), 'x')`],
  ['the role of workers', 'set role treeos_app'],
]

it.each(OF_PERSONS)('the login of persons does not get at %s', async (_what, statement) => {
  const people = openDatabase(base.peopleUrl, { asOwner: true, poolMax: 1 })
  const answer = await run(people, statement)
  count(answer)
  expect(answer).toBe('42501')
  await expectOwnersAlone(statement, people)
  await people.destroy()
})
