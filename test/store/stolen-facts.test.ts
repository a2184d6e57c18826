/**
 * Somebody has the login of a worker, and writes facts that give or take power, where no gate judges them.
 * Each is refused. Control: the owner of the tables, whom no function checks, gets the same batch in.
 */
import { asJson, canonicalJson, type FactDraft, type Json, type JsonObject, newWake } from '@treeos/core'
import {
  append,
  type Batch,
  digestOf,
  newDecision,
  type RowWrite,
  recordDecision,
  type WakingChange,
} from '@treeos/store'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { batchOf } from './batch.ts'
import { attempt, KID, OPERATOR, rowOf, tally, useOpened } from './stolen.ts'

const base = useOpened()
const count = tally('facts of power')

beforeAll(async () => {
  await sql`insert into treeos.projection (key, reel, state, folded_seq) values ('role:own', 'registry', '{"origin":"live"}', 1)`.execute(
    base.owner,
  )
  await sql`insert into treeos.watch (being, reel, path, name) values ('ann', 'world:model', 'first.down', ''), ('ann', 'being:ann', 'a', '')`.execute(
    base.owner,
  )
})

const ofKid = (...drafts: FactDraft[]): Promise<Batch> =>
  batchOf(base.db, base.reality, { moment: KID, drafts, outcome: { wake: KID.wake } })
const alone = (...drafts: FactDraft[]): Promise<Batch> =>
  batchOf(base.db, base.reality, { moment: null, drafts })
const fact = (reel: string, kind: string, payload: FactDraft['payload'] = {}): FactDraft => ({
  reel,
  kind,
  payload,
})

const signal = (more: object = {}, reel = 'world:model') =>
  fact(reel, 'signal:published', { namespace: 'model', key: ['first', 'down'], value: true, ...more })

/** A worker finds that a model is down, and says so to those who watch it. */
async function outage(wake: object = {}, more: Partial<WakingChange> = {}): Promise<Batch> {
  const batch = await alone(signal())
  const cause = batch.facts[0]?.ref.hash ?? ''
  const content = { event: 'changed', what: 'world.model.first.down', value: true }
  const told = { content, priority: 8, root: `change/${cause}`, hops: 0, cause, ...wake }
  const change = { reel: 'world:model', scopes: [], paths: ['first.down'], values: {}, wake: told, ...more }
  return { ...batch, changes: [change] }
}
const FORGED = { moment: 'kid/1/1', recorded: 'a'.repeat(64), given: 'b'.repeat(64) }
const DOWN = { event: 'changed', what: 'world.model.first.down', value: true }

const RESTORE = { n: 7, why: 'told', lives: 1 }

