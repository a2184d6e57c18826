import { canonicalJson, type JsonObject, momentId } from '@treeos/core'
import { verifyChains } from '@treeos/proofs'
import {
  append,
  type Batch,
  beginLife,
  findDecision,
  findOpen,
  findOutcome,
  listFactsAfter,
  newDecision,
  type OpenWrite,
  openDatabase,
  readHeads,
  recordDecision,
  recordOpen,
  reserve,
  writeJson,
} from '@treeos/store'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freshDatabase, type TestDatabase } from '../support/database.ts'
import { batchOf, changed, type Moment, spoke, type Wish, wakeFor } from './batch.ts'

let base: TestDatabase
beforeAll(async () => {
  base = await freshDatabase()
})
afterAll(async () => {
  expect(await verifyChains(base.db, base.reality.id)).toMatchObject({ ok: true, broken: [] })
  await base.close()
})

const batch = (wish: Wish) => batchOf(base.db, base.reality, wish)
const write = async (wish: Wish) => append(base.owner, await batch(wish))
const beginsLife = (being: string, chain = 'run-1') => beginLife(base.db, base.reality.id, being, chain)
const counts = async () => {
  const { rows } = await sql<{
    facts: number
    payloads: number
    outcomes: number
    inbox: number
    rows: number
  }>`
    select (select count(*) from treeos.fact) facts, (select count(bytes) from treeos.fact) payloads,
      (select count(*) from treeos.moment_outcome) outcomes, (select count(*) from treeos.inbox) inbox,
      (select count(*) from treeos.projection) rows`.execute(base.db)
  return rows[0]!
}

const row = (key: string) => ({
  key,
  reel: key,
  state: { name: key },
  foldedSeq: 1,
  place: '/',
  parent: null,
  cognition: 'llm',
  watches: null,
})

describe('an act and its facts commit together or not at all', () => {
  const moment: Moment = { being: 'whole', generation: 1, n: 1 }
  const wish: Wish = {
    moment,
    drafts: [changed('being:whole'), changed('space:/whole'), spoke('being:whole')],
    rows: [row('being:whole')],
    inbox: [wakeFor('whole', 'reply-1')],
  }

  it('leaves nothing when its connection is killed while it waits for a lock; the retry appends everything', async () => {
    await beginsLife('whole')
    await write({ drafts: [changed('space:/whole')] })
    const whole = await batch(wish)
    const before = await counts()
    const killed = await killedWhileLocked('space:/whole', (db) => append(db, whole))
    expect(killed).toMatchObject({ code: '57P01' })
    expect(await counts()).toEqual(before)
    expect(await findOutcome(base.db, 'whole/1/1')).toBeNull()

    expect((await append(base.owner, whole)).status).toBe('appended')
    expect(await append(base.owner, whole)).toEqual({ status: 'done' })
    expect(await counts()).toEqual({
      facts: before.facts + 3,
      payloads: before.payloads + 3,
      outcomes: before.outcomes + 1,
      inbox: before.inbox + 1,
      rows: before.rows + 1,
    })
  })

  it('leaves nothing when its connection is killed after its facts, in the same transaction', async () => {
    await beginsLife('halfway')
    const before = await counts()
    const half = await batch({
      moment: { being: 'halfway', generation: 1, n: 1 },
      drafts: [changed('being:halfway')],
    })
    const db = openDatabase(base.url, { poolMax: 1 })
    const dying = db.transaction().execute(async (tx) => {
      expect((await append(tx, half)).status).toBe('appended')
      await sql`select pg_terminate_backend(pg_backend_pid())`.execute(tx)
    })
    await expect(dying).rejects.toThrow()
    await db.destroy()
    expect(await counts()).toEqual(before)
    expect((await append(base.owner, half)).status).toBe('appended')
  })

  it('control: the same kill after the commit leaves all of it', async () => {
    await beginsLife('committed')
    const before = await counts()
    const all = await batch({
      moment: { being: 'committed', generation: 1, n: 1 },
      drafts: [changed('being:committed')],
    })
    const db = openDatabase(base.url, { poolMax: 1 })
    expect((await append(db, all)).status).toBe('appended')
    await expect(sql`select pg_terminate_backend(pg_backend_pid())`.execute(db)).rejects.toThrow()
    await db.destroy()
    expect(await counts()).toMatchObject({ facts: before.facts + 1, outcomes: before.outcomes + 1 })
  })

  it.each([
    { what: 'payload', alter: (f: Fact) => ({ ...f, bytes: Buffer.from('{"path":[],"value":2}') }) },
    { what: 'salt', alter: (f: Fact) => ({ ...f, salt: Buffer.alloc(32) }) },
    { what: 'header', alter: (f: Fact) => ({ ...f, header: Buffer.from('{}') }) },
    { what: 'link', alter: (f: Fact) => ({ ...f, prev: Buffer.alloc(32) }) },
    { what: 'hash', alter: (f: Fact) => ({ ...f, ref: { ...f.ref, hash: '00'.repeat(32) } }) },
    { what: 'kind', alter: (f: Fact) => ({ ...f, ref: { ...f.ref, kind: 'being:moved' } }) },
    { what: 'place', alter: (f: Fact) => ({ ...f, ref: { ...f.ref, seq: f.ref.seq + 1 } }) },
  ])('refuses all of a batch in which one $what is wrong', async ({ alter }) => {
    const before = await counts()
    const good = await batch({ drafts: [changed('space:/refused'), changed('space:/refused')] })
    const [first, second] = good.facts
    const bad = append(base.owner, { ...good, facts: [first!, alter(second!)] })
    await expect(bad).rejects.toMatchObject({ code: 'TR002' })
    expect(await counts()).toEqual(before)
  })

  it('refuses a record that differs from its row', async () => {
    await beginsLife('liar')
    const good = await batch({ moment: { being: 'liar', generation: 1, n: 1 } })
    for (const lie of [{ kind: 'see' }, { reason: 'x' }, { sealedAt: 1 }, { primaryRole: 'x' }, { n: 2 }]) {
      const bad = { ...good, outcome: { ...good.outcome!, ...lie } } as Batch
      await expect(append(base.owner, bad), JSON.stringify(lie)).rejects.toMatchObject({ code: 'TR002' })
    }
  })
})

