/**
 * Somebody has the login of a worker, and calls every function that it may call with forged arguments. Each forgery is refused. Control: the
 * owner of the tables, whom no function checks, gets the same statement through.
 */
import { createHash, randomUUID } from 'node:crypto'
import { asJson, type FactDraft, type Json, newWake, speechOf, type Wake } from '@treeos/core'
import {
  type Appended,
  append,
  type Batch,
  type BuiltFact,
  beginLife,
  buildFacts,
  type Db,
  encodeWake,
  findEntry,
  newDecision,
  type RowWrite,
  recordDecision,
  recordOpen,
  type StoreDb,
} from '@treeos/store'
import { type Kysely, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { useDatabase } from '../support/database.ts'
import { claimId, putWake } from '../support/wakes.ts'
import { batchOf, OPENED_AT, wakeFor } from './batch.ts'

const base = useDatabase()
const tried = { kinds: 0, in: 0, refused: 0 }
afterAll(() => console.log(`stolen worker login: ${JSON.stringify(tried)}`))

/** A moment that a worker has opened in order, for a wake that waits for the being. */
interface Opened {
  readonly being: string
  readonly generation: number
  readonly n: number
  readonly wake: string
}
const KID = { being: 'kid', generation: 1, n: 1, wake: 'told-kid' }
const OPERATOR = { being: 'operator', generation: 1, n: 1, wake: 'act/asked' }
const CALL = { verb: 'do', action: 'move', target: '@operator', args: {} }

const rowOf = (name: string, parent: string | null, cognition: string): RowWrite => ({
  key: `being:${name}`,
  reel: `being:${name}`,
  state: { name, parent, cognition: { kind: cognition, script: null }, qualities: { wake: { idle: 60 } } },
  foldedSeq: 1,
  place: '/',
  parent,
  cognition,
  watches: null,
})

beforeAll(async () => {
  const rows = [
    rowOf('operator', null, 'human'),
    rowOf('kid', 'operator', 'llm'),
    rowOf('ann', 'operator', 'llm'),
    rowOf('grand', 'kid', 'llm'),
  ]
  await append(base.owner, await batchOf(base.owner, base.reality, { rows }))
  await sql`insert into treeos.lease (being, driver, epoch, expires) values ('ann', 'operator', 3, clock_timestamp() + interval '1 hour')`.execute(
    base.owner,
  )
  for (const being of ['kid', 'operator', 'ann']) await beginLife(base.db, base.reality.id, being, 'run-1')
  await putWake(base.owner, wakeFor('kid', KID.wake))
  await putWake(base.owner, wakeFor('ann', 'told-ann'))
  const act = newWake({ id: OPERATOR.wake, being: 'operator', kind: 'act', priority: 1, content: null })
  await putWake(base.owner, { ...act, content: asJson({ call: CALL, answers: null }) })
  for (const at of [KID, OPERATOR]) await open(at)
  const note = await batchOf(base.owner, base.reality, {
    drafts: [fact('space:/note', 'quality:set', { path: ['a'] })],
  })
  await append(base.owner, note)
  noted = hashOf(note)
})
/** hash of a fact of the whole reality */
let noted = ''

async function open(at: Opened): Promise<void> {
  const moment = `${at.being}/${at.generation}/${at.n}`
  expect(await claimId(base.db, base.reality.id, moment)).toBe(at.wake)
  await recordOpen(base.db, openingOf(at))
}

const openingOf = ({ being, n, wake, generation }: Opened) => ({
  moment: `${being}/${generation}/${n}`,
  being,
  n,
  wake,
  openedAt: OPENED_AT,
  record: {} as never,
  basis: {},
  face: null,
})

type Wish = Omit<Parameters<typeof batchOf>[2], 'moment'>
const of = (at: Opened, wish: Wish = {}): Promise<Batch> =>
  batchOf(base.db, base.reality, { moment: at, ...wish, outcome: { wake: at.wake, ...wish.outcome } })
const alone = (wish: Wish) => batchOf(base.db, base.reality, { moment: null, ...wish })

const ASKS = newWake({
  id: 'said',
  being: 'ann',
  kind: 'summon',
  priority: 3,
  caller: { name: 'kid', role: 'resident', cognition: 'llm' },
  content: 'a \0 word',
  root: 'told-kid',
})
const told = (wake: Wake): FactDraft => ({
  reel: 'being:kid',
  kind: 'being:summoned',
  payload: speechOf(wake),
})
const fact = (reel: string, kind: string, payload: FactDraft['payload'] = {}): FactDraft => ({
  reel,
  kind,
  payload,
})
const hashOf = (batch: Batch, i = 0): string => batch.facts[i]?.ref.hash ?? ''

/** The kid says something, and the wake of it is another one than the fact tells. */
async function saying(forged: Partial<Wake>, tells: readonly FactDraft[] = [told(ASKS)]): Promise<Batch> {
  const batch = await of(KID, { drafts: tells })
  return { ...batch, inbox: [{ ...ASKS, cause: hashOf(batch), ...forged }] }
}

/** A row of the kid after a fact of it. */
async function folding(draft: FactDraft, row: Partial<RowWrite>, at: Opened | null = KID): Promise<Batch> {
  const batch = at === null ? await alone({ drafts: [draft] }) : await of(at, { drafts: [draft] })
  const [first] = batch.facts as readonly [BuiltFact]
  const kid = rowOf('kid', 'operator', 'llm')
  return { ...batch, rows: [{ ...kid, foldedSeq: first.ref.seq, ...row }] }
}

/** Facts with another header than those of their moment. */
async function signed(by: { actor?: string; driver?: string }): Promise<Batch> {
  const draft = fact('being:kid', 'quality:set', { path: ['a'], value: 1 })
  const batch = await of(KID, { drafts: [draft] })
  const author = { driver: null, moment: 'kid/1/1', cause: null, at: OPENED_AT, stack: null }
  return { ...batch, facts: buildFacts(batch.heads, [draft], { actor: 'kid', ...author, ...by }) }
}

const notice = (more: Partial<Wake> = {}, content: Json = { actor: '@kid', event: 'failure' }) => ({
  ...newWake({ id: `notice/kid/1/1/operator`, being: 'operator', kind: 'event', priority: 4, content }),
  notice: 'failure @kid',
  ...more,
})
const event = (id: string, being: string, more: Partial<Wake> = {}) =>
  newWake({
    id,
    being,
    kind: 'event',
    priority: 4,
    content: { actor: '@kid', event: 'x' },
    root: 'told-kid',
    ...more,
  })
const failed = { kind: 'failure', reason: 'INTERNAL' } as const
const QUALITY = fact('being:kid', 'quality:set', { path: ['a'], value: 1 })
const account = {
  revision: 1,
  momentsPerMinute: null,
  tokens: 9,
  micros: null,
  per: 'day',
  parked: null,
} as const
const change = (more: object) => ({
  reel: 'being:kid',
  scopes: [],
  paths: ['a'],
  values: {},
  wake: { content: { actor: '@kid', event: 'changed' }, priority: 4, root: 'r', hops: 1, cause: null },
  ...more,
})

const FORGERIES: Readonly<Record<string, () => Promise<Batch>>> = {
  'a summon by another': () => saying({ caller: { name: 'operator', role: 'operator', cognition: 'human' } }),
  'a summon by a mind that it has not': () =>
    saying({ caller: { name: 'kid', role: 'resident', cognition: 'human' } }),
  'a summon that no fact tells': () => saying({}, []),
  'a summon that another fact tells': () => saying({ cause: 'ab'.repeat(32) }),
  'a summon with another content': () => saying({ content: 'obey' }),
  'a summon to another': () => saying({ being: 'operator' }),
  'a summon in another thread': () => saying({ root: 'other' }),
  'a summon as an answer': () => saying({ inReplyTo: 'question' }),
  'an act of a person': () =>
    saying({ kind: 'act', being: 'operator', caller: null, content: { call: CALL } }),
  'an event with a name of its own': () => saying(event('court:sitting/1', 'ann')),
  'a summon told by a decoy inside its content': () =>
    saying({ content: 'obey' }, [
      told({ ...ASKS, content: { cognition: 'llm', content: 'obey', correlation: 'said' } }),
    ]),
  'a notice of a failure that is none': async () => ({ ...(await of(KID)), inbox: [notice()] }),
  'a notice in the name of another': async () => ({
    ...(await of(KID, { outcome: failed })),
    inbox: [notice({}, { actor: '@operator', event: 'failure' })],
  }),
  'a notice to a stranger': async () => ({
    ...(await of(KID, { outcome: failed })),
    inbox: [notice({ id: 'notice/kid/1/1/ann', being: 'ann' })],
  }),
  'a notice of a park that is none': async () => ({
    ...(await of(KID, { outcome: failed })),
    inbox: [notice({ id: 'parked/kid/1/1' })],
  }),
  'a look of another': async () => ({
    ...(await of(KID, { outcome: { kind: 'see' } })),
    inbox: [event('look/kid/1/1', 'ann')],
  }),
  'a look for another asker': async () => ({
    ...(await of(KID, { outcome: { kind: 'see' } })),
    inbox: [event('look/kid/1/1', 'kid', { caller: { name: 'operator', role: null, cognition: 'human' } })],
  }),
  'that another goes on': async () => ({ ...(await of(KID)), inbox: [event('continue/kid/1/1', 'ann')] }),
  'that one wakes which is no child': async () => ({
    ...(await of(KID)),
    inbox: [event('awakened/kid/1/1/ann', 'ann')],
  }),
  'a ghost: a row without a fact': async () => ({
    ...(await of(KID)),
    rows: [rowOf('ghost', 'operator', 'human')],
  }),
  'a ghost without a moment': async () => ({
    ...(await alone({})),
    rows: [rowOf('ghost', 'operator', 'human')],
  }),
  'a row by a fact of another reel': () => folding(QUALITY, { key: 'being:ann', reel: 'being:ann' }),
  'a row under another key': () => folding(QUALITY, { key: 'being:ann' }),
  'another maker': () => folding(QUALITY, { parent: 'kid' }),
  'another mind': () => folding(QUALITY, { cognition: 'human' }),
  'a child of another': () =>
    folding(
      fact('being:new', 'being:born', { parent: 'operator', cognition: { kind: 'llm' } }),
      rowOf('new', 'operator', 'llm'),
    ),
  'a child with another row': () =>
    folding(
      fact('being:new', 'being:born', { parent: 'kid', cognition: { kind: 'llm' } }),
      rowOf('new', 'operator', 'human'),
    ),
  'a second birth': () =>
    folding(fact('being:kid', 'being:born', { parent: 'kid', cognition: { kind: 'llm' } }), {}),
  'a lease by no fact': () => folding(QUALITY, { lease: { driver: 'kid', epoch: 1, under: null } }),
  'a lease without a person': () =>
    folding(fact('being:grand', 'being:inhabited', { by: 'kid', epoch: 1, under: null }), {
      ...rowOf('grand', 'kid', 'human'),
      lease: { driver: 'kid', epoch: 1, under: null },
    }),
  'a lease on its maker': () =>
    folding(fact('being:operator', 'being:inhabited', { by: 'kid', epoch: 1, under: null }), {
      ...rowOf('operator', null, 'human'),
      lease: { driver: 'kid', epoch: 1, under: null },
    }),
  'a lease without a moment': () =>
    folding(
      fact('being:kid', 'being:inhabited', { by: 'operator', epoch: 1, under: null }),
      { cognition: 'human', lease: { driver: 'operator', epoch: 1, under: null } },
      null,
    ),
  'the end of a lease that holds': () =>
    folding(
      fact('being:ann', 'being:released', { by: 'operator', epoch: 3, why: 'lapsed' }),
      { ...rowOf('ann', 'operator', 'llm'), lease: { driver: null, epoch: 3, under: null } },
      null,
    ),
  'a budget by no fact': () => folding(QUALITY, { account: { ...account, tokens: 10 ** 9 } }),
  'a larger budget than its fact': () =>
    folding(fact('being:kid', 'being:budgeted', { budget: { tokens: 9, per: 'day' } }), {
      account: { ...account, tokens: 10 ** 9 },
    }),
  'a watch by no fact of it': () =>
    folding(fact('being:kid', 'being:budgeted', { budget: {} }), {
      watches: [{ reel: 'space:/', path: 'a' }],
    }),
  'a change by no fact': async () => ({ ...(await of(KID)), changes: [change({})] }),
  'a change on another reel': async () => {
    const batch = await of(KID, { drafts: [QUALITY] })
    const wake = { ...change({}).wake, cause: hashOf(batch) }
    return { ...batch, changes: [change({ reel: 'being:ann', wake })] }
  },
  'a change by another': async () => {
    const batch = await of(KID, { drafts: [QUALITY] })
    const wake = {
      ...change({}).wake,
      content: { actor: '@operator', event: 'changed' },
      cause: hashOf(batch),
    }
    return { ...batch, changes: [change({ wake })] }
  },
  'a wake without a moment': async () => ({ ...(await alone({})), inbox: [ASKS] }),
  'a closed entry without a moment': async () => ({ ...(await alone({})), closes: ['told-ann'] }),
  'a fact of a being without a moment': () => alone({ drafts: [QUALITY] }),
  'a role in the place of a being’s own': async () => {
    await sql`insert into treeos.projection (key, reel, state, folded_seq) values ('role:own', 'registry', '{"origin":"live"}', 1)
      on conflict do nothing`.execute(base.owner)
    return alone({ drafts: [fact('registry', 'role:set', { name: 'own', digest: 'd', origin: 'x' })] })
  },
  'an erasure by a being': () =>
    of(KID, { drafts: [fact('space:/note', 'fact:erased', { seq: 1, hash: noted, why: 'x' })] }),
  'speech of another': () => of(KID, { drafts: [fact('being:ann', 'being:summoned')] }),
  'a park of another': () => of(KID, { drafts: [fact('being:ann', 'being:parked')] }),
  'a child that another bore': () => of(KID, { drafts: [fact('being:ann', 'being:bore', { being: 'x' })] }),
  'a moment of a wake that another moment has': async () =>
    of({ ...KID, n: 1, wake: OPERATOR.wake }, { drafts: [QUALITY] }),
  'a moment of a wake of another': () => of({ ...KID, wake: 'told-ann' }, { drafts: [QUALITY] }),
  'a moment that was never opened': () => of({ ...OPERATOR, being: 'ann', wake: 'told-ann' }),
  'an act of a person that did not ask for it': async () => {
    const call = { verb: 'do', action: 'erase', target: '/', args: {} }
    await recordDecision(base.db, 'operator/1/1', newDecision({ kind: 'call', call, content: null } as never))
    return of(OPERATOR, { drafts: [fact('space:/', 'quality:set', { path: ['a'] })] })
  },
  'a superseded moment that acts': () =>
    of(KID, { outcome: { kind: 'skipped', reason: 'superseded' }, drafts: [QUALITY] }),
  'a superseded moment of the life that lives': () =>
    of(KID, { outcome: { kind: 'skipped', reason: 'superseded' } }),
  'a driver that does not drive': () => signed({ driver: 'operator' }),
}

/** Runs a statement and takes back what it did. @returns its answer, or the code of its error */
async function attempt<T>(db: Kysely<StoreDb>, run: (tx: Db) => Promise<T>): Promise<T | string> {
  let answer: T | string = ''
  const over = new Error('taken back')
  await db
    .transaction()
    .execute(async (tx) => {
      answer = await run(tx)
      throw over
    })
    .catch((error: { code?: string }) => {
      if (error !== over) answer = error.code ?? String(error)
    })
  return answer
}

function count(answer: unknown): void {
  tried.kinds++
  if (answer === '42501' || answer === 'TR002') tried.refused++
  else tried.in++
}

describe('append takes no batch that does not follow from its facts and its wake:', () => {
  it.each(Object.keys(FORGERIES))('%s', async (what) => {
    const batch = (await FORGERIES[what]?.()) as Batch
    const asWorker = await attempt(base.db, (tx) => append(tx, batch))
    count(asWorker)
    expect(asWorker).toBe('42501')
    // Control: only who asks was wrong.
    expect(await attempt(base.owner, (tx) => append(tx, batch))).toMatchObject({ status: 'appended' })
  })

  it('a fact in the name of another, not even of the owner', async () => {
    const batch = await signed({ actor: 'operator' })
    for (const db of [base.db, base.owner]) expect(await attempt(db, (tx) => append(tx, batch))).toBe('TR002')
  })

  it('control: what a moment rightly does is appended', async () => {
    const answered = async (batch: Batch): Promise<Appended | string> =>
      attempt(base.db, (tx) => append(tx, batch))
    const born = fact('being:new', 'being:born', { parent: 'kid', cognition: { kind: 'llm' } })
    const rightful: Record<string, Batch> = {
      summon: await saying({}),
      'an announcement in a channel': await saying({ expectReply: false, channel: 'a "b"' }, [
        told({ ...ASKS, expectReply: false, channel: 'a "b"' }),
      ]),
      notice: { ...(await of(KID, { outcome: failed })), inbox: [notice()] },
      look: { ...(await of(KID, { outcome: { kind: 'see' } })), inbox: [lookOf('asker')] },
      'a child': await folding(born, rowOf('new', 'kid', 'llm')),
      budget: await folding(fact('being:kid', 'being:budgeted', { budget: { tokens: 9, per: 'day' } }), {
        account,
      }),
      'a role of its code': await alone({
        drafts: [fact('registry', 'role:set', { name: 'x', digest: 'd' })],
      }),
    }
    for (const [what, batch] of Object.entries(rightful))
      expect([what, await answered(batch)]).toEqual([what, expect.objectContaining({ status: 'appended' })])
  })

  it('and it closes no entry of another being', async () => {
    await append(base.db, await of(KID, { closes: ['told-ann'] }))
    expect((await findEntry(base.db, 'told-ann'))?.closedBy).toBeNull()
    expect((await findEntry(base.db, KID.wake))?.closedBy).toBe('kid/1/1')
  })
})

const lookOf = (caller: string) =>
  event('look/kid/1/1', 'kid', { caller: { name: caller, role: null, cognition: 'human' } })

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
    'append begin_life check_opening claim claim_and_read current_generation enqueue_event genesis has_ended is_hurried is_paced ' +
    'is_parked json_of lease_is_valid line_of lock_heads may_set_overlay read_set record_effect record_effect_result record_fault ' +
    'refuse_change release_delayed reserve reserve_first settle standard wakes'
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

it.each([
  ['an access token', sql`select treeos.issue_token('t', 'operator', 'operator', ${sha()}, 30)`],
  ['an overlay', sql`select treeos.set_overlay('workspace', 'reality', 'n', 'obey', null, 'operator')`],
  ['the end of a lease’s time', sql`select treeos.renew_lease('ann', 3, 999999)`],
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
  ['a moment for a wake of another', { ...KID, n: 2, wake: 'told-ann' }],
  ['a moment for no wake', { ...KID, n: 2, wake: randomUUID() }],
  ['a moment of a person for a summon', { ...OPERATOR, n: 2, wake: 'told-operator' }],
])('%s is not opened', async (_what, at) => {
  await putWake(base.owner, wakeFor('operator', 'told-operator'))
  const answer = await attempt(base.db, (tx) =>
    recordOpen(tx, { ...openingOf(at), n: at.being === 'kid' ? 2 : 1, moment: `${at.being}/1/9` }),
  )
  count(answer)
  expect(answer).toBe('42501')
  const raw = await attempt(base.owner, (tx) =>
    recordOpen(tx, { ...openingOf(at), n: at.being === 'kid' ? 2 : 1, moment: `${at.being}/1/9` }),
  )
  expect(raw).toBe(true)
})

function sha(): Buffer {
  return createHash('sha256').update('x').digest()
}
