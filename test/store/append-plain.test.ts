/**
 * Several plain moments are written with one statement for each table. The rows are compared with those that
 * `append` writes for each of them, and the refusals and answers with those of `append`.
 */
import { hash } from 'node:crypto'
import { type FactDraft, momentId } from '@treeos/core'
import { append, beginLife, claimAndRead, type Db, newDecision, ReadSet, writeJson } from '@treeos/store'
import { sql } from 'kysely'
import pg from 'pg'
import { beforeAll, expect, it, vi } from 'vitest'
import { useDatabase } from '../support/database.ts'
import { putWake } from '../support/wakes.ts'
import { batchOf, changed, wakeFor } from './batch.ts'
import { attempt, openingOf, rowOf } from './stolen.ts'

const base = useDatabase({ poolMax: 4 })

// biome-ignore lint/suspicious/noExplicitAny: forgeries change any part of it
type Message = any

const NAMES = ['ada', 'ben', 'cem', 'dov'] as const
const messages: Message[] = []

beforeAll(async () => {
  const parent = rowOf('operator', null, 'human')
  const cut = {
    ...rowOf('', null, ''),
    key: 'thread:cut',
    reel: 'thread:cut',
    state: {},
    place: null,
    cognition: null,
  }
  const rows = [parent, ...NAMES.map((name) => rowOf(name, 'operator', 'llm')), cut]
  await append(base.owner, await batchOf(base.owner, base.reality, { rows }))
  await append(base.owner, await batchOf(base.owner, base.reality, { drafts: [changed('being:operator')] }))
  for (const name of NAMES) {
    await append(
      base.owner,
      await batchOf(base.owner, base.reality, { drafts: [changed(`being:${name}`, 0)] }),
    )
    await beginLife(base.db, base.reality.id, name, 'run-1')
    await putWake(base.owner, wakeFor(name, `told-${name}`))
    const at = { reality: base.reality.id, being: name, moment: momentId(name, 1, 1), generation: 1 }
    await claimAndRead(base.db, at, new ReadSet(), null)
  }
  for (const name of ['ada', 'ben'])
    await sql`select treeos.reserve(${name}, ${momentId(name, 1, 1)}, 1, 100, null)`.execute(base.db)
  for (const name of NAMES) messages.push(await messageOf(name, changed(`being:${name}`)))
  for (const message of messages.slice(0, 2)) message.settlement = { attempt: 1, tokens: 60, micros: null }
  delete messages[3].listensMs
})

/** What a worker sends for a moment that opens, decides, writes one fact and ends. */
async function messageOf(name: string, draft: FactDraft): Promise<Message> {
  const at = { being: name, generation: 1, n: 1, wake: `told-${name}` }
  const open = { ...openingOf(at), face: writeJson(`what ${name} sees`) }
  const decision = newDecision({
    kind: 'call',
    call: { verb: 'do', operation: 'set-being', target: null, args: {} },
    content: null,
  })
  const batch = await batchOf(base.db, base.reality, {
    moment: at,
    drafts: [draft],
    reads: ['being:operator'],
    outcome: { wake: at.wake },
  })
  const record = { ...batch.outcome!.record, open: open.record.digest, decision: decision.digest }
  const [fact] = batch.facts
  const row = { ...rowOf(name, 'operator', 'llm'), foldedSeq: fact!.ref.seq }
  const whole = {
    ...batch,
    rows: draft.reel === row.reel ? [row] : [],
    open,
    decision: { ...decision, usage: null, settlement: null, overlay: null },
    outcome: { ...batch.outcome!, record },
    listensMs: 500,
  }
  const query = vi.spyOn(pg.Client.prototype, 'query')
  expect(await attempt(base.db, (tx) => append(tx, whole))).toHaveProperty('status')
  const sent = query.mock.calls
    .map(([config]) => config as unknown as { text?: string; values?: string[] })
    .find(({ text }) => text?.includes('treeos.append('))
  query.mockRestore()
  return JSON.parse(sent?.values?.[0] ?? '')
}

async function alone(db: Db, message: Message): Promise<string> {
  const { rows } = await sql<{ answer: { status: string } }>`
    select treeos.append(${JSON.stringify(message)}::jsonb) as answer`.execute(db)
  return rows[0]!.answer.status
}

async function together(db: Db, all: readonly Message[]): Promise<string[]> {
  const { rows } = await sql<{ answer: { status: string } }>`
    select * from treeos.append_together(${all.map((each) => JSON.stringify(each))}::jsonb[]) as answer`.execute(
    db,
  )
  return rows.map(({ answer }) => answer.status)
}

/** Appends together, and counts which functions did it. */
async function counted(tx: Db, all: readonly Message[]) {
  await sql`set local track_functions = 'pl'`.execute(tx)
  const before = await callsOf(tx)
  const statuses = await together(tx, all)
  const after = await callsOf(tx)
  return { statuses, append: after.append - before.append, plain: after.plain - before.plain }
}

