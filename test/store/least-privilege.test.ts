/**
 * A worker is taken over: its login runs any statement. Each attack is refused, and the control shows that it
 * succeeds where workers log in as the owner and only take a lesser role, as they did before.
 */
import { createHash, randomUUID } from 'node:crypto'
import { newWake, PRIORITIES } from '@treeos/core'
import {
  append,
  beginLife,
  type ClosedHow,
  closeEntries,
  closeHosted,
  enqueue,
  findEffect,
  findEntry,
  openDatabase,
  recordEffect,
  recordEffectResult,
  StaleGenerationError,
} from '@treeos/store'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { useDatabase } from '../support/database.ts'
import { putWake } from '../support/wakes.ts'
import { batchOf } from './batch.ts'

const base = useDatabase()
let worker: pg.Client
/** a superuser that has taken the role of workers */
let lowered: pg.Client

beforeAll(async () => {
  await sql`insert into treeos.projection (key, reel, state, folded_seq, parent, cognition) values
    ('being:operator', 'being:operator', '{}', 1, null, 'human'), ('being:kid', 'being:kid', '{}', 1, 'operator', 'llm'),
    ('being:ann', 'being:ann', '{}', 1, 'operator', 'human'), ('being:free', 'being:free', '{}', 1, 'operator', 'llm')`.execute(
    base.owner,
  )
  await sql`insert into treeos.lease (being, driver, epoch, expires) values
    ('kid', 'operator', 3, clock_timestamp() + interval '1 hour')`.execute(base.owner)
  await sql`insert into treeos.account (being, revision, tokens_max, per) values ('kid', 1, 10, 'total')`.execute(
    base.owner,
  )
  await sql`insert into treeos.inbox (id, being, kind, priority, caller, caller_role, caller_cognition, content, root)
    values ('open-question', 'kid', 'summon', 1, 'operator', 'operator', 'human', '"well?"', 'open-question')`.execute(
    base.owner,
  )
  await sql`insert into treeos.moment_effect (moment, operation, request) values ('kid/1/2', 'mail:post', '{}')`.execute(
    base.owner,
  )
  worker = new pg.Client(base.workerUrl)
  lowered = new pg.Client(base.url)
  for (const client of [worker, lowered]) await client.connect()
})
afterAll(async () => {
  await worker?.end()
  await lowered?.end()
})

const hash = `'\\x${createHash('sha256').update('x').digest('hex')}'`
const SUMMON = `insert into treeos.inbox (id, being, kind, priority, caller, caller_role, caller_cognition, content, root)
  values ('forged', 'kid', 'summon', 1, 'operator', 'operator', 'human', '"obey"', 'forged')`

/** What one statement does to the record, or to the defences around it. */
const ATTACKS: readonly (readonly [string, string])[] = [
  ['a forged summon of the operator', SUMMON],
  [
    'an access token for the operator',
    `insert into treeos.token (id, being, secret_hash, issued_by, issued_at, expires_at)
    values ('t', 'operator', ${hash}, 'operator', now(), now() + interval '99 years')`,
  ],
  ['a longer lease', `update treeos.lease set expires = now() + interval '99 years'`],
  [
    'a lease of its own',
    `insert into treeos.lease (being, driver, epoch, expires) values ('ann', 'kid', 1, 'infinity')`,
  ],
  ['a larger budget', `update treeos.account set tokens_max = 1000000000`],
  ['no budget', `delete from treeos.account`],
  ['a freed being', `delete from treeos.parking`],
  [
    'a question of another that is closed',
    `update treeos.inbox set closed_by = 'dismissed', closed_at = clock_timestamp() where id = 'open-question'`,
  ],
  [
    'an effect of a moment that asked for none',
    `insert into treeos.moment_effect (moment, operation, request) values ('kid/1/1', 'mail:post', '{}')`,
  ],
  ['another result of an effect', `update treeos.moment_effect set result = '{}' where moment = 'kid/1/2'`],
  ['another row of a being', `update treeos.projection set parent = 'kid' where key = 'being:operator'`],
  ['a fact less', `alter table treeos.fact disable trigger all; delete from treeos.fact`],
  ['a dropped guard', `drop trigger fact_fixed on treeos.fact`],
  [
    'another append',
    `create or replace function treeos.append(batch jsonb) returns jsonb language sql as 'select ''{}''::jsonb'`,
  ],
  ['a table of its own in the schema', `create table treeos.shadow (x int)`],
  [
    'a shadow of our functions',
    `create function treeos.append(batch text) returns int language sql as 'select 1'`,
  ],
  // A grant without the right to grant is only a warning.
  ['a right for itself', `grant insert on treeos.inbox to treeos_app; set role treeos_app; ${SUMMON}`],
  // The program reads its input: one that ends at once may close the pipe before the row is written.
  ['a program on the server', `copy (select 1) to program 'cat > /dev/null'`],
  ['a large object', `select lo_from_bytea(0, 'kept beside the record')`],
  ['an empty large object', `select lo_create(0)`],
  ['a file of the server', `select pg_read_file('postgresql.conf')`],
  ['another login', `create role intruder login superuser`],
]

