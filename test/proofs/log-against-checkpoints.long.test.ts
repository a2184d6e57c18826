/** What checkpoints show of a record that was rewritten, cut off or restored. */
import {
  type Checkpoint,
  type LogVerified,
  makeCheckpoint,
  sequence,
  verifyChains,
  verifyLog,
} from '@treeos/proofs'
import { openDatabase } from '@treeos/store'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { appendChains, rewriteSuffix, tamper } from '../store/tampered-chains.ts'
import { onServer, type TestDatabase } from '../support/database.ts'
import { base, begin, checkpoints, end, sequencer, signer, signerIn, write } from './log-world.ts'
import { verifyInSql } from './verify-in-sql.ts'

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
