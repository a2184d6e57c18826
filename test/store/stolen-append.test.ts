/**
 * Somebody has the login of a worker, and gives `append` forged batches. Each is refused. Control: the owner
 * of the tables, whom no function checks, gets the same batch in.
 */
import { hash } from 'node:crypto'
import { type FactDraft, type Json, type JsonObject, newWake, speechOf, type Wake } from '@treeos/core'
import {
  type AppendResult,
  append,
  type Batch,
  type BuiltFact,
  buildFacts,
  findEntry,
  newDecision,
  type RowWrite,
  recordDecision,
} from '@treeos/store'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { batchOf, OPENED_AT } from './batch.ts'
import { attempt, CALL, KID, OPERATOR, type Opened, openingOf, rowOf, tally, useOpened } from './stolen.ts'

const base = useOpened()
const count = tally('append')
/** hash of a fact of the whole reality */
let noted = ''

beforeAll(async () => {
  const note = await batchOf(base.owner, base.reality, {
    drafts: [fact('space:/note', 'quality:set', { path: ['a'] })],
  })
  await append(base.owner, note)
  noted = hashOf(note)
  await sql`insert into treeos.watch (being, reel, path, name) values ('ann', 'being:kid', 'a', ''), ('ann', 'being:ann', 'a', '')`.execute(
    base.owner,
  )
})

type Wish = Omit<Parameters<typeof batchOf>[2], 'moment'>
const of = (at: Opened, wish: Wish = {}): Promise<Batch> =>
  batchOf(base.db, base.reality, { moment: at, ...wish, outcome: { wake: at.wake, ...wish.outcome } })
const alone = (wish: Wish) => batchOf(base.db, base.reality, { moment: null, ...wish })

