import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Checkpoint,
  findLogIndex,
  HeadsOfLog,
  isConsistent,
  isIncluded,
  type LogVerified,
  leafHashOf,
  makeCheckpoint,
  originOf,
  readCheckpointFiles,
  readConsistencyProof,
  readInclusionProof,
  readKeys,
  readTreeHead,
  Signer,
  sequence,
  verifyChains,
  verifyLog,
} from '@treeos/proofs'
import { append, type Db, openDatabase, type StoreDb } from '@treeos/store'
import { type Kysely, sql } from 'kysely'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { batchOf, changed } from '../store/batch.ts'
import { appendChains, rewriteSuffix, tamper } from '../store/tampering.ts'
import { freshDatabase, onServer, type TestDatabase } from '../support/database.ts'
import { verifyInSql } from './verify-in-sql.ts'

let base: TestDatabase
/** as the sequencer logs in */
let sequencer: Kysely<StoreDb>
let home: string
let signer: Signer

function sequencerUrlOf(url: string): string {
  const login = inject('sequencerPostgresUrl')
  if (login === null) throw new Error('set TREEOS_SEQUENCER_DATABASE_URL to a member of treeos_sequencer')
  return Object.assign(new URL(login), { pathname: new URL(url).pathname }).href
}

async function begin(): Promise<void> {
  base = await freshDatabase()
  sequencer = openDatabase(sequencerUrlOf(base.url), { poolMax: 4 })
  home = mkdtempSync(join(tmpdir(), 'treeos-log-'))
  signer = signerIn('one')
}

async function end(): Promise<void> {
  await sequencer.destroy()
  await base.close()
  rmSync(home, { recursive: true })
}

function signerIn(name: string): Signer {
  const own = join(home, name)
  return new Signer({
    origin: originOf(base.reality.id),
    keyFile: join(own, 'key'),
    lastFile: join(own, 'last.json'),
    folder: join(own, 'checkpoints'),
  })
}

function checkpoints(name = 'one'): readonly Checkpoint[] {
  const folder = join(home, name, 'checkpoints')
  const { checkpoints, faults } = readCheckpointFiles(folder, originOf(base.reality.id), readKeys(folder))
  expect(faults).toEqual([])
  return checkpoints
}

const byReel = (a: { reel: string }, b: { reel: string }) => (a.reel < b.reel ? -1 : 1)

const write = async (db: Db, ...reels: string[]) =>
  append(db, await batchOf(db, base.reality, { drafts: reels.map((reel) => changed(reel)) }))

const entries = async (db: Db = base.db) =>
  (await db.selectFrom('log_entry').select(['index', 'reel', 'seq']).orderBy('index').execute()).map(
    ({ index, reel, seq }) => `${index} ${reel} ${seq}`,
  )

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
    ['the contents of facts', 'select bytes from treeos.payload', '42501'],
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

