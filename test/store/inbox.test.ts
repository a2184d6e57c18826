import { asksBack } from '@treeos/client'
import { type Cognition, type JsonObject, PRIORITIES, type Wake } from '@treeos/core'
import {
  append,
  beginLife,
  closeEntries,
  countChain,
  enqueue,
  findEntry,
  findLived,
  findOutcomeOfWake,
  findSaid,
  listOpenSummons,
  listUnclaimed,
  listUnfinished,
  measureInboxes,
  type RowWrite,
  recordOpen,
  StaleGenerationError,
  writeJson,
} from '@treeos/store'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { freshDatabase, useDatabase } from '../support/database.ts'
import { claimId, putWake } from '../support/wakes.ts'
import { batchOf, wakeFor } from './batch.ts'

const base = useDatabase()

/** Makes a being with this cognition in its first life, and these wakes. */
async function being(
  name: string,
  cognition: Cognition,
  wakes: readonly Partial<Wake>[],
  state: JsonObject = {},
): Promise<void> {
  const row: RowWrite = {
    key: `being:${name}`,
    reel: `being:${name}`,
    state,
    foldedSeq: 1,
    place: '/',
    parent: null,
    cognition,
    watches: null,
  }
  await append(base.owner, await batchOf(base.db, base.reality, { rows: [row] }))
  await beginLife(base.db, base.reality.id, name, 'run-1')
  for (const wake of wakes) await putWake(base.owner, wakeFor(name, wake.id!, wake))
}

const claim = (name: string, n: number, generation = 1) =>
  claimId(base.db, base.reality.id, `${name}/${generation}/${n}`)

const stamp = async (name: string, n: number, wake: string | null, closes: string[] = []) => {
  const moment = { being: name, generation: 1, n }
  return append(base.owner, await batchOf(base.db, base.reality, { moment, closes, outcome: { wake } }))
}

const open = (name: string, n: number, wake: string, generation: number) =>
  recordOpen(base.owner, {
    moment: `${name}/${generation}/${n}`,
    being: name,
    n,
    wake,
    openedAt: 1,
    basis: { salt: '', heads: [], noted: null },
    face: null,
    record: writeJson({}),
  })

describe('order of an inbox', () => {
  it('is by priority, then age; a summon of a person comes before background wakes', async () => {
    await being('ada', 'llm', [
      { id: 'a1', priority: PRIORITIES.background },
      { id: 'a2', priority: PRIORITIES.interactive },
      { id: 'a3', priority: PRIORITIES.background },
      { id: 'a4', priority: PRIORITIES.human },
      { id: 'a5', priority: PRIORITIES.interactive },
      { id: 'a6', priority: PRIORITIES.human },
    ])
    const order = []
    for (let n = 1; n <= 6; n++) {
      const wake = await claim('ada', n)
      order.push(wake)
      await stamp('ada', n, wake)
    }
    expect(order).toEqual(['a4', 'a6', 'a2', 'a5', 'a1', 'a3'])
    expect(await claim('ada', 7)).toBeNull()
  })

  it('wakes a person only by acts, and leaves summons open for the person to answer', async () => {
    await being('paul', 'human', [
      { id: 'p1', priority: PRIORITIES.human },
      { id: 'p2', kind: 'event', priority: PRIORITIES.human },
    ])
    expect(await claim('paul', 1)).toBeNull()
    await putWake(base.owner, wakeFor('paul', 'p3', { kind: 'act', priority: PRIORITIES.background }))
    expect(await claim('paul', 1)).toBe('p3')
    expect((await listOpenSummons(base.db, 'paul')).map(({ id }) => id)).toEqual(['p1', 'p2'])
  })

  it('tells how many wakes wait when a moment ends', async () => {
    await being('lina', 'scripted', [{ id: 'l1' }, { id: 'l2' }, { id: 'l3' }])
    expect(await stamp('lina', 1, await claim('lina', 1))).toMatchObject({ status: 'appended', waiting: 2 })
    expect(await stamp('lina', 2, await claim('lina', 2))).toMatchObject({ waiting: 1 })
    expect(await stamp('lina', 3, await claim('lina', 3))).toMatchObject({ waiting: 0 })
  })

  it('does not count the open summons of a person as waiting', async () => {
    await being('rest', 'human', [{ id: 'r1' }, { id: 'r2', kind: 'act' }])
    expect(await stamp('rest', 1, await claim('rest', 1))).toMatchObject({ waiting: 0 })
  })
})

