/**
 * Somebody has the login of a worker, and says yes in the name of a person. Each forgery is refused. Control:
 * the owner of the tables, whom no function checks, gets the same batch in; and a worker does where the
 * person's own act says it.
 */
import {
  asJson,
  canonicalJson,
  type FactDraft,
  type Json,
  type JsonObject,
  newWake,
  type Wake,
} from '@treeos/core'
import { append, type Batch, newDecision, recordDecision } from '@treeos/store'
import { sql } from 'kysely'
import { beforeAll, expect, it } from 'vitest'
import { batchOf, OPENED_AT } from './batch.ts'
import { attempt, KID, OPERATOR, type Opened, tally, useOpened } from './stolen.ts'

const base = useOpened()
const count = tally('approvals')

const ID = 'ann/1/1'
const PAY = { verb: 'do', operation: 'till:pay', target: '/shop', args: { euros: 40 } }
const ROW = {
  id: ID,
  asker: 'ann',
  call: PAY,
  rules: [{ by: '/shop permissions.do.till:pay', who: ['operator'], count: 1 }],
  ties: {},
  roles: ['resident'],
  wake: 'told-ann',
  root: 'told-ann',
  person: 'operator',
  target: '/shop',
  caller: { name: 'asker', role: null, cognition: 'human' },
  question: 'told-ann',
  askedRole: null,
  lease: null,
  at: OPENED_AT,
  given: [],
  revision: 1,
  state: 'open',
}
const rowWith = (id: string, more: JsonObject) =>
  sql`insert into treeos.projection (key, reel, state, folded_seq) values
    (${`approval:${id}`}, ${`approval:${id}`}, ${JSON.stringify({ ...ROW, id, ...more })}, 1)`.execute(
    base.owner,
  )

beforeAll(async () => {
  await rowWith(ID, { expiresAt: Date.now() + 3_600_000 })
  await rowWith('ann/1/2', { expiresAt: OPENED_AT })
  await rowWith('kid/1/9', { asker: 'kid', state: 'given', expiresAt: Date.now() + 3_600_000 })
  await sql`insert into treeos.moment_open (moment, being, n, wake, opened_at, record, basis) values
    (${ID}, 'ann', 1, 'told-ann', ${OPENED_AT}, '{}', '{}')`.execute(base.owner)
})

const of = (at: Opened, drafts: readonly FactDraft[], more: Partial<Parameters<typeof batchOf>[2]> = {}) =>
  batchOf(base.db, base.reality, { moment: at, drafts, ...more, outcome: { wake: at.wake, ...more.outcome } })
const alone = (...drafts: FactDraft[]) => batchOf(base.db, base.reality, { moment: null, drafts })
const fact = (kind: string, payload: JsonObject = {}, id = ID): FactDraft => ({
  reel: `approval:${id}`,
  kind: `approval:${kind}`,
  payload,
})
const yes = (call: Json = PAY): FactDraft => fact('given', { call, digest: 'd' })
const entry = (id: string, being: string, more: Partial<Wake> = {}): Wake =>
  newWake({
    id,
    being,
    kind: 'event',
    priority: 3,
    root: 'told-ann',
    content: { event: id.slice(0, id.indexOf('/')), approval: ID, actor: '@kid', call: PAY },
    ...more,
  })
const silent = { kind: 'see' } as const

const FORGERIES: Readonly<Record<string, () => Promise<Batch>>> = {
  'a yes of a being': () => of(KID, [yes()]),
  'a no of a being': () => of(KID, [fact('denied')]),
  'a yes of a person whose act asks for something else': () => of(OPERATOR, [yes()], { outcome: silent }),
  'a no of a person whose act asks for something else': () =>
    of(OPERATOR, [fact('denied')], { outcome: silent }),
  'a yes of nobody': () => alone(yes()),
  'an end of a question before its time': () => alone(fact('expired')),
  'the use of a yes by a moment that did not bring it': () => of(KID, [fact('used', {}, 'kid/1/9')]),
  'the end of a yes by a moment that did not bring it': () => of(KID, [fact('voided', {}, 'kid/1/9')]),
  'a question under the id of another moment': () => of(KID, [fact('asked', { call: PAY }, 'ann/1/7')]),
  'another fact on the reel of a question': () => of(KID, [{ ...fact('asked'), kind: 'quality:set' }]),
  'a fact of a question on another reel': () => of(KID, [{ ...yes(), reel: 'being:kid' }]),
  'an entry that asks a person, without the fact': () =>
    of(KID, [], { inbox: [entry('asked/kid/1/1/operator', 'operator')] }),
  'a wake that says yes, without the fact': () => of(KID, [], { inbox: [entry(`approved/${ID}`, 'ann')] }),
  'a wake that says no, without the fact': () => of(KID, [], { inbox: [entry(`denied/${ID}`, 'ann')] }),
}