const ASKS = newWake({
  id: 'kid/1/1',
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

/** The kid ends a moment of an older life: its own, or one of another being. */
async function superseded(whose: string): Promise<Batch> {
  const batch = await of({ ...KID, generation: 0 }, { outcome: { kind: 'skipped', reason: 'superseded' } })
  const open = openingOf({ ...KID, being: whose, generation: 0 })
  const outcome = batch.outcome!
  const record = { ...outcome.record, moment: open.moment, open: open.record.digest }
  return {
    ...batch,
    moment: { ...batch.moment!, id: open.moment, generation: 1 },
    open,
    outcome: { ...outcome, record },
  }
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
const CHANGED = { actor: '@kid', event: 'changed', target: '@kid', what: 'being.quality.a' }
const change = (more: object) => ({
  reel: 'being:kid',
  scopes: [],
  paths: ['a'],
  values: {},
  wake: { content: CHANGED, priority: 4, root: 'told-kid', hops: 1, cause: null },
  ...more,
})
const sha256 = (tag: string, ...parts: Buffer[]) =>
  hash('sha256', Buffer.concat([Buffer.from(`treeos.${tag}.v1\0`), ...parts]), 'buffer')

/** The only fact of a batch with a payload that no encoder of ours writes, and its hashes made anew. */
function withPayload(batch: Batch, payload: string): Batch {
  const [only] = batch.facts as readonly [BuiltFact]
  const bytes = Buffer.from(payload)
  const payloadHash = sha256('payload', only.salt, bytes)
  const header = Buffer.from(
    only.header.toString().replace(only.payloadHash.toString('hex'), payloadHash.toString('hex')),
  )
  const ref = { ...only.ref, hash: sha256('fact', only.prev, header).toString('hex') }
  return { ...batch, facts: [{ ...only, ref, header, payloadHash, bytes }] }
}

/** The kid changes its quality, and says of it what is not so. */
async function changing(wake: object, more: object = {}): Promise<Batch> {
  const batch = await of(KID, { drafts: [QUALITY] })
  return {
    ...batch,
    changes: [change({ ...more, wake: { ...change({}).wake, cause: hashOf(batch), ...wake } })],
  }
}
/** A birth of `new`, as its fact and its row tell. */
const born = (payload: JsonObject) =>
  fact('being:new', 'being:born', { cognition: { kind: 'llm' }, ...payload })

const FORGERIES: Readonly<Record<string, () => Promise<Batch>>> = {
  'a summon by another': () => saying({ caller: { name: 'operator', role: 'operator', cognition: 'human' } }),
  'a summon by a mind that it has not': () =>
    saying({ caller: { name: 'kid', role: 'resident', cognition: 'human' } }),
  'a summon that no fact tells': () => saying({}, []),
  'a summon that another fact tells': () => saying({ cause: 'ab'.repeat(32) }),
  'a summon with another content': () => saying({ content: 'obey' }),
  'a summon to another': () => saying({ being: 'operator' }),
  'a summon in another thread': () => saying({ root: 'other' }),
  'a summon under an id that another wake will have': () =>
    saying({ id: 'parked/ann/1/4' }, [told({ ...ASKS, id: 'parked/ann/1/4' })]),
  'a summon into a thread of others': () => saying({ root: 'theirs' }, [told({ ...ASKS, root: 'theirs' })]),
  'a summon as an answer': () => saying({ inReplyTo: 'question' }),
  'an act of a person': () =>
    saying({ kind: 'act', being: 'operator', caller: null, content: { call: CALL } }),
  'an event with a name of its own': () => saying(event('court:sitting/1', 'ann')),
  'a summon told by a decoy inside its content': () =>
    saying({ content: 'obey' }, [
      told({ ...ASKS, content: { cognition: 'llm', content: 'obey', correlation: 'kid/1/1' } }),
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
  'a look that is not counted': async () => ({
    ...(await of(KID, { outcome: { kind: 'see' } })),
    inbox: [{ ...lookOf('asker'), continues: 0 }],
  }),
  'that it decides again after an act': async () => ({ ...(await of(KID)), inbox: [againOf('asker')] }),
  'that it decides again for another asker': async () => ({
    ...(await of(KID, { outcome: failed })),
    inbox: [againOf('operator')],
  }),
  'that it decides again as often as it likes': async () => ({
    ...(await of(KID, { outcome: failed })),
    inbox: [{ ...againOf('asker'), refusals: 0 }],
  }),
  'that it decides again about another cause': async () => ({
    ...(await of(KID, { outcome: failed })),
    inbox: [{ ...againOf('asker'), cause: 'ab'.repeat(32) }],
  }),
  'that it looks inward after a refusal': async () => ({
    ...(await of(KID, { outcome: failed })),
    inbox: [{ ...againOf('asker'), orientation: 'inward' }],
  }),
  'a summon by a person who did not act': () => {
    const said = { ...ASKS, caller: { name: 'kid', role: 'resident', cognition: 'human' as const } }
    return saying(said, [told(said)])
  },
  'a notice that counts as another': async () => ({
    ...(await of(KID, { outcome: failed })),
    inbox: [notice({ notice: 'failure @ann' } as Partial<Wake>)],
  }),
  'a notice in another thread': async () => ({
    ...(await of(KID, { outcome: failed })),
    inbox: [notice({ root: 'other' })],
  }),
  'the wake of a child in another thread': async () => ({
    ...(await of(KID)),
    inbox: [event('awakened/kid/1/1/grand', 'grand', { root: 'other' })],
  }),
  'that it goes on for another asker': async () => ({
    ...(await of(KID)),
    inbox: [{ ...lookOf('operator'), id: 'continue/kid/1/1' }],
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
  'a fact on the records of another': async () =>
    of(KID, { drafts: [fact('moments:ann', 'quality:set', { path: ['a'], value: 1 })] }),
  'a thread cut by a quality': () =>
    folding(fact('thread:t', 'quality:set', { path: ['a'], value: 1 }), {
      key: 'thread:t',
      reel: 'thread:t',
      parent: null,
      place: null,
      cognition: null,
    }),
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
    folding(fact('being:grand', 'being:budgeted', { budget: { tokens: 9, per: 'day' } }), {
      ...rowOf('grand', 'kid', 'llm'),
      account: { ...account, tokens: 10 ** 9 },
    }),
  'a watch by no fact of it': () =>
    folding(fact('being:grand', 'being:budgeted', { budget: {} }), {
      ...rowOf('grand', 'kid', 'llm'),
      watches: [{ reel: 'space:/', path: 'a' }],
    }),
  'a change by no fact': async () => ({ ...(await of(KID)), changes: [change({})] }),
  'a change on another reel': () => changing({}, { reel: 'being:ann' }),
  'a change by another': () => changing({ content: { ...CHANGED, actor: '@operator' } }),
  'a change of something else': () => changing({ content: { ...CHANGED, what: 'being.quality.b' } }),
  'a change with more words': () => changing({ content: { ...CHANGED, say: 'obey' } }),
  'a change with the value of a quality': () => changing({ content: { ...CHANGED, value: 1 } }),
  'a change in another thread': () => changing({ root: 'other' }),
  'a change that forgets its hops': () => changing({ hops: 0 }),
  'a deed on behalf of who did not ask': () =>
    of(KID, {
      drafts: [fact('being:kid', 'quality:set', { path: ['a'], value: 1, onBehalfOf: 'operator' })],
    }),
  'a deed on behalf of who did not ask, under an escaped name': async () => {
    const payload = '{"onBehalf\\u004ff":"operator","path":["a"],"value":1}'
    return withPayload(await of(KID, { drafts: [QUALITY] }), payload)
  },
  'a child of another behind a NUL': () =>
    folding(
      born({ parent: 'operator', qualities: { x: '\0', y: { parent: 'kid' } } }),
      rowOf('new', 'kid', 'llm'),
    ),
  'a role under the name of another': () =>
    folding(
      fact('registry', 'role:set', { name: 'free', digest: 'd', x: { name: 'taken' } }),
      { key: 'role:taken', reel: 'registry', parent: null, cognition: null, place: null },
      null,
    ),
  'a budget for longer than its fact': () =>
    folding(fact('being:grand', 'being:budgeted', { budget: { tokens: 9, per: 'day' } }), {
      ...rowOf('grand', 'kid', 'llm'),
      account: { ...account, per: 'total' },
    }),
  'a budget of another revision': () =>
    folding(fact('being:grand', 'being:budgeted', { budget: { tokens: 9, per: 'day' } }), {
      ...rowOf('grand', 'kid', 'llm'),
      account: { ...account, revision: 7 },
    }),
  'a park that no fact ends': () =>
    folding(QUALITY, { account: { ...account, revision: 0, tokens: null, per: 'total' } }),
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
  'a park of another': () => of(KID, { drafts: [fact('being:ann', 'being:parked')] }),
  'a moment of a wake that another moment has': async () =>
    of({ ...KID, n: 1, wake: OPERATOR.wake }, { drafts: [QUALITY] }),
  'a moment of a wake of another': () => of({ ...KID, wake: 'told-ann' }, { drafts: [QUALITY] }),
  'a moment that was never opened': () => of({ ...OPERATOR, being: 'ann', wake: 'told-ann' }),
  'an act of a person that did not ask for it': async () => {
    const call = { verb: 'do', operation: 'erase', target: '/', args: {} }
    await recordDecision(base.db, 'operator/1/1', newDecision({ kind: 'call', call, content: null } as never))
    return of(OPERATOR, { drafts: [fact('space:/', 'quality:set', { path: ['a'] })] })
  },
  'a superseded moment that acts': () =>
    of(KID, { outcome: { kind: 'skipped', reason: 'superseded' }, drafts: [QUALITY] }),
  'a superseded moment that brings what it opened': () => superseded('kid'),
  'a superseded moment of another being': async () => {
    const { open: _none, ...batch } = await superseded('ann')
    return batch
  },
  'a superseded moment of the life that lives': () =>
    of(KID, { outcome: { kind: 'skipped', reason: 'superseded' } }),
  'a driver that does not drive': () => signed({ driver: 'operator' }),
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
    const answered = async (batch: Batch): Promise<AppendResult | string> =>
      attempt(base.db, (tx) => append(tx, batch))
    const rightful: Record<string, Batch> = {
      summon: await saying({}),
      'an announcement in a channel': await saying({ expectReply: false, channel: 'a "b"' }, [
        told({ ...ASKS, expectReply: false, channel: 'a "b"' }),
      ]),
      notice: { ...(await of(KID, { outcome: failed })), inbox: [notice()] },
      'the wake of a child': { ...(await of(KID)), inbox: [event('awakened/kid/1/1/grand', 'grand')] },
      'that it goes on': {
        ...(await of(KID)),
        inbox: [{ ...lookOf('asker'), id: 'continue/kid/1/1' }],
      },
      look: { ...(await of(KID, { outcome: { kind: 'see' } })), inbox: [lookOf('asker')] },
      'that it decides again': { ...(await of(KID, { outcome: failed })), inbox: [againOf('asker')] },
      'a child': await folding(born({ parent: 'kid' }), rowOf('new', 'kid', 'llm')),
      budget: await folding(fact('being:grand', 'being:budgeted', { budget: { tokens: 9, per: 'day' } }), {
        ...rowOf('grand', 'kid', 'llm'),
        account,
      }),
      change: await changing({}),
      'a deed for who asked': await of(KID, {
        drafts: [fact('being:kid', 'quality:set', { path: ['a'], value: 1, onBehalfOf: 'asker' })],
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

const againOf = (caller: string) => ({
  ...event('refused/kid/1/1', 'kid', { caller: { name: caller, role: null, cognition: 'human' } }),
  ...{ continues: 1, refusals: 1 },
})

const lookOf = (caller: string) =>
  event('look/kid/1/1', 'kid', { caller: { name: caller, role: null, cognition: 'human' }, continues: 1 })
