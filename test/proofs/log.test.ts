import {
  findLogIndex,
  HeadsOfLog,
  isConsistent,
  isIncluded,
  leafHashOf,
  readConsistencyProof,
  readInclusionProof,
  readTreeHead,
  sequence,
  verifyLog,
} from '@treeos/proofs'
import { append, openDatabase } from '@treeos/store'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { batchOf, changed } from '../store/batch.ts'
import { tamper } from '../store/tampered-chains.ts'
import { base, begin, byReel, end, entries, sequencer, sequencerUrlOf, write } from './log-world.ts'

describe('the sequencer', () => {
  beforeAll(begin)
  afterAll(end)

  it('follows the journal, and within an append the order of its facts', async () => {
    await write(base.owner, 'space:/b', 'space:/a', 'space:/b')
    await write(base.owner, 'space:/c')
    const moment = { being: 'ada', generation: 1, n: 1 }
    await sql`insert into treeos.life (being, generation, chain) values ('ada', 1, 'x')`.execute(base.owner)
    const batch = await batchOf(base.db, base.reality, { moment, drafts: [changed('being:ada')] })
    expect(await append(base.owner, batch)).toMatchObject({ status: 'appended' })
    expect(await sequence(sequencer)).toBe(6)
    expect(await entries()).toEqual([
      '0 space:/b 1',
      '1 space:/a 1',
      '2 space:/b 2',
      '3 space:/c 1',
      '4 being:ada 1',
      '5 moments:ada 1',
    ])
  })

  it('waits for an append that has taken its place in the journal, and passes over one that was rolled back', async () => {
    const size = await sequence(sequencer)
    const under = (how: 'commit' | 'roll back') => {
      const written = Promise.withResolvers<void>()
      const go = Promise.withResolvers<void>()
      const done = base.owner
        .transaction()
        .execute(async (tx) => {
          await write(tx, `space:/${how.replace(' ', '-')}`)
          written.resolve()
          await go.promise
          if (how === 'roll back') throw new Error(how)
        })
        .catch(() => undefined)
      const end = () => {
        go.resolve()
        return done
      }
      return { written: written.promise, end }
    }
    const [lost, late] = [under('roll back'), under('commit')]
    await Promise.all([lost.written, late.written])
    await write(base.owner, 'space:/later')
    let over = false
    const sequencing = sequence(sequencer).then((size) => {
      over = true
      return size
    })
    await write(base.owner, 'space:/last')
    expect(over).toBe(false)
    await lost.end()
    await late.end()
    await sequencing
    expect(await sequence(sequencer)).toBe(size + 3)
    expect((await entries()).slice(-3).map((entry) => entry.split(' ')[1])).toEqual([
      'space:/commit',
      'space:/later',
      'space:/last',
    ])
  })

  it('gives each fact one place when eight sequence and eight append at once', async () => {
    const before = await sequence(sequencer)
    const others = Array.from({ length: 8 }, () => openDatabase(sequencerUrlOf(base.url), { poolMax: 1 }))
    const writing = Array.from({ length: 8 }, async (_, i) => {
      for (let n = 0; n < 15; n++) await write(base.owner, `space:/busy-${i}`)
    })
    const stop = Promise.all(writing)
    let going = true
    const sequencing = others.map(async (db) => {
      while (going) await sequence(db)
    })
    await stop
    going = false
    await Promise.all(sequencing)
    await Promise.all(others.map((db) => db.destroy()))
    expect(await sequence(sequencer)).toBe(before + 120)
    expect(await verifyLog(base.db, [])).toMatchObject({ ok: true, entries: before + 120 })
    expect((await entries()).map((entry) => Number(entry.split(' ')[0]))).toEqual(
      Array.from({ length: before + 120 }, (_, i) => i),
    )
  })

  it('keeps tiles from which every entry and every older log is proven', async () => {
    const size = await sequence(sequencer)
    const head = await readTreeHead(base.db, size)
    const all = await base.db.selectFrom('log_entry').selectAll().orderBy('index').execute()
    for (const entry of all) {
      expect(await findLogIndex(base.db, entry)).toBe(entry.index)
      const proof = await readInclusionProof(base.db, entry.index, size)
      const claim = { index: entry.index, leaf: leafHashOf(entry), ...head }
      expect(isIncluded(claim, proof)).toBe(true)
      expect(isIncluded({ ...claim, leaf: leafHashOf({ ...entry, seq: entry.seq + 1 }) }, proof)).toBe(false)
      const from = await readTreeHead(base.db, entry.index)
      expect(isConsistent(from, head, await readConsistencyProof(base.db, from.size, size))).toBe(true)
    }
  })

  it('tells the ends of all chains after any number of entries, read chain by chain or entry by entry', async () => {
    const size = await sequence(sequencer)
    const all = await base.db.selectFrom('log_entry').selectAll().orderBy('index').execute()
    const growing = new HeadsOfLog(base.reality.id, 7)
    for (let at = 1; at <= size; at += 5) {
      const { ends } = await new HeadsOfLog(base.reality.id, 1).at(sequencer, at)
      const { ends: grown } = await growing.at(sequencer, at)
      expect(grown).toEqual(ends)
      const last = new Map(all.slice(0, at).map(({ reel, seq, hash }) => [reel, { reel, seq, hash }]))
      expect(ends.filter(({ seq }) => seq > 0).toSorted(byReel)).toEqual([...last.values()].toSorted(byReel))
    }
  })

  it('stops loudly at a fact that is gone before it was in the log', async () => {
    await write(base.owner, 'space:/gone')
    await tamper(base, `delete from treeos.fact where reel = 'space:/gone'`)
    await expect(sequence(sequencer)).rejects.toThrow(/null value in column "hash"/)
  })
})