describe('against checkpoints', () => {
  beforeEach(async () => {
    await begin()
    await appendChains(base.owner, base.owner, base.reality)
    await makeCheckpoint(sequencer, signer)
  })
  afterEach(end)

  /** The verdict without any checkpoint, which is that of all chains and of the log. */
  const isUnbroken = async () =>
    (await verifyChains(base.db, base.reality.id)).ok &&
    (await verifyInSql(base.db, base.reality.id)).ok &&
    (await verifyLog(base.db, [])).ok

  /** Makes the log once more over what the tables hold now, as the owner can. */
  const makeLogAgain = async () => {
    await tamper(
      base,
      'delete from treeos.log_entry',
      'delete from treeos.log_tile',
      'update treeos.log_state set size = 0, journal = 0',
    )
    await sequence(sequencer)
  }

  it('an untouched record is ok, with several checkpoints', async () => {
    for (const reel of ['space:/a', 'space:/b']) {
      await write(base.owner, reel)
      expect(await makeCheckpoint(sequencer, signer)).toMatchObject({ status: 'signed' })
    }
    expect(await makeCheckpoint(sequencer, signer)).toMatchObject({ status: 'same' })
    const verified = await verifyLog(base.db, checkpoints())
    expect(verified).toMatchObject({ ok: true, checkpoints: 3, suspect: null, broken: [] })
    expect(verified.lastGood?.size).toBe(verified.entries)
  })

  it('a checkpoint that does not tell where the chains end shows', async () => {
    const [newest] = checkpoints().slice(-1) as [Checkpoint]
    expect((await verifyLog(base.db, [newest])).ok).toBe(true) // the control
    const heads = { count: newest.heads!.count - 1, root: newest.heads!.root }
    for (const lie of [
      { ...newest, heads },
      { ...newest, heads: { ...heads, root: newest.root } },
    ])
      expect((await verifyLog(base.db, [lie])).broken).toMatchObject([{ reason: 'checkpoint-mismatch' }])
  })

  it('a suffix of a reel that was rewritten in all tables shows with its range', async () => {
    const good = checkpoints()[0]?.size ?? 0
    await write(base.owner, 'being:bob')
    await makeCheckpoint(sequencer, signer)
    await write(base.owner, 'being:ada', 'being:ada')
    await makeCheckpoint(sequencer, signer)
    await write(base.owner, 'being:ada')
    await makeCheckpoint(sequencer, signer)
    await rewriteSuffix(base, 'being:ada', 6, (header) => header.replace('"$reality"', '"mallory"'))
    // The log alone shows a rewrite that forgot it …
    expect((await verifyLog(base.db, [])).broken).toEqual([
      { reel: 'being:ada', seq: 6, reason: 'log-mismatch' },
    ])
    await makeLogAgain()
    expect(await isUnbroken()).toBe(true) // … and one that did not shows against checkpoints only
    const verified = await verifyLog(base.db, checkpoints())
    expect(verified).toMatchObject({
      ok: false,
      lastGood: { size: good + 1 },
      suspect: { from: good + 1, to: good + 3, gone: 0, reels: [{ reel: 'being:ada', from: 5, to: 6 }] },
      broken: [{ reel: 'log', seq: good + 1, reason: 'checkpoint-mismatch' }],
    })
    // The signer does not sign it either.
    await write(base.owner, 'space:/later')
    expect(await makeCheckpoint(sequencer, signer)).toMatchObject({ status: 'refused', why: 'inconsistent' })
  })

  it('a record that was rewritten shows as well', async () => {
    const records = await base.owner
      .selectFrom('moment_outcome')
      .selectAll()
      .where('being', '=', 'ada')
      .execute()
    const last = records.sort((a, b) => a.n - b.n).at(-1)
    const forged = last?.record.toString('utf8').replace('"FORBIDDEN"', '"TIMEOUT"') ?? ''
    await tamper(
      base,
      `update treeos.moment_outcome set reason = 'TIMEOUT', record = convert_to('${forged}', 'UTF8'),
        hash = sha256('treeos.moment.v1\\000'::bytea || prev || convert_to('${forged}', 'UTF8'))
        where being = 'ada' and n = 3`,
      `update treeos.head set hash = (select hash from treeos.moment_outcome where being = 'ada' and n = 3)
        where reel = 'moments:ada'`,
    )
    await makeLogAgain()
    expect(await isUnbroken()).toBe(true)
    expect(await verifyLog(base.db, checkpoints())).toMatchObject({
      ok: false,
      suspect: { from: 0, reels: expect.arrayContaining([{ reel: 'moments:ada', from: 1, to: 3 }]) },
    })
  })

  it('a tail that was cut off everywhere shows, and how much is gone', async () => {
    const good = checkpoints()[0]?.size ?? 0
    await write(base.owner, 'being:bob', 'being:bob')
    await makeCheckpoint(sequencer, signer)
    await tamper(
      base,
      `delete from treeos.payload where reel = 'being:bob' and seq > 4`,
      `delete from treeos.fact where reel = 'being:bob' and seq > 4`,
      `delete from treeos.journal where reels = array['being:bob', 'being:bob']`,
      `update treeos.head set seq = 4, state_seq = 4, hash = (select hash from treeos.fact where reel = 'being:bob' and seq = 4)
        where reel = 'being:bob'`,
    )
    await makeLogAgain()
    expect(await isUnbroken()).toBe(true)
    expect(await verifyLog(base.db, checkpoints())).toMatchObject({
      ok: false,
      lastGood: { size: good },
      suspect: { from: good, to: good + 2, gone: 2, reels: [] },
    })
    expect(await makeCheckpoint(sequencer, signer)).toMatchObject({ status: 'refused', why: 'smaller' })
  })

  it('a backup that was restored, and lived on another way, shows as a fork', async () => {
    const good = checkpoints()[0]?.size ?? 0
    const copy = await cloneOf(base)
    await write(base.owner, 'space:/true')
    await makeCheckpoint(sequencer, signer)
    const other = openDatabase(copy.url, { asOwner: true, poolMax: 2 })
    for (const reel of ['space:/other', 'space:/other']) await write(other, reel)
    await sequence(other)
    expect((await verifyChains(other, base.reality.id)).ok).toBe(true)
    expect((await verifyLog(other, [])).ok).toBe(true)
    const shown: LogVerified = await verifyLog(other, checkpoints())
    expect(shown).toMatchObject({
      ok: false,
      lastGood: { size: good },
      suspect: { from: good, to: good + 1, gone: 0, reels: [{ reel: 'space:/other', from: 1, to: 1 }] },
    })
    expect(await makeCheckpoint(other, signer)).toMatchObject({ status: 'refused', why: 'inconsistent' })
    // control: a signer that had seen nothing before signs it, and its checkpoints fit
    await makeCheckpoint(other, signerIn('two'))
    expect((await verifyLog(other, checkpoints('two'))).ok).toBe(true)
    expect((await verifyLog(base.db, checkpoints('two'))).ok).toBe(false)
    await other.destroy()
    await copy.drop()
  })

  it('a fact that was inserted behind the back of the journal shows', async () => {
    await tamper(
      base,
      `insert into treeos.fact select 'being:eve', 1, kind, moment, sha256(hash), prev, payload_hash, header
        from treeos.fact where reel = 'being:ada' and seq = 1`,
    )
    expect((await verifyLog(base.db, [])).broken).toEqual([
      { reel: 'being:eve', seq: 1, reason: 'log-missing' },
    ])
  })

  it('a view in place of the log, that shows each entry as its fact is now, shows', async () => {
    await write(base.owner, 'being:ada', 'being:ada')
    await makeCheckpoint(sequencer, signer)
    await rewriteSuffix(base, 'being:ada', 6, (header) => header.replace('"$reality"', '"mallory"'))
    expect((await verifyLog(base.db, checkpoints())).broken).toEqual([
      { reel: 'being:ada', seq: 6, reason: 'log-mismatch' },
    ])
    await sql`alter table treeos.log_entry rename to hidden`.execute(base.owner)
    await sql`
      create view treeos.log_entry as select h.index, h.reel, h.seq, case when current_query() like '%log-mismatch%'
        then coalesce((select f.hash from treeos.fact f where f.reel = h.reel and f.seq = h.seq), h.hash) else h.hash end as hash
      from treeos.hidden h`.execute(base.owner)
    // The control: the lie hides the entry from what compares, and the tree has the roots that were signed.
    expect((await verifyLog(base.owner, checkpoints())).broken).toEqual([
      { reel: 'schema', seq: 0, reason: 'table-mismatch', key: 'log_entry' },
      // The table has another name, and its trigger and the right to write it went with it.
      { reel: 'schema', seq: 0, reason: 'trigger-mismatch', key: 'hidden.log_entry_fixed' },
      { reel: 'schema', seq: 0, reason: 'trigger-mismatch', key: 'log_entry.log_entry_fixed' },
      { reel: 'schema', seq: 0, reason: 'rights-mismatch', key: 'treeos_sequencer: insert hidden' },
    ])
  })

  it('the place of the sequencer that was set back shows', async () => {
    await write(base.owner, 'space:/a')
    await makeCheckpoint(sequencer, signer)
    await tamper(base, 'update treeos.log_state set journal = 0')
    expect(await verifyLog(base.db, checkpoints())).toMatchObject({
      ok: false,
      broken: [{ reel: 'log', reason: 'log-gap' }],
    })
    // It hides nothing either that is behind the back of the journal.
    await tamper(
      base,
      `insert into treeos.fact select 'being:eve', 1, kind, moment, sha256(hash), prev, payload_hash, header
        from treeos.fact where reel = 'being:ada' and seq = 1`,
    )
    const { broken } = await verifyLog(base.db, checkpoints())
    expect(broken).toContainEqual({ reel: 'being:eve', seq: 1, reason: 'log-missing' })
  })

  it('a checkpoint that was signed after a larger one shows', async () => {
    await write(base.owner, 'space:/a')
    await makeCheckpoint(sequencer, signer)
    const [first, second] = checkpoints()
    expect((await verifyLog(base.db, [second!, first!])).broken).toEqual([
      { reel: 'log', seq: first!.size, reason: 'checkpoint-order' },
    ])
  })
})

/** A copy of a database, which nobody may be connected to meanwhile. */
async function cloneOf({ url }: TestDatabase): Promise<{ url: string; drop(): Promise<void> }> {
  const name = new URL(url).pathname.slice(1)
  const copy = `${name}_copy`
  await onServer(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}' and pid <> pg_backend_pid()`,
  )
  await onServer(`create database ${copy} template ${name}`)
  return {
    url: Object.assign(new URL(url), { pathname: copy }).href,
    drop: () => onServer(`drop database ${copy} with (force)`),
  }
}