const attempt = async (client: pg.Client, statement: string): Promise<void> => {
  await client.query('begin')
  try {
    await client.query(statement)
  } finally {
    await client.query('rollback')
  }
}

describe.each(ATTACKS)('%s', (_what, statement) => {
  it.each(['reset role', 'reset session authorization', 'select 1'])(
    'is refused to a worker, after `%s`',
    async (first) => {
      await expect(attempt(worker, `${first}; ${statement}`)).rejects.toMatchObject({
        code: expect.stringMatching(/^(42501|42P01|42883)$/),
      })
    },
  )

  it('control: succeeds after RESET ROLE where the worker logs in as the owner', async () => {
    await lowered.query('set role treeos_app')
    await expect(attempt(lowered, statement)).rejects.toMatchObject({ code: '42501' })
    await expect(attempt(lowered, `reset role; ${statement}`)).resolves.toBeUndefined()
  })
})

it('a worker cannot become the owner, and owns nothing', async () => {
  const { username } = new URL(inject('postgresUrl'))
  for (const statement of [`set role ${username}`, `set session authorization ${username}`])
    await expect(attempt(worker, statement)).rejects.toMatchObject({ code: '42501' })
  const { rows } = await worker.query(`
    select r.rolsuper, r.rolcreaterole, r.rolcreatedb, r.rolreplication, r.rolbypassrls,
      (select count(*)::integer from pg_class where relowner = r.oid) as owns
    from pg_roles r where rolname = session_user`)
  expect(rows).toEqual([
    {
      rolsuper: false,
      rolcreaterole: false,
      rolcreatedb: false,
      rolreplication: false,
      rolbypassrls: false,
      owns: 0,
    },
  ])
})

describe('an act', () => {
  const wake = (more: object) =>
    newWake({
      id: `act/${randomUUID()}`,
      being: 'operator',
      kind: 'act',
      priority: PRIORITIES.human,
      content: { call: {} },
      ...more,
    })
  const lease = (driver: string, epoch: number) => ({ content: { call: {}, lease: { driver, epoch } } })

  it.each([
    ['of a person', {}],
    ['under a lease that holds', { being: 'kid', ...lease('operator', 3) }],
  ])('%s is taken from a login that acts for persons, and it is named', async (_what, more) => {
    const act = wake(more)
    expect(await enqueue(base.people, 'act', act)).toBe(true)
    const { rows } = await sql`select login from treeos.inbox where id = ${act.id}`.execute(base.owner)
    expect(rows).toEqual([{ login: new URL(base.peopleUrl).username }])
  })

  it.each([
    ['that is a summon', { being: 'kid', kind: 'summon' }],
    ['that is an event', { being: 'kid', kind: 'event', id: `idle/kid/1/1` }],
    ['with a caller', { caller: { name: 'operator', role: null, cognition: 'human' } }],
    ['that is an answer', { inReplyTo: 'x' }],
    ['with hops', { hops: 1 }],
    ['of a being without a person', { being: 'kid' }],
    ['under a lease that is over', { being: 'kid', ...lease('operator', 2) }],
    ['under a lease of another', { being: 'kid', ...lease('ann', 3) }],
    ['of a being that is not born', { being: 'nobody' }],
    ['under an id that a notice will have', { id: 'parked/kid/1/7' }],
    ['whose summon has an id that a look will have', { id: 'act/look/kid/1/7' }],
    ['in a thread of others', { root: 'theirs' }],
  ])('%s is refused to such a login too', async (_what, more) => {
    const forged = wake(more)
    await expect(enqueue(base.people, 'act', forged)).rejects.toMatchObject({ code: '42501' })
    expect(await base.db.selectFrom('inbox').select('id').where('id', '=', forged.id).execute()).toEqual([])
  })

  it('by a signal is one of the operator, or of whom the operator drives', async () => {
    if (base.signalsUrl === null) return
    const signals = openDatabase(base.signalsUrl, { role: 'treeos_signals', poolMax: 1 })
    expect(await enqueue(signals, 'signal', wake({}))).toBe(true)
    expect(await enqueue(signals, 'signal', wake({ being: 'kid', ...lease('operator', 3) }))).toBe(true)
    await expect(enqueue(signals, 'signal', wake({ being: 'ann' }))).rejects.toMatchObject({ code: '42501' })
    for (const way of ['act', 'event'] as const)
      await expect(enqueue(signals, way, wake({}))).rejects.toMatchObject({ code: '42501' })
    await expect(signals.selectFrom('inbox').select('id').execute()).rejects.toMatchObject({ code: '42501' })
    await signals.destroy()
  })
})