describe('the login of the sequencer', () => {
  let client: pg.Client
  beforeAll(async () => {
    await begin()
    client = new pg.Client(sequencerUrlOf(base.url))
    await client.connect()
    await write(base.owner, 'space:/a')
    await sequence(sequencer)
  })
  afterAll(async () => {
    await client.end()
    await end()
  })

  const attempt = async (db: pg.Client, statement: string) => {
    await db.query('begin')
    try {
      await db.query(statement)
    } finally {
      await db.query('rollback')
    }
  }

  it.each([
    ['the contents of facts', 'select bytes from treeos.fact', '42501'],
    ['headers', 'select header from treeos.fact', '42501'],
    ['what moments decided', 'select bytes from treeos.moment_decision', '42501'],
    ['inboxes', 'select content from treeos.inbox', '42501'],
    ['another fact', `update treeos.fact set kind = 'x'`, '42501'],
    ['an append', `select treeos.append('{}')`, '42501'],
    ['another journal', 'delete from treeos.journal', '42501'],
    ['another place of an entry', 'update treeos.log_entry set index = 7', '42501'],
    ['an entry less', 'delete from treeos.log_entry', '42501'],
    ['no tiles', 'delete from treeos.log_tile', '42501'],
    ['other tiles', `update treeos.log_tile set hashes = sha256('x')`, 'TR001'],
    ['a smaller log', 'update treeos.log_state set size = 0', 'TR001'],
    ['an older place in the journal', 'update treeos.log_state set journal = 0', 'TR001'],
    ['the role of workers', 'set role treeos_app', '42501'],
    ['a table of its own', 'create table treeos.mine (x int)', '42501'],
  ])('gets no %s', async (_, statement, code) => {
    await expect(attempt(client, statement)).rejects.toMatchObject({ code })
  })

  it('control: the owner without triggers gets what the triggers refuse', async () => {
    const owner = new pg.Client(base.url)
    await owner.connect()
    for (const statement of ['delete from treeos.log_entry', 'update treeos.log_state set size = 0'])
      await expect(
        attempt(owner, `set local session_replication_role = replica; ${statement}`),
      ).resolves.toBeUndefined()
    await expect(attempt(owner, 'delete from treeos.log_entry')).rejects.toMatchObject({ code: 'TR001' })
    await owner.end()
  })
})