const FORGERIES: Readonly<Record<string, () => Promise<Batch>>> = {
  'a budget for itself': () => ofKid(fact('being:kid', 'being:budgeted', { budget: { per: 'total' } })),
  'the end of its own park': () => ofKid(fact('being:kid', 'being:unparked')),
  'the end of the operator': () => ofKid(fact('being:operator', 'being:ended')),
  'the pause of the operator': () => ofKid(fact('being:operator', 'being:paused')),
  'the end of a lease on another': () =>
    ofKid(fact('being:ann', 'being:released', { by: 'operator', epoch: 3 })),
  'the cut of a thread without a part in it': () =>
    ofKid(fact('thread:told-ann', 'thread:cut', { thread: 'told-ann' })),
  'the cut of another thread than its reel': () =>
    ofKid(fact('thread:told-kid', 'thread:cut', { thread: 'told-ann' })),
  'a standard budget': () =>
    ofKid(
      fact('space:/', 'quality:set', { path: ['budget', 'llm'], value: { revision: 1, tokens: 10 ** 9 } }),
    ),
  'a reality of its own': () => ofKid(fact('space:/', 'reality:made', { name: 'mine' })),
  'another origin of the reality': () => ofKid(fact('space:/', 'reality:forked', { name: 'mine' })),
  'a restore of the reality': () => ofKid(fact('space:/', 'reality:restored', RESTORE)),
  'a restore that nobody noted': () => alone(fact('space:/', 'reality:restored', RESTORE)),
  'a signal of its own world': () => alone(signal({ namespace: 'court' }, 'world:court')),
  'a signal of another world under the name of models': () => alone(signal({}, 'world:court')),
  'another signal of a model': () => alone(signal({ key: ['first', 'price'] })),
  'a signal of all models': () => alone(signal({ key: ['down'] })),
  'a model that is neither up nor down': () => alone(signal({ value: 'obey' })),
  'an outage that somebody made': () => outage({ content: { ...DOWN, actor: '@operator' } }),
  'an outage that its fact does not tell': () => outage({ content: { ...DOWN, value: false } }),
  'an outage in a thread that is there': () => outage({ root: 'told-kid' }),
  'an outage by no fact': () => outage({ cause: 'ab'.repeat(32), root: `change/${'ab'.repeat(32)}` }),
  'an outage as a change of a being': () => outage({}, { reel: 'being:ann', paths: ['a'] }),
  'that a being vouches for itself': () => ofKid(fact('being:kid', 'origin:vouched')),
  'that a person vouches, by an act that asks for something else': () =>
    batchOf(base.db, base.reality, {
      moment: OPERATOR,
      drafts: [fact('being:kid', 'origin:vouched')],
      outcome: { wake: OPERATOR.wake },
    }),
  'that a being lets itself go on with a forged stack': () =>
    ofKid(fact('being:kid', 'being:difference-accepted', FORGED)),
  'that a person lets it go on, by an act that asks for something else': () =>
    batchOf(base.db, base.reality, {
      moment: OPERATOR,
      drafts: [fact('being:kid', 'being:difference-accepted', FORGED)],
      outcome: { wake: OPERATOR.wake },
    }),
  'the end of a role that a being wrote': () => alone(fact('registry', 'role:deleted', { name: 'own' })),
}

it.each(Object.keys(FORGERIES))('a worker cannot write %s', async (what) => {
  const batch = (await FORGERIES[what]?.()) as Batch
  const asWorker = await attempt(base.db, (tx) => append(tx, batch))
  count(asWorker)
  expect(asWorker).toBe('42501')
  expect(await attempt(base.owner, (tx) => append(tx, batch))).toMatchObject({ status: 'appended' })
})

it('control: it writes such facts where they are its to write', async () => {
  const rightful: Record<string, Batch> = {
    'a budget of its child': await ofKid(fact('being:grand', 'being:budgeted', { budget: { per: 'total' } })),
    'the pause of its child': await ofKid(fact('being:grand', 'being:paused')),
    'a move of its own': await ofKid(fact('being:kid', 'being:moved', { to: '/' })),
    'the cut of a thread that it has a part in': await ofKid(
      fact('thread:told-kid', 'thread:cut', { thread: 'told-kid' }),
    ),
    'the end of a being with the lease on it': await ofKid(
      fact('being:ann', 'being:released', { by: 'operator', epoch: 3 }),
      fact('being:ann', 'being:ended'),
    ),
    'that a model is down': await outage(),
    'the end of a role of its code': await alone(fact('registry', 'role:deleted', { name: 'of-code' })),
  }
  for (const [what, batch] of Object.entries(rightful))
    expect([what, await attempt(base.db, (tx) => append(tx, batch))]).toEqual([
      what,
      expect.objectContaining({ status: 'appended' }),
    ])
})

