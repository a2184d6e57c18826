/**
 * Somebody has the login of a worker, and calls every function that it may call with forged arguments. Each
 * forgery is refused. Control: the owner of the tables, whom no function checks, gets the same statement
 * through.
 */
import { createHash, randomUUID } from 'node:crypto'
import { newWake, type Wake } from '@treeos/core'
import { type Db, encodeWake, recordOpen } from '@treeos/store'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { putWake } from '../support/wakes.ts'
import { wakeFor } from './batch.ts'
import { attempt, CALL, KID, OPERATOR, openingOf, tally, useOpened } from './stolen.ts'

const base = useOpened()
const count = tally('other functions')

describe('enqueue_event takes no wake that the row of its being does not name:', () => {
  const idle = { actor: '@kid', event: 'idle', seconds: 60 }
  const own = (more: Partial<Wake> = {}): Wake =>
    newWake({ id: 'idle/kid/1/9', being: 'kid', kind: 'event', priority: 4, content: idle, ...more })
  const enqueueEvent = (tx: Db, wake: Wake) =>
    sql<{ added: boolean }>`select treeos.enqueue_event(${JSON.stringify(encodeWake(wake))}::jsonb) as added`
      .execute(tx)
      .then(({ rows }) => rows[0]?.added)

  it.each<[string, Partial<Wake>]>([
    ['an act', { kind: 'act' }],
    ['a summon', { kind: 'summon' }],
    ['a caller', { caller: { name: 'operator', role: null, cognition: 'human' } }],
    ['a channel', { channel: 'x' }],
    ['a cause', { cause: 'ab' }],
    ['another content', { content: { ...idle, say: 'obey' } }],
    ['a text', { content: 'obey' }],
    ['another silence', { content: { ...idle, seconds: 1 } }],
    ['another being', { being: 'ann' }],
    ['a being that is not born', { being: 'nobody', id: 'idle/nobody/1/1' }],
    ['a schedule that it has not', { id: 'schedule/kid/daily/now' }],
    ['a notice', { id: 'notice/kid/1/1/operator' }],
    ['a trigger of an extension', { id: 'court:sitting/kid/1/1' }],
    ['another thread', { root: 'told-kid' }],
  ])('%s', async (_what, more) => {
    const answer = await attempt(base.db, (tx) => enqueueEvent(tx, own(more)))
    count(answer)
    expect(answer).toBe('42501')
    const entry = encodeWake(own(more)) as never
    const raw = await attempt(base.owner, (tx) =>
      tx
        .insertInto('inbox')
        .values(entry)
        .execute()
        .then(() => 'in'),
    )
    expect(raw).toBe('in') // control: only who asks was wrong
  })

  it('control: it takes what the row names', async () => {
    expect(await attempt(base.db, (tx) => enqueueEvent(tx, own()))).toBe(true)
  })
})

/** What a worker may call besides, and what it makes of forged arguments. */
const CALLABLE = new Set(
  (
    'append append_together asks_back begin_life brings_yes claim claim_and_read claim_together close_hosted concerned_by current_generation enqueue_event genesis has_ended hold_over is_held is_hosted is_hurried is_paced ' +
    'is_parked json_of keep_vector keys_shown kind_of lease_is_valid line_of lock_heads may_set_overlay note_restore open_moment read_set record_effect record_effect_result record_fault ' +
    'refuse_change release_claim release_delayed reserve reserve_first seal_text settle standard text_of told wakes'
  ).split(' '),
)

it('a worker may call no function that is not in the list above, whatever it gives it', async () => {
  const { rows } = await sql<{ name: string; call: string }>`
    select p.proname as name, format('select %s(%s)', p.oid::regproc, (
      select string_agg(format('null::%s', format_type(t, null)), ', ' order by n) from unnest(p.proargtypes) with ordinality as _(t, n))) as call
    from pg_proc p where p.pronamespace = 'treeos'::regnamespace and p.prorettype <> 'trigger'::regtype order by 1`.execute(
    base.owner,
  )
  for (const { name, call } of rows.filter((row) => !CALLABLE.has(row.name))) {
    const answer = await attempt(base.db, (tx) =>
      sql
        .raw(call)
        .execute(tx)
        .then(() => 'done'),
    )
    count(answer)
    expect([name, answer]).toEqual([name, '42501'])
  }
  expect(rows.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['issue_token', 'set_overlay', 'enqueue_act']),
  )
})

it('a worker holds no place among acts that are counted for a moment that was never opened', async () => {
  const record = (moment: string) => (tx: Db) =>
    sql`select treeos.record_effect(${moment}, 'x', '{}'::bytea, '[{"reel": "tally:/shop do.x", "seq": 0, "payload": "7b7d"}]')`
      .execute(tx)
      .then(() => 'done')
  const answer = await attempt(base.db, record('kid/1/999999'))
  count(answer)
  expect(answer).toBe('42501')
  expect(await attempt(base.db, record(`${KID.being}/1/${KID.n}`))).toBe('done') // control: one that is open
})

it.each([
  ['an access token', sql`select treeos.issue_token('t', 'operator', 'operator', ${sha()}, 30)`],
  ['an overlay', sql`select treeos.set_overlay('workspace', 'reality', 'n', 'obey', null, 'operator')`],
  ['the end of a lease’s time', sql`select treeos.renew_lease('ann', 3, 20)`],
  [
    'an act of the operator',
    sql`select treeos.enqueue_act(${JSON.stringify(encodeWake(newWake({ id: 'act/x', being: 'operator', kind: 'act', priority: 1, content: { call: CALL } })))}::jsonb)`,
  ],
])('%s needs a login that acts for persons', async (_what, statement) => {
  const run = (tx: Db) => statement.execute(tx).then(() => 'done')
  const answer = await attempt(base.db, run)
  count(answer)
  expect(answer).toBe('42501')
  expect(await attempt(base.people, run)).toBe('done')
})

it.each([
  ['a moment for a wake of another', { ...KID, wake: 'told-ann' }],
  ['a moment for no wake', { ...KID, wake: randomUUID() }],
  ['a moment of a person for a summon', { ...OPERATOR, wake: 'told-operator' }],
])('%s is not opened', async (_what, at) => {
  await putWake(base.owner, wakeFor('operator', 'told-operator'))
  const answer = await attempt(base.db, (tx) =>
    recordOpen(tx, { ...openingOf(at), moment: `${at.being}/1/9` }),
  )
  count(answer)
  expect(answer).toBe('42501')
  const raw = await attempt(base.owner, (tx) =>
    recordOpen(tx, { ...openingOf(at), moment: `${at.being}/1/9` }),
  )
  expect(raw).toBe(true)
})

function sha(): Buffer {
  return createHash('sha256').update('x').digest()
}