it.each(Object.keys(FORGERIES))('a worker cannot write %s', async (what) => {
  const batch = (await FORGERIES[what]?.()) as Batch
  const asWorker = await attempt(base.db, (tx) => append(tx, batch))
  count(asWorker)
  expect(asWorker).toBe('42501')
  expect(await attempt(base.owner, (tx) => append(tx, batch))).toMatchObject({ status: 'appended' })
})

it('control: a worker ends a question that is too old', async () => {
  const batch = await alone(fact('expired', {}, 'ann/1/2'))
  expect(await attempt(base.db, (tx) => append(tx, batch))).toMatchObject({ status: 'appended' })
})

it('a worker writes the yes to which the act of a person comes, and no other', async () => {
  const act = async (args: JsonObject, operation = 'approve') => {
    const call = { verb: 'do', operation, target: '@operator', args }
    await sql`update treeos.inbox set content = ${Buffer.from(canonicalJson({ answers: null, call }))}
      where id = ${OPERATOR.wake}`.execute(base.owner)
    return newDecision({ kind: 'call', call: asJson(call) as never, content: null })
  }
  const tried = async (args: JsonObject, draft: FactDraft, action?: string) => {
    const decision = await act(args, action)
    const batch = await of(OPERATOR, [draft], { closes: [] })
    return attempt(base.db, async (tx) => {
      await recordDecision(tx, 'operator/1/1', decision)
      return append(tx, batch)
    })
  }
  const going = newWake({
    id: `approved/${ID}`,
    being: 'ann',
    kind: 'event',
    priority: 3,
    caller: { name: 'asker', role: null, cognition: 'human' },
    root: 'told-ann',
    answers: 'told-ann',
    content: { event: 'approved', approval: ID, actor: '@operator', call: PAY },
  })
  const waking = async () => {
    const decision = await act({ id: ID })
    const batch = await of(OPERATOR, [yes()], { inbox: [going] })
    return attempt(base.db, async (tx) => {
      await recordDecision(tx, 'operator/1/1', decision)
      return append(tx, batch)
    })
  }
  expect(await waking()).toMatchObject({ status: 'appended' })
  await sql`update treeos.projection set state = replace(state, '"count":1', '"count":2') where key = ${`approval:${ID}`}`.execute(
    base.owner,
  )
  expect(await waking()).toBe('42501') // one more has to say yes
  await sql`update treeos.projection set state = replace(state, '"count":2', '"count":1') where key = ${`approval:${ID}`}`.execute(
    base.owner,
  )
  const other = { ...PAY, args: { euros: 20 } }
  expect(await tried({ id: ID }, yes())).toMatchObject({ status: 'appended' })
  expect(await tried({ id: ID, args: { euros: 20 } }, yes(other))).toMatchObject({ status: 'appended' })
  expect(await tried({ id: ID }, fact('denied'), 'deny')).toMatchObject({ status: 'appended' })
  expect(await tried({ id: ID }, yes(other))).toBe('42501')
  expect(await tried({ id: ID, args: { euros: 20 } }, yes())).toBe('42501')
  expect(await tried({ id: ID }, yes({ ...PAY, target: '/' }))).toBe('42501')
  expect(await tried({ id: ID }, yes(), 'deny')).toBe('42501')
  const late = fact('given', { call: PAY, digest: 'd' }, 'ann/1/2')
  expect(await tried({ id: 'ann/1/2' }, late)).toBe('42501') // it waited until long ago
  await sql`update treeos.projection set state = replace(state, '"revision":1', '"revision":2') where key = ${`approval:${ID}`}`.execute(
    base.owner,
  )
  expect(await tried({ id: ID }, yes())).toBe('42501') // it is another call by now
  expect(await tried({ id: `${ID}/2` }, yes())).toMatchObject({ status: 'appended' })
  expect(await tried({ id: 'kid/1/9' }, yes())).toBe('42501')
  // is given already
  expect(await tried({ id: 'kid/1/9' }, fact('given', { call: PAY, digest: 'd' }, 'kid/1/9'))).toBe('42501')
})