describe('a claim', () => {
  it.each([
    ['passes over wakes of schedules that the being has no more, and closes them', { rounds: {} }, []],
    // Postgres cannot read a row with a NUL, so these wakes may be of schedules that it has.
    ['keeps all wakes of schedules where the row holds a NUL', { odd: 'a\u0000b' }, ['gone/1', 'gone/2']],
  ])('%s', async (_rule, schedule, kept) => {
    const name = `tick-${kept.length}`
    const tick = (of: string) => ({ id: `schedule/${name}/${of}`, kind: 'event' as const, caller: null })
    const wakes = [tick('gone/1'), tick('rounds/1'), { id: `schedule/${name}-of-another` }, tick('gone/2')]
    await being(name, 'scripted', wakes, { qualities: { schedule } })
    const order: string[] = []
    for (let n = 1, wake = await claim(name, n); wake !== null; wake = await claim(name, ++n)) {
      order.push(wake)
      await stamp(name, n, wake)
    }
    const lived = [...kept, 'rounds/1'].map((of) => `schedule/${name}/${of}`)
    expect(order.sort()).toEqual([...lived, `schedule/${name}-of-another`].sort())
    expect((await findEntry(base.db, `schedule/${name}/gone/2`))?.closedBy === 'withdrawn').toBe(
      kept.length === 0,
    )
  })

  it('gives a moment the same wake each time it asks, also in parallel', async () => {
    await being('bob', 'llm', [{ id: 'b1' }, { id: 'b2' }, { id: 'b3' }])
    const claims = await Promise.all(Array.from({ length: 20 }, () => claim('bob', 1)))
    expect(new Set(claims)).toEqual(new Set(['b1']))
    expect((await findEntry(base.db, 'b2'))?.claimedBy).toBeNull()
  })

  it('waits for another run of the same moment that is halfway through its own', async () => {
    await being('ben', 'llm', [{ id: 'n1' }, { id: 'n2' }])
    const [first, second] = await base.db.transaction().execute(async (tx) => {
      const mine = await claimId(tx, base.reality.id, 'ben/1/1')
      const other = claim('ben', 1).catch((error: Error) => error.message)
      // by now it waits for the lock, or has claimed another wake
      await new Promise((go) => setTimeout(go, 100))
      return [mine, { other }] as const
    })
    expect([first, await second.other]).toEqual(['n1', 'n1'])
  })

  it('is refused to an older life when a younger one has begun, and so is opening a moment', async () => {
    await being('cat', 'llm', [{ id: 'c1' }])
    expect(await claim('cat', 1)).toBe('c1')
    expect(await beginLife(base.db, base.reality.id, 'cat', 'run-2')).toBe(2)
    await expect(claim('cat', 1)).rejects.toBeInstanceOf(StaleGenerationError)
    await expect(open('cat', 1, 'c1', 1)).rejects.toBeInstanceOf(StaleGenerationError)
    expect(await listUnfinished(base.db, 'cat')).toEqual([])
    expect(await claim('cat', 1, 2)).toBe('c1')
  })

  it('of an older life is freed when its opened moment is closed as superseded', async () => {
    await being('dan', 'llm', [{ id: 'd1' }])
    expect(await claim('dan', 1)).toBe('d1')
    expect(await open('dan', 1, 'd1', 1)).toBe(true)
    expect(await open('dan', 1, 'd1', 1)).toBe(false)
    await beginLife(base.db, base.reality.id, 'dan', 'run-2')
    expect(await claim('dan', 2, 2)).toBeNull()
    expect(await listUnfinished(base.db, 'dan')).toEqual([{ moment: 'dan/1/1', n: 1 }])
    const outcome = { kind: 'skipped', reason: 'superseded', wake: null, primaryRole: null } as const
    const old = await batchOf(base.db, base.reality, {
      moment: { being: 'dan', generation: 1, n: 1 },
      outcome,
    })
    const closing = { ...old, moment: { ...old.moment!, generation: 2 } }
    expect((await append(base.owner, closing)).status).toBe('appended')
    expect(await listUnfinished(base.db, 'dan')).toEqual([])
    expect(await claim('dan', 2, 2)).toBe('d1')
    await stampIn(2, 'dan', 2, 'd1')
    expect((await findOutcomeOfWake(base.db, 'd1'))?.n).toBe(2)
  })

  it.each(['its end', 'a younger life'])('that its moment was not opened for is freed by %s', async (by) => {
    const name = by === 'its end' ? 'gia' : 'gil'
    await being(name, 'llm', [{ id: `${name}-1` }, { id: `${name}-2` }])
    expect(await claim(name, 1)).toBe(`${name}-1`)
    expect(await open(name, 1, `${name}-2`, 1)).toBe(true)
    if (by === 'its end') await stamp(name, 1, `${name}-2`)
    else await beginLife(base.db, base.reality.id, name, 'run-2')
    expect((await findEntry(base.db, `${name}-1`))?.claimedBy).toBeNull()
  })

  it('opens moments by number without gaps', async () => {
    await being('eve', 'llm', [{ id: 'e1' }])
    await expect(open('eve', 2, 'e1', 1)).rejects.toMatchObject({ code: 'TR002' })
    expect(await open('eve', 1, 'e1', 1)).toBe(true)
  })
})