type Fact = Batch['facts'][number]

describe('a batch', () => {
  it('is stale when the state of a reel that it only read has changed', async () => {
    const late = await batch({ drafts: [changed('being:reader')], reads: ['space:/read'] })
    await write({ drafts: [changed('space:/read')] })
    expect(await append(base.owner, late)).toEqual({ status: 'stale', reel: 'space:/read' })
    expect((await readHeads(base.db, base.reality.id, ['being:reader']))[0]?.seq).toBe(0)
  })

  it('is appended when a reel that it only read got nothing but speech', async () => {
    const late = await batch({ drafts: [changed('being:listener')], reads: ['being:speaker'] })
    await write({ drafts: [spoke('being:speaker'), spoke('being:speaker')] })
    expect((await append(base.owner, late)).status).toBe('appended')
  })

  it('is stale when a reel that it writes got any fact, speech too', async () => {
    const late = await batch({ drafts: [spoke('being:speaker')] })
    await write({ drafts: [spoke('being:speaker')] })
    expect(await append(base.owner, late)).toEqual({ status: 'stale', reel: 'being:speaker' })
  })

  it('is stale when the thread of what it answers was cut meanwhile', async () => {
    await write({ drafts: [], rows: [row('thread:of-all')] })
    const late = { ...(await batch({ drafts: [changed('being:answerer')] })), thread: 'of-all' }
    expect(await append(base.owner, late)).toEqual({ status: 'stale', reel: 'thread:of-all' })
    expect((await append(base.owner, { ...late, thread: 'of-none' })).status).toBe('appended')
  })

  it('is superseded when a younger life of the being has begun, and writes nothing', async () => {
    expect(await beginsLife('cat', 'run-1')).toBe(1)
    const old = await batch({ moment: { being: 'cat', generation: 1, n: 1 }, drafts: [changed('being:cat')] })
    expect(await beginsLife('cat', 'run-2')).toBe(2)
    expect(await beginsLife('cat', 'run-1')).toBe(1)
    const before = await counts()
    expect(await append(base.owner, old)).toEqual({ status: 'superseded', generation: 2 })
    expect(await counts()).toEqual(before)
    const young = { moment: { being: 'cat', generation: 2, n: 1 }, drafts: [changed('being:cat')] }
    expect((await write(young)).status).toBe('appended')
  })
})

const OVERLAY = { tiers: ['call', 'account'], mode: 'block', commitment: 'ab'.repeat(32) } as const