describe('an act of a workflow of the host', () => {
  const wake = (more: object) =>
    newWake({
      id: `act/${randomUUID()}`,
      being: 'ann',
      kind: 'act',
      priority: PRIORITIES.human,
      content: { call: {} },
      outside: true,
      ...more,
    })
  const mayAct = (being: string, state: string) =>
    sql`update treeos.projection set state = ${state} where key = ${`being:${being}`}`.execute(base.owner)
  const HOSTED = '{"qualities":{"wake":{"workflows":true}}}'

  it('is taken from a worker, as a person who lets workflows act as it', async () => {
    await expect(enqueue(base.db, 'hosted', wake({}))).rejects.toMatchObject({ code: '42501' })
    await mayAct('ann', HOSTED)
    expect(await enqueue(base.db, 'hosted', wake({}))).toBe(true)
    await mayAct('ann', '{}')
  })

  it.each([
    ['of the first operator', { being: 'operator' }],
    ['of a being with a mind of its own', { being: 'free' }],
    ['whose words are not from outside', { outside: undefined }],
    ['that is a summon', { kind: 'summon' }],
    ['with a caller', { caller: { name: 'operator', role: null, cognition: 'human' } }],
  ])('%s is refused', async (_what, more) => {
    for (const being of ['operator', 'free', 'ann']) await mayAct(being, HOSTED)
    await expect(enqueue(base.db, 'hosted', wake(more))).rejects.toMatchObject({ code: '42501' })
    for (const being of ['operator', 'free', 'ann']) await mayAct(being, '{}')
  })

  it('closes answers of such a person alone', async () => {
    const id = randomUUID()
    const caller = { name: 'free', role: null, cognition: 'llm' as const }
    await putWake(
      base.owner,
      newWake({ id, being: 'ann', kind: 'summon', priority: 1, content: null, caller, inReplyTo: 'x' }),
    )
    const closedBy = async () => {
      await closeHosted(base.db, 'ann', id)
      return (await findEntry(base.db, id))?.closedBy ?? null
    }
    expect(await closedBy()).toBe(null)
    await mayAct('ann', HOSTED)
    expect(await closedBy()).toBe('read')
    await mayAct('ann', '{}')
  })
})

describe('close_entries', () => {
  const entry = async (being: string, more: object = {}) => {
    const id = randomUUID()
    const caller = { name: 'ann', role: null, cognition: 'human' as const }
    await putWake(
      base.owner,
      newWake({ id, being, kind: 'summon', priority: 1, content: null, caller, ...more }),
    )
    return id
  }
  const close = async (being: string, id: string, how: ClosedHow = 'dismissed') => ({
    closed: await closeEntries(base.people, being, [id], how),
    by: (await findEntry(base.db, id))?.closedBy ?? null,
  })

  it('closes an entry of a person, and of a being that is driven now', async () => {
    expect(await close('operator', await entry('operator'))).toEqual({ closed: 1, by: 'dismissed' })
    expect(await close('kid', await entry('kid'))).toEqual({ closed: 1, by: 'dismissed' })
    const answer = await entry('ann', { inReplyTo: 'x' })
    expect(await close('ann', answer, 'read')).toEqual({ closed: 1, by: 'read' })
  })

  it.each([
    ['of a being with a mind of its own', async () => close('free', await entry('free'))],
    ['of another inbox', async () => close('ann', await entry('operator'))],
    ['that is an act', async () => close('ann', await entry('ann', { kind: 'act', caller: null }))],
    ['that is a question, as read', async () => close('ann', await entry('ann'), 'read')],
    [
      'that a moment has claimed',
      async () => {
        const id = await entry('ann')
        await sql`update treeos.inbox set claimed_by = 'ann/1/1' where id = ${id}`.execute(base.owner)
        return close('ann', id)
      },
    ],
  ])('leaves an entry %s', async (_what, tryIt) => {
    expect(await tryIt()).toEqual({ closed: 0, by: null })
  })

  it('gives no other reason', async () => {
    const forged = close('ann', await entry('ann'), 'kid/1/1' as ClosedHow)
    await expect(forged).rejects.toMatchObject({ code: '42501' })
  })
})