const stampIn = async (generation: number, name: string, n: number, wake: string) => {
  const moment = { being: name, generation, n }
  return append(base.owner, await batchOf(base.db, base.reality, { moment, outcome: { wake } }))
}

it('enqueues the same wake only once', async () => {
  await being('fay', 'human', [])
  const wake = wakeFor('fay', 'act/f1', { kind: 'act', caller: null })
  expect(await Promise.all([enqueue(base.people, 'act', wake), enqueue(base.people, 'act', wake)])).toContain(
    false,
  )
  expect(await enqueue(base.people, 'act', wake)).toBe(false)
})

it('an answer closes the wakes that it answers, and leaves closed ones as they are', async () => {
  await being('gus', 'human', [{ id: 'g1' }, { id: 'g2' }, { id: 'g3', kind: 'act' }])
  expect(await closeEntries(base.people, 'gus', ['g2'], 'dismissed')).toBe(1)
  await stamp('gus', 1, await claim('gus', 1), ['g1', 'g2'])
  const closed = await Promise.all(['g1', 'g2', 'g3'].map((id) => findEntry(base.db, id)))
  expect(closed.map((entry) => entry?.closedBy)).toEqual(['gus/1/1', 'dismissed', 'gus/1/1'])
})

it('lists beings with a wake that no moment claimed', async () => {
  const fresh = await freshDatabase()
  try {
    await sql`insert into treeos.projection (key, reel, state, folded_seq, cognition) values
      ('being:llm', 'being:llm', '{}', 1, 'llm'), ('being:person', 'being:person', '{}', 1, 'human')`.execute(
      fresh.owner,
    )
    for (const name of ['llm', 'person', 'unborn']) await putWake(fresh.owner, wakeFor(name, `wake-${name}`))
    expect(await listUnclaimed(fresh.db, 60, 10)).toEqual([])
    expect(await listUnclaimed(fresh.db, 0, 10)).toEqual(['llm'])
    await putWake(fresh.owner, wakeFor('person', 'act', { kind: 'act' }))
    expect((await listUnclaimed(fresh.db, 0, 10)).sort()).toEqual(['llm', 'person'])
    // As if the clock had been set back by an hour since.
    await sql`update treeos.inbox set at = at + interval '1 hour' where being = 'llm'`.execute(fresh.owner)
    expect(await listUnclaimed(fresh.db, 60, 10)).toEqual(['llm'])
  } finally {
    await fresh.close()
  }
})

it('measures how many wakes wait, the oldest and the median of them, and those of people and in the background', async () => {
  const fresh = await freshDatabase()
  try {
    const waits = {
      waiting: 0,
      oldestSeconds: 0,
      medianSeconds: 0,
      ofPeople: { waiting: 0, oldestSeconds: 0 },
      inBackground: { waiting: 0, oldestSeconds: 0 },
    }
    expect(await measureInboxes(fresh.db)).toEqual(waits)
    const row: RowWrite = {
      key: 'being:busy',
      reel: 'being:busy',
      state: {},
      foldedSeq: 1,
      place: '/',
      parent: null,
      cognition: 'llm',
      watches: null,
    }
    await append(fresh.owner, await batchOf(fresh.db, fresh.reality, { rows: [row] }))
    const ages = { a: 10, b: 20, c: 90 }
    const priorities: Record<string, number> = { a: PRIORITIES.interactive, b: PRIORITIES.human }
    for (const [id, seconds] of Object.entries(ages)) {
      const priority = priorities[id] ?? PRIORITIES.background
      await putWake(fresh.owner, wakeFor('busy', id, { priority }))
      await sql`update treeos.inbox set at = at - make_interval(secs => ${seconds}) where id = ${id}`.execute(
        fresh.owner,
      )
    }
    const seconds = (age: number) => expect.closeTo(age, -1)
    expect(await measureInboxes(fresh.db)).toEqual({
      waiting: 3,
      oldestSeconds: seconds(90),
      medianSeconds: seconds(20),
      ofPeople: { waiting: 1, oldestSeconds: seconds(20) },
      inBackground: { waiting: 1, oldestSeconds: seconds(90) },
    })
  } finally {
    await fresh.close()
  }
})

it('counts the wakes of a thread up to a bound, without wakes by change', async () => {
  const wakes = [1, 2, 3, 4, 5].map((i) => ({ id: `c${i}`, root: 'c1' }))
  await being('carl', 'llm', [...wakes, { id: 'change/c', root: 'c1' }])
  expect([await countChain(base.db, 'c1', 1000), await countChain(base.db, 'c1', 3)]).toEqual([5, 3])
})