async function callsOf(tx: Db) {
  const { rows } = await sql<{ name: string; calls: number }>`
    select funcname as name, calls from pg_stat_xact_user_functions where funcname in ('write_plain', 'append')`.execute(
    tx,
  )
  const of = (name: string) => Number(rows.find((row) => row.name === name)?.calls ?? 0)
  return { append: of('append'), plain: of('write_plain') }
}

/**
 * All rows that an append may write. Times and counters differ from run to run, so only whether they are set
 * is told.
 */
async function stored(db: Db): Promise<Record<string, unknown>> {
  const all: Record<string, unknown> = {}
  const left = ['at', 'age', 'entry', 'closed_at', 'settled_at', 'listens_until', 'woke_at']
  for (const table of [
    'fact',
    'head',
    'projection',
    'blob',
    'inbox',
    'journal',
    'moment_open',
    'moment_decision',
    'moment_outcome',
    'account',
    'reservation',
  ])
    all[table] = (
      await sql<{ row: unknown }>`
        select to_jsonb(t) - ${left}::text[] || coalesce((
            select jsonb_object_agg(key, value <> 'null') from jsonb_each(to_jsonb(t)) where key = any(${left})), '{}') as row
        from ${sql.table(`treeos.${table}`)} t order by 1`.execute(db)
    ).rows.map(({ row }) => row)
  return all
}

it('what plain moments write together is what each would write by itself', async () => {
  const oneByOne = await attempt(base.db, async (tx) => {
    for (const message of messages) expect(await alone(tx, message)).toBe('appended')
    return stored(tx)
  })
  const asOne = await attempt(base.db, async (tx) => {
    expect(await together(tx, messages)).toEqual(['appended', 'appended', 'appended', 'appended'])
    return stored(tx)
  })
  expect(oneByOne).toHaveProperty('fact')
  expect(asOne).toEqual(oneByOne)
})

it('answers tell who was woken, who waits and who listened', async () => {
  const answers = await attempt(base.owner, async (tx) => {
    await sql`insert into treeos.watch (being, reel, path, name) values ('dov', 'being:ada', 'mood', '')`.execute(
      tx,
    )
    await putWake(tx, wakeFor('ben', 'more-ben'))
    await sql`update treeos.head set listens_until = clock_timestamp() + interval '1 minute' where reel = 'moments:cem'`.execute(
      tx,
    )
    const event = { priority: 5, content: '{}', root: 'told-ada', hops: 1, cause: messages[0].facts[0].hash }
    const changes = [{ reel: 'being:ada', scopes: [], paths: ['mood'], values: {}, event }]
    const { rows } = await sql<{ answer: unknown }>`
      select * from treeos.append_together(${[{ ...messages[0], changes }, ...messages.slice(1)].map((each) => JSON.stringify(each))}::jsonb[]) as answer`.execute(
      tx,
    )
    return rows.map((row) => row.answer)
  })
  const answer = { status: 'appended', waiting: 0, woken: [], listened: false }
  expect(answers).toEqual([
    { ...answer, woken: ['dov'], heldMs: null },
    { ...answer, waiting: 1 },
    { ...answer, listened: true },
    { ...answer, waiting: 1 },
  ])
})

it('plain moments go together, and one that touches what another writes follows it', async () => {
  const shared = await messageOf('dov', changed('being:ada'))
  const done = await attempt(base.owner, (tx) => counted(tx, [...messages.slice(0, 3), shared]))
  expect(done).toEqual({
    statuses: ['appended', 'appended', 'appended', 'stale'],
    append: 1,
    plain: 1,
  })
})

const sha256 = (prefix: string, ...parts: string[]) =>
  hash(
    'sha256',
    Buffer.concat([Buffer.from(`${prefix}\0`), ...parts.map((part) => Buffer.from(part, 'hex'))]),
  )
const hexOf = (json: unknown) => Buffer.from(JSON.stringify(json)).toString('hex')
const jsonOf = (hex: string) => JSON.parse(Buffer.from(hex, 'hex').toString())

/** Changes the header of the fact, and computes its hash anew. */
const fact = (change: (header: Message, fact: Message) => void) => (message: Message) => {
  const [it] = message.facts
  const header = jsonOf(it.header)
  change(header, it)
  it.header = hexOf(header)
  it.hash = sha256('treeos.fact.v1', it.prev, it.header)
}
/** Changes the record, and computes its hash anew. */
const record = (change: (record: Message, outcome: Message) => void) => (message: Message) => {
  const said = jsonOf(message.outcome.record)
  change(said, message.outcome)
  message.outcome.record = hexOf(said)
  message.outcome.hash = sha256('treeos.moment.v1', message.outcome.prev, message.outcome.record)
}