it('replaces the row that is there, and takes no row twice', async () => {
  const states = async () => {
    const { rows } = await sql<{ state: string; n: number }>`
      select state, folded_seq as n from treeos.projection where key = 'thread:again'`.execute(base.db)
    return rows.map(({ state, n }) => [JSON.parse(state), Number(n)])
  }
  const again = row('thread:again')
  await write({ drafts: [], rows: [again] })
  await write({ drafts: [], rows: [{ ...again, state: { name: 'new' }, foldedSeq: 2 }, row('thread:other')] })
  expect(await states()).toEqual([[{ name: 'new' }, 2]])
  await expect(write({ drafts: [], rows: [again, again] })).rejects.toMatchObject({ code: '21000' })
  expect(await states()).toEqual([[{ name: 'new' }, 2]])
})

describe('a batch that brings the open record and the decision of its moment', () => {
  const SAID = { kind: 'failure', code: 'INTERNAL', message: 'it says: \u0000 "\\u0000"' } as const

  /** A moment in memory, with its outcome. @param attempt of the reservation that the decision settles */
  async function heldBatch(being: string, { seen = 1, attempt = null as number | null } = {}) {
    await beginsLife(being)
    const moment: Moment = { being, generation: 1, n: 1 }
    const made = await batch({ moment, drafts: [changed(`being:${being}`)] })
    const record = writeJson({ v: 1, moment: momentId(being, 1, 1), context: { seen } })
    const open: OpenWrite = {
      moment: momentId(being, 1, 1),
      being,
      n: 1,
      wake: 'w',
      openedAt: 1,
      record,
      basis: { salt: '', heads: [], noted: null },
      face: writeJson({ being, seen }),
    }
    const settlement = attempt === null ? null : { attempt, used: { tokens: 7, micros: null } }
    const decision = newDecision(SAID, { usage: { tokens: 7 }, settlement, overlay: OVERLAY })
    const outcome = made.outcome!
    const signed = { ...outcome.record, open: record.digest, decision: decision.digest }
    return { ...made, outcome: { ...outcome, record: signed }, open, decision }
  }

  it('stores all of it, to the byte, and settles the call of its model', async () => {
    await sql`insert into treeos.account (being, revision, per) values ('holder', 1, 'total')`.execute(
      base.owner,
    )
    const held = await heldBatch('holder', { attempt: -5 })
    const at = { being: 'holder', moment: held.open.moment, attempt: -5 }
    expect(await reserve(base.db, at, { tokens: 100, micros: null })).toEqual({ status: 'reserved' })
    expect((await append(base.owner, held)).status).toBe('appended')
    expect(await findOpen(base.db, held.open.moment)).toMatchObject({
      record: JSON.parse(held.open.record.text),
    })
    expect(await findDecision(base.db, held.open.moment)).toEqual({
      decision: SAID,
      digest: held.decision.digest,
      overlay: OVERLAY,
    })
    const { rows } = await sql<{ bytes: Buffer; settled: number }>`
      select d.bytes, r.settled_tokens as settled from treeos.moment_decision d join treeos.reservation r using (moment)
      where moment = ${held.open.moment}`.execute(base.db)
    expect(rows).toEqual([{ bytes: held.decision.bytes, settled: 7 }])
  })

  it('is appended when the same ones are stored already', async () => {
    const held = await heldBatch('repeater')
    const opened = await Promise.all(Array.from({ length: 6 }, () => recordOpen(base.owner, held.open)))
    expect(opened.filter((isNow) => isNow)).toHaveLength(1) // of runs that open it at once
    await recordDecision(base.db, held.open.moment, held.decision)
    expect((await append(base.owner, held)).status).toBe('appended')
  })

  it.each(['open record', 'decision'])('writes nothing when another %s is stored', async (what) => {
    const being = `second-${what.slice(0, 4)}`
    const held = await heldBatch(being)
    const before = await counts()
    if (what === 'decision') await recordOpen(base.owner, held.open)
    if (what === 'decision') await recordDecision(base.db, held.open.moment, newDecision(SAID))
    else await recordOpen(base.owner, (await heldBatch(being, { seen: 2 })).open)
    expect(await append(base.owner, held)).toEqual({ status: 'reopened' })
    expect(await counts()).toEqual(before)
    if (what === 'open record') expect(await findDecision(base.db, held.open.moment)).toBeNull()
  })

  const waiting = async () =>
    (
      await sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%treeos.append%'`.execute(
        base.owner,
      )
    ).rows.length

  it.each(['equal', 'other'])(
    'is made again when an %s decision is stored at the same time',
    async (which) => {
      const held = await heldBatch(`meets-${which}`)
      await recordOpen(base.owner, held.open)
      const before = await counts()
      let answer: ReturnType<typeof append> | undefined
      await base.owner.transaction().execute(async (tx) => {
        await recordDecision(tx, held.open.moment, which === 'equal' ? held.decision : newDecision(SAID))
        answer = append(base.owner, held)
        await expect.poll(waiting, { timeout: 10_000, interval: 5 }).toBe(1)
      })
      expect(await answer).toEqual({ status: 'reopened' })
      expect(await counts()).toEqual(before)
    },
  )

  it.each([
    { what: 'open record', field: 'open' },
    { what: 'decision', field: 'decision' },
  ])('is refused when the moment record names another $what', async ({ field }) => {
    const held = await heldBatch(`liar-${field}`)
    const record = { ...held.outcome.record, [field]: 'ab'.repeat(32) }
    const lying = append(base.owner, { ...held, outcome: { ...held.outcome, record } })
    await expect(lying).rejects.toMatchObject({ code: 'TR002' })
    expect(await findOpen(base.db, held.open.moment)).toBeNull()
  })

  it('is refused when its open record has the number of another moment', async () => {
    const held = await heldBatch('liar-n')
    const lying = append(base.owner, { ...held, open: { ...held.open, n: 2 } })
    await expect(lying).rejects.toMatchObject({ code: 'TR002' })
  })
})