it('an inbox is asked for what needs a decision, which no flood of other entries hides', async () => {
  await being('judge', 'human', [])
  const put = (id: string, fields: { kind?: string; notice?: string; reply?: string; expects?: boolean }) =>
    sql`insert into treeos.inbox (id, being, kind, priority, content, root, notice, in_reply_to, expect_reply)
      values (${id}, 'judge', ${fields.kind ?? 'event'}, 3, '""', ${id}, ${fields.notice ?? null}, ${fields.reply ?? null},
        ${fields.expects ?? true})`.execute(base.owner)
  await put('asked/pup/1/1', {})
  await put('parked/pup/1/2', { notice: 'pup' })
  await put('parked/free/1/2', { notice: 'free' })
  await put('well', { kind: 'summon' })
  await put('yes', { kind: 'summon', reply: 'sent' })
  await put('told', { kind: 'summon', expects: false })
  await put('which', { kind: 'summon', reply: 'sent' })
  await sql`update treeos.inbox set content = '"Which one?"' where id = 'which'`.execute(base.owner)
  await put('failed', { notice: 'failed' })
  await put('rang', {})
  await sql`insert into treeos.inbox (id, being, kind, priority, content, root)
    select 'flood/' || i, 'judge', 'event', 3, '""', 'flood/' || i from generate_series(1, 1000) i`.execute(
    base.owner,
  )
  await sql`insert into treeos.parking (being, of, revision)
    values ('pup', 'pup', -(treeos.standard('llm')->>'revision')::integer)`.execute(base.owner)
  const idsOf = async (kind: string) =>
    (await listOpenSummons(base.db, 'judge', { kind, limit: 10, isNewestFirst: true })).map(({ id }) => id)
  expect(await idsOf('approval')).toEqual(['asked/pup/1/1'])
  expect(await idsOf('budget')).toEqual(['parked/pup/1/2'])
  expect(await idsOf('question')).toEqual(['well'])
  expect(await idsOf('answer')).toEqual(['yes'])
  expect(await idsOf('asks-back')).toEqual(['which'])
  expect(await idsOf('news')).toEqual(['told'])
  expect(await idsOf('notice')).toEqual(['failed', 'parked/free/1/2'])
  expect(await idsOf('event')).toHaveLength(10)
  expect(await closeEntries(base.owner, 'judge', ['asked/pup/1/1', 'parked/pup/1/2', 'well'], 'read')).toBe(0)
  expect(await closeEntries(base.owner, 'judge', ['told', 'yes', 'which', 'parked/free/1/2'], 'read')).toBe(4)
})

it.each([
  ['Which order do you mean?', true],
  ['“Which one?” **Please say!**\n', true],
  [{ text: 'どの注文ですか？' }, true],
  ['You asked: may I?\n\nYou may.', false],
  ['I looked at https://shop.example/?q=1 for you.', false],
  [{ answer: 'Why?' }, false],
  ['what ? now', false],
  ['', false],
  [['Why?'], false],
  [null, false],
])('an answer of %j asks back: %s, as a page and as the counts tell it', async (content, isAsking) => {
  const { rows } = await sql<{ asks: boolean }>`
    select treeos.asks_back(${Buffer.from(JSON.stringify(content))}) as asks`.execute(base.db)
  expect([asksBack(content), rows[0]?.asks]).toEqual([isAsking, isAsking])
})

it('words are found beside bytes that are no text and no JSON', async () => {
  await being('sailor', 'human', [])
  const contents = {
    found: '"the harbour"',
    ill: 'harbour',
    bytes: Buffer.from('ff22686172626f757222', 'hex'),
  }
  for (const [id, content] of Object.entries(contents))
    await sql`insert into treeos.inbox (id, being, kind, priority, content, root)
      values (${id}, 'sailor', 'summon', 3, ${Buffer.from(content as string)}, ${id})`.execute(base.owner)
  const wanted = { of: null, words: ['harbour'], limit: 10 }
  expect((await findSaid(base.db, wanted)).map(({ entry }) => entry.id)).toEqual(['found'])
  const moment = { being: 'sailor', generation: 1, n: 1 }
  await append(base.owner, await batchOf(base.db, base.reality, { moment, outcome: { wake: null } }))
  const record = (bytes: string) =>
    sql`insert into treeos.moment_decision (moment, kind, digest, salt, bytes)
      values ('sailor/1/1', 'act', '', '', ${Buffer.from(bytes, 'hex')})`
  await record('ff').execute(base.owner)
  expect(await findLived(base.db, wanted)).toEqual([])
})