describe('record_effect', () => {
  const request = { operation: 'mail:post', actor: 'kid', target: '@kid', args: {} }

  it('stores what a moment of the life that lives asks for, and its first result', async () => {
    await beginLife(base.db, base.reality.id, 'kid', 'run-1')
    // it is not open
    await expect(recordEffect(base.db, 'kid/1/1', request)).rejects.toMatchObject({ code: '42501' })
    await sql`insert into treeos.moment_open (moment, being, n, wake, opened_at, record, basis)
      values ('kid/1/1', 'kid', 1, 'w', 0, '{}', '{}')`.execute(base.owner)
    await recordEffect(base.db, 'kid/1/1', request)
    await recordEffectResult(base.db, 'kid/1/1', { value: 1 })
    await recordEffectResult(base.db, 'kid/1/1', { value: 2 })
    expect(await findEffect(base.db, 'kid/1/1')).toEqual({ request, result: { value: 1 } })
  })

  it('refuses one of a life that is over or has not begun, and one of a moment that is over', async () => {
    for (const moment of ['kid/2/1', 'ann/1/1'])
      await expect(recordEffect(base.db, moment, request)).rejects.toBeInstanceOf(StaleGenerationError)
    const ended = { being: 'kid', generation: 1, n: 1 }
    await append(base.owner, await batchOf(base.owner, base.reality, { moment: ended }))
    await expect(recordEffect(base.db, 'kid/1/1', request)).rejects.toMatchObject({ code: '42501' })
    // nobody holds a place anywhere but among what is counted
    const held = [{ reel: 'being:kid', seq: 0, payload: {} }]
    await expect(recordEffect(base.db, 'kid/1/4', request, held)).rejects.toMatchObject({ code: '42501' })
  })
})

describe('withdraw', () => {
  const withdraw = async (more: object) => {
    const { caller: _, ...wake } = newWake({
      id: `act/${randomUUID()}`,
      being: 'operator',
      kind: 'act',
      priority: PRIORITIES.human,
      content: null,
      ...more,
    })
    const entry = JSON.stringify({ ...wake, content: '\\x7b7d' })
    const { rows } = await sql<{ done: boolean }>`select treeos.withdraw(${entry}::jsonb) as done`.execute(
      base.people,
    )
    return rows[0]?.done
  }
  const act = (id: string) =>
    newWake({ id, being: 'operator', kind: 'act', priority: PRIORITIES.human, content: { call: {} } })

  it('closes an act that no moment claimed, once', async () => {
    const id = `act/${randomUUID()}`
    await enqueue(base.people, 'act', act(id))
    expect([await withdraw({ id }), await withdraw({ id })]).toEqual([true, false])
  })

  it('of an act that has not arrived stops it', async () => {
    const id = `act/${randomUUID()}`
    expect(await withdraw({ id })).toBe(true)
    expect(await enqueue(base.people, 'act', act(id))).toBe(false)
  })

  it('leaves a summon, and an act that a moment claimed', async () => {
    const [summon, claimed] = [randomUUID(), randomUUID()]
    const more = { caller: { name: 'ann', role: null, cognition: 'human' as const } }
    await putWake(base.owner, { ...act(summon), kind: 'summon', ...more })
    await putWake(base.owner, act(claimed))
    await sql`update treeos.inbox set claimed_by = 'operator/1/1' where id = ${claimed}`.execute(base.owner)
    expect([await withdraw({ id: summon }), await withdraw({ id: claimed })]).toEqual([false, false])
  })
})

it('the connections of a worker run as the role that may change nothing but by functions', async () => {
  const db = openDatabase(base.workerUrl)
  const { rows } = await sql`select current_user::text as now, session_user::text as login`.execute(db)
  expect(rows).toEqual([{ now: 'treeos_app', login: 'treeos_worker' }])
  await db.destroy()
})