describe('in a moment whose wake holds words from outside', () => {
  const said = {
    ...{ cognition: 'llm', content: 'obey', correlation: 'kid/1/1', inReplyTo: null, role: null },
    ...{ root: 'told-kid', to: 'ann' },
  }
  /** The moment says something; whether its fact and its wake say where the words come from. */
  async function speech(isSaid: boolean, isMarked: boolean): Promise<Batch> {
    const batch = await ofKid(fact('being:kid', 'being:summoned', isSaid ? { ...said, outside: true } : said))
    const wake = newWake({
      ...{ id: 'kid/1/1', being: 'ann', kind: 'summon', priority: 3, content: 'obey', root: 'told-kid' },
      caller: { name: 'kid', role: null, cognition: 'llm' },
      cause: batch.facts[0]?.ref.hash ?? null,
      ...(isMarked ? { outside: true } : {}),
    })
    return { ...batch, inbox: [wake] }
  }
  const mark = (isIt: boolean) =>
    sql`update treeos.inbox set outside = ${isIt} where id = ${KID.wake}`.execute(base.owner)
  beforeAll(() => mark(true))
  afterAll(() => mark(false))

  const call = { verb: 'do', operation: 'till:pay', target: '/shop', args: {} }
  /**
   * The moment asks @operator for a yes; whether its fact, and what the person reads, say where the words
   * come from.
   */
  async function question(isKept: boolean, isShown: boolean): Promise<Batch> {
    const rules = [{ by: 'till:pay', who: ['operator'], count: 1 }]
    const asked = { call, rules, ...(isKept ? { fromOutside: true } : {}) }
    const batch = await ofKid(fact('approval:kid/1/1', 'approval:asked', asked))
    const entry = newWake({
      ...{ id: 'asked/kid/1/1/operator', being: 'operator', kind: 'event', priority: 3, root: 'told-kid' },
      content: {
        ...{ event: 'asked', actor: '@kid', approval: 'kid/1/1', call },
        ...(isShown ? { outside: true } : {}),
      },
      outside: true,
    })
    const outcome = { ...batch.outcome!, kind: 'waiting' as const }
    return {
      ...batch,
      inbox: [entry],
      outcome: { ...outcome, record: { ...outcome.record, outcome: 'waiting' } },
    }
  }

  const UNTOLD: Readonly<Record<string, () => Promise<Batch>>> = {
    'words that neither fact nor wake says are from outside': () => speech(false, false),
    'words of which only the wake says it': () => speech(false, true),
    'words of which only the fact says it': () => speech(true, false),
    'a question that does not keep where its words come from': () => question(false, true),
    'a question that does not tell the person': () => question(true, false),
  }
  it.each(Object.keys(UNTOLD))('a worker cannot write %s', async (what) => {
    const answer = await attempt(base.db, async (tx) => append(tx, (await UNTOLD[what]?.()) as Batch))
    count(answer)
    expect(answer).toBe('42501')
  })

  it.each<[string, () => Promise<Batch>]>([
    ['words that say so', () => speech(true, true)],
    ['a question that says so', () => question(true, true)],
  ])('control: it writes %s', async (_what, made) => {
    const batch = await made()
    expect(await attempt(base.db, (tx) => append(tx, batch))).toMatchObject({ status: 'appended' })
  })
})

describe('the row of a being whose words came from outside', () => {
  const stateOf = (more: object): JsonObject => ({
    ...(rowOf('kid', 'operator', 'llm').state as JsonObject),
    ...more,
  })
  const setState = (more: object) =>
    sql`update treeos.projection set state = ${canonicalJson(stateOf(more))} where key = 'being:kid'`.execute(
      base.owner,
    )
  beforeAll(() => setState({ outside: true }))
  afterAll(() => setState({}))

  /** The operator's act vouches for @kid as it saw it, and the moment does so. */
  async function vouched(seen: Json, row: Partial<RowWrite> = {}) {
    const call = { verb: 'do', operation: 'vouch', target: '@kid', args: { seen } }
    await sql`update treeos.inbox set content = ${Buffer.from(canonicalJson({ answers: null, call }))}
      where id = ${OPERATOR.wake}`.execute(base.owner)
    const drafts = [fact('being:kid', 'origin:vouched')]
    const batch = await batchOf(base.db, base.reality, {
      ...{ moment: OPERATOR, drafts, closes: [] },
      outcome: { wake: OPERATOR.wake },
    })
    const foldedSeq = batch.facts[0]!.ref.seq
    const decision = newDecision({ kind: 'call', call: asJson(call) as never, content: null })
    return attempt(base.db, async (tx) => {
      await recordDecision(tx, 'operator/1/1', decision)
      return append(tx, {
        ...batch,
        rows: [{ ...rowOf('kid', 'operator', 'llm'), ...row, foldedSeq }],
      })
    })
  }

  it('a worker clears it where the act of a person saw what is there, and no other', async () => {
    const is = digestOf(stateOf({ outside: true }))
    for (const seen of [digestOf(stateOf({})), null, is.slice(0, 8)]) {
      const answer = await vouched(seen)
      count(answer)
      expect(answer).toBe('42501')
    }
    expect(await vouched(is)).toMatchObject({ status: 'appended' })
  })
})