const FORGERIES: Record<string, (message: Message) => void> = {
  'nothing, as a control': () => undefined,
  'a fact with another hash': ({ facts: [it] }) => (it.hash = '0'.repeat(64)),
  'a fact with another payload': ({ facts: [it] }) => (it.bytes = hexOf({ path: ['mood'], value: 2 })),
  'a fact by another being': fact((header) => (header.actor = 'ada')),
  'a fact of another moment': fact((header) => (header.moment = 'ada/1/1')),
  'a fact by a driver': fact((header) => (header.driver = 'operator')),
  'a fact of another kind than its header tells': ({ facts: [it] }) => (it.kind = 'matter:written'),
  'a fact on another reel': ({ facts: [it] }) => (it.reel = 'being:operator'),
  'a fact that follows nothing': fact((_, it) => (it.prev = '0'.repeat(64))),
  'a fact that skips a number': fact((header, it) => (header.seq = it.seq = it.seq + 1)),
  'a fact that tells that it changes nothing': ({ facts: [it] }) => (it.changes = false),
  'a fact of no payload': ({ facts: [it] }) => (it.bytes = null),
  'the parent of a row': ({ rows: [row] }) => (row.parent = 'ada'),
  'the mind of a row': ({ rows: [row] }) => (row.cognition = 'human'),
  'a row of another being': ({ rows: [row] }) => (row.key = 'being:ada'),
  'a row that is not there': ({ rows: [row] }) => (row.key = row.reel = 'being:nobody'),
  'a row that no fact changed': ({ rows: [row] }) => (row.foldedSeq = 1),
  'an open record that the record does not name': ({ open }) => (open.record = '{"a":1}'),
  'an open record with another number': ({ open }) => (open.n = 2),
  'a face that is not its digest': ({ open }) => (open.faceBytes = '"x"'),
  'a decision that is not its digest': ({ decision }) => (decision.bytes = '{}'),
  'a decision that the record does not name': record((said) => (said.decision = '0'.repeat(64))),
  'a record with another hash': ({ outcome }) => (outcome.hash = '0'.repeat(64)),
  'a record of another being': record((said) => (said.being = 'ada')),
  'a record of another moment': record((said) => (said.moment = 'ada/1/1')),
  'a record with another number': record((said, outcome) => (said.n = outcome.n = 2)),
  'a record of another kind': record((said) => (said.outcome = 'failure')),
  'a record with another role': ({ outcome }) => (outcome.primaryRole = 'operator'),
  'a record that follows nothing': record((_, outcome) => (outcome.prev = '0'.repeat(64))),
  'the wake of another being': (message) => {
    record((said, outcome) => (said.wake = outcome.wake = 'told-dov'))(message)
    message.open.wake = 'told-dov'
  },
  'a wake that is not there': record((said, outcome) => (said.wake = outcome.wake = 'nothing')),
  'the moment of another being': (message) => (message.moment = 'dov/1/1'),
  'the life of another being': (message) => (message.being = 'dov'),
  'a life that is over': (message) => (message.generation = 0),
  'a life with another name': (message) => (message.generation = '01'),
  'a fact on a head that it only reads': ({ heads }) => {
    for (const head of heads) head.write = head.reel === 'moments:cem'
  },
  'a head that has moved': ({ heads }) =>
    (heads.find(({ reel }: Message) => reel === 'being:operator').stateSeq = 7),
  'a head that it writes, and has moved': ({ heads }) =>
    (heads.find(({ reel }: Message) => reel === 'being:cem').seq = 7),
  'heads that are left out': (message) => (message.heads = []),
  'no head of its records': (message) =>
    (message.heads = message.heads.filter(({ reel }: Message) => reel !== 'moments:cem')),
  'a wake for another being': ({ inbox, moment }) =>
    inbox.push({
      id: `${moment}/1`,
      being: 'dov',
      kind: 'summon',
      priority: 3,
      content: '\\x2222',
      root: 'told-cem',
      hops: 0,
      continues: 0,
      looks: 0,
      expect_reply: true,
    }),
  'the entry of another being closed': ({ closes }) => closes.push('told-dov'),
  'a thread that was cut': (message) => (message.thread = 'cut'),
}

it.each(Object.keys(FORGERIES))('among others as by itself: %s', async (what) => {
  const forged = structuredClone(messages[2])
  FORGERIES[what]!(forged)
  const byItself = await attempt(base.db, async (tx) => [await alone(tx, forged)])
  const amongOthers = await attempt(base.db, (tx) => together(tx, [messages[0], forged, messages[1]]))
  if (typeof byItself === 'string') expect(typeof amongOthers).toBe('string')
  else expect(amongOthers).toEqual(['appended', ...byItself, 'appended'])
})

it.each([
  ['something was erased meanwhile', sql`erased_since = true`],
  ['the wake is an act', sql`kind = 'act'`],
  ['its words are from outside', sql`outside = true`],
  ['the claim was lost', sql`claimed_by = null`],
])('a moment that is not plain goes by itself: %s', async (_, change) => {
  const done = await attempt(base.owner, async (tx) => {
    await sql`update treeos.inbox set ${change} where id = 'told-cem'`.execute(tx)
    return counted(tx, [messages[0], messages[2], messages[1]])
  })
  expect(done).toEqual({
    statuses: ['appended', 'appended', 'appended'],
    append: 1,
    plain: 1,
  })
})