describe('stored bytes', () => {
  it.each<[string, JsonObject]>([
    ['NUL', { text: 'a\u0000b', '\u0000': 1 }],
    ['emoji and U+FFFD', { text: '👩🏽‍🚀\ufffd\u2028', '😀': '\ud7ff' }],
    ['numbers that jsonb rewrites', { a: 1e21, b: 1e-7, c: 5e-324, d: 0, e: -1e300, f: 2 ** 53 }],
    ['text that looks like other types', { a: '-0', b: '1e21', c: '\\u0000', d: '\\x00', e: "'; --" }],
    ['keys in an order jsonb would change', { bb: 1, a: 2, ä: 3, '\ue000': 4, '\ud83d\ude00': 5 }],
  ])('come back to the byte: %s', async (what, payload) => {
    const reel = `matter:${what.replaceAll(' ', '-')}`
    const made = await batch({ drafts: [{ reel, kind: 'matter:made', payload }] })
    expect((await append(base.owner, made)).status).toBe('appended')
    const { rows } = await sql<{ bytes: Buffer }>`
      select bytes from treeos.fact where reel = ${reel}`.execute(base.db)
    expect(rows[0]?.bytes).toEqual(Buffer.from(canonicalJson(payload), 'utf8'))
    expect((await listFactsAfter(base.db, reel, 0, 1))[0]?.payload).toEqual(payload)
  })

  it('of a message for people accept any text of a model', async () => {
    await beginsLife('talker')
    const outcome = { kind: 'failure', reason: 'INTERNAL', detail: 'half \ud800 and \u0000' } as const
    const done = await write({ moment: { being: 'talker', generation: 1, n: 1 }, outcome })
    expect(done.status).toBe('appended')
    expect((await findOutcome(base.db, 'talker/1/1'))?.detail).toBe('half \ufffd and \ufffd')
  })
})

/**
 * Runs an append while another transaction holds a head, and kills its connection once it waits.
 * @returns its error
 */
async function killedWhileLocked(reel: string, run: (db: TestDatabase['db']) => Promise<unknown>) {
  const db = openDatabase(base.url, { poolMax: 1 })
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)
  const pid = rows[0]!.pid
  const error = await base.owner.transaction().execute(async (tx) => {
    await sql`select from treeos.head where reel = ${reel} for update`.execute(tx)
    const running = run(db).catch((thrown: unknown) => thrown)
    const waits = sql<{ waits: boolean }>`
      select wait_event_type = 'Lock' as waits from pg_stat_activity where pid = ${pid}`
    while (!(await waits.execute(base.owner)).rows[0]?.waits) await new Promise((go) => setTimeout(go, 5))
    await sql`select pg_terminate_backend(${pid})`.execute(base.owner)
    return running
  })
  await db.destroy()
  return error
}
