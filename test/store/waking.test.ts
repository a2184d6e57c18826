/** Whom changes wake, how often, and what that writes. */
import { findEntry, listPacedAuthors, releaseDelayed } from '@treeos/store'
import { sql } from 'kysely'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { useDatabase } from '../support/database.ts'
import { until } from '../support/life.ts'
import { IS_NIGHT } from '../support/night.ts'

/** One connection each, so that what it has counted is all that was written. */
const base = useDatabase({ poolMax: 1 })
const CROWD = 1000

/** @ann and @bea are persons; @amy and the crowd, `b-1` and so on, are theirs. */
beforeAll(async () => {
  const put = (name: string, parent: string | null, cognition: string) =>
    sql`insert into treeos.projection (key, reel, state, folded_seq, parent, cognition)
      values (${`being:${name}`}, ${`being:${name}`}, '{}', 1, ${parent}, ${cognition})`.execute(base.owner)
  await put('operator', null, 'human')
  for (const person of ['ann', 'bea']) await put(person, 'operator', 'human')
  await put('amy', 'ann', 'scripted')
  await put('npc', 'operator', 'scripted')
  await sql`insert into treeos.projection (key, reel, state, folded_seq, parent, cognition)
    select 'being:b-' || i, 'being:b-' || i, '{}', 1, 'bea', 'llm' from generate_series(1, ${CROWD}::integer) i`.execute(
    base.owner,
  )
  for (const reel of ['space:/hall', 'space:/yard'])
    await sql`insert into treeos.head (reel, seq, hash, state_seq) values (${reel}, 1, '', 1)`.execute(
      base.owner,
    )
})

afterEach(async () => {
  for (const table of ['inbox', 'delayed', 'held_change', 'change_reader', 'change_author', 'watch'])
    await sql`delete from ${sql.table(`treeos.${table}`)}`.execute(base.owner)
  await sql`update treeos.head set woke_at = null`.execute(base.owner)
})

const watch = (reel: string, count: number, name = 'b-') =>
  sql`insert into treeos.watch (being, reel, path)
    select ${name} || i, ${reel}, 'tone' from generate_series(1, ${count}::integer) i`.execute(base.owner)

let changes = 0
/** As append calls it, with the head of the reel locked. @returns how many were woken at once */
async function change(author: string | null, reel = 'space:/hall'): Promise<number> {
  changes += 1
  const cause = changes.toString(16).padStart(64, '0')
  const moment = author === null ? null : `${author}/1/${changes}`
  const content = `{"event":"changed","n":${changes}}`
  const event = { content, root: `root-${changes}`, hops: 1, cause, priority: 4, outside: false }
  const batch = { moment, being: author, changes: [{ reel, paths: ['tone'], values: {}, event }] }
  return base.owner.transaction().execute(async (tx) => {
    await sql`select treeos.lock_heads(array[${reel}])`.execute(tx)
    const { rows } = await sql<{ answer: { woken: string[] } }>`
      select treeos.wake_watchers(${JSON.stringify(batch)}::jsonb, false, null) as answer`.execute(tx)
    return rows[0]?.answer.woken.length ?? 0
  })
}

const countIn = async (table: string) =>
  Number(
    (await sql<{ n: string }>`select count(*) n from ${sql.table(`treeos.${table}`)}`.execute(base.owner))
      .rows[0]?.n,
  )
/** The wakes in the inbox: each being, and for how many changes its wake stands. */
const wakes = async () =>
  (
    await sql<{ being: string; times: number }>`select being, times from treeos.inbox order by being`.execute(
      base.owner,
    )
  ).rows
const release = () => releaseDelayed(base.db, { sweeps: false })
/** The moment of each wake has ended. */
const live = () =>
  sql`update treeos.inbox set claimed_by = 'm', closed_by = 'm', closed_at = clock_timestamp() where closed_by is null`.execute(
    base.owner,
  )
/** As if so many seconds had passed. */
async function pass(seconds: number): Promise<void> {
  const past = sql`make_interval(secs => ${seconds})`
  await sql`update treeos.head set woke_at = woke_at - ${past}`.execute(base.owner)
  await sql`update treeos.held_change set due = due - ${past}`.execute(base.owner)
  await sql`update treeos.delayed set due = due - ${past}`.execute(base.owner)
  await sql`update treeos.change_reader set woken_at = woken_at - ${past}`.execute(base.owner)
  await sql`update treeos.change_author set free_at = free_at - ${past}`.execute(base.owner)
}

describe('changes wake a being at most once a second', () => {
  it('those of one reel are held meanwhile, and one wake stands for all of them', async () => {
    await watch('space:/hall', 1)
    expect(await change('amy')).toBe(1)
    await live()
    for (let i = 0; i < 5; i++) expect(await change('amy')).toBe(0)
    expect([await countIn('held_change'), (await wakes()).length]).toEqual([5, 1])
    expect((await release()).woken).toEqual([])
    await pass(1)
    expect(await release()).toMatchObject({ woken: ['b-1'], nextMs: null })
    expect((await wakes()).map(({ times }) => times).sort()).toEqual([1, 5])
    expect(await countIn('held_change')).toBe(0)
  })

  it('the next change after that brings the held ones along', async () => {
    await watch('space:/hall', 1)
    await change('amy')
    await change('amy')
    await live()
    await pass(1)
    expect(await change('amy')).toBe(1)
    expect((await wakes()).map(({ times }) => times).sort()).toEqual([1, 2])
    expect(await countIn('held_change')).toBe(0)
  })

  it('those of another reel wait until a second has passed since its last wake', async () => {
    for (const reel of ['space:/hall', 'space:/yard']) await watch(reel, 1)
    await change('amy')
    await live()
    expect(await change('amy', 'space:/yard')).toBe(0)
    expect(await countIn('delayed')).toBe(1)
    const { nextMs } = await release()
    expect(nextMs).toBeGreaterThan(500)
    expect(nextMs).toBeLessThanOrEqual(1000)
    await pass(1)
    expect((await release()).woken).toEqual(['b-1'])
  })

  it('a wake that no moment has claimed takes a change of another reel along', async () => {
    for (const reel of ['space:/hall', 'space:/yard']) await watch(reel, 1)
    await change('amy')
    expect(await change('amy', 'space:/yard')).toBe(1)
    expect(await wakes()).toEqual([{ being: 'b-1', times: 2 }])
  })

  it('the worker is told when what is held is due', async () => {
    await watch('space:/hall', 1)
    await change('amy')
    await change('amy')
    expect((await release()).nextMs).toBeGreaterThan(0)
    await until(async () => (await release()).nextMs === null, { seconds: 5 })
    expect(await wakes()).toEqual([{ being: 'b-1', times: 2 }])
  })

  it('what was erased meanwhile is told no more', async () => {
    await watch('space:/hall', 1)
    await change('amy')
    await live()
    await change('amy')
    const cause = changes.toString(16).padStart(64, '0')
    await sql`insert into treeos.fact (reel, seq, kind, hash, prev, payload_hash, header, salt, bytes)
      values ('space:/hall', ${changes}, 'quality:set', decode(${cause}, 'hex'), '', '', '{}', '', '{}')`.execute(
      base.owner,
    )
    await base.owner.transaction().execute(async (tx) => {
      await sql`set local session_replication_role = replica`.execute(tx) // no tombstone stands here
      await sql`select treeos.erase_fact('space:/hall', ${changes}, decode(${cause}, 'hex'))`.execute(tx)
    })
    await pass(1)
    await release()
    expect((await findEntry(base.db, `change/amy/1/${changes}/b-1`))?.content).toBeNull()
  })
})

describe('what the beings of one person change wakes those of others at most 600 times a minute', () => {
  it('those who are more wait for their places, and each wakes once', async () => {
    await watch('space:/hall', CROWD)
    expect(await change('amy')).toBe(600)
    expect(await countIn('delayed')).toBe(CROWD - 600)
    // whom `treeos doctor` names: 400 places, ten a second
    const [amys, ...others] = await listPacedAuthors(base.db)
    expect([amys?.person, others]).toEqual(['ann', []])
    expect(amys?.seconds).toBeGreaterThan(30)
    await live()
    await pass(2)
    const first = (await release()).woken.length
    expect(first, 'ten places a second').toBeGreaterThanOrEqual(20)
    expect(first).toBeLessThan(100)
    await live()
    // Another change: those who wait keep their places, the others take the next ones.
    // A place or two may have come free meanwhile.
    const atOnce = await change('amy')
    expect(atOnce).toBeLessThan(20)
    expect(await countIn('delayed')).toBe(CROWD - atOnce)
    await pass(60)
    const second = (await release()).woken.length
    expect(second).toBeGreaterThanOrEqual(600)
    expect(second).toBeLessThan(700)
    await live()
    await pass(60)
    expect((await release()).woken).toHaveLength(CROWD - atOnce - second)
    expect(await countIn('delayed')).toBe(0)
  })

  it.each<[string | null, string]>([
    ['npc', 'the operator made all beings'],
    ['b-7', 'its own are not of others'],
    [null, 'nobody did it'],
  ])('not those of %s: %s', async (author, _why) => {
    await watch('space:/hall', CROWD)
    expect(await change(author)).toBe(CROWD)
  })

  it('what is somebody else’s does not wait for it', async () => {
    await watch('space:/hall', CROWD)
    await change('amy')
    await live()
    await pass(1)
    const ended = await change('npc')
    expect(ended).toBe(CROWD)
    expect(await countIn('delayed')).toBe(0)
  })
})

/** 100 changes to 1,000 beings take minutes on a busy machine, and then hold up all that waits for the journal. */
const inside = IS_NIGHT ? CROWD : 200

describe(`100 changes in a second with ${inside} beings inside`, () => {
  const written = async () => {
    for (const db of [base.db, base.owner]) await sql`select pg_stat_force_next_flush()`.execute(db)
    const { rows } = await sql<{ n: string }>`
      select sum(n_tup_ins + n_tup_upd + n_tup_del) n from pg_stat_user_tables
      where schemaname = 'treeos' and relname in ('inbox', 'delayed', 'held_change', 'change_reader', 'change_author')`.execute(
      base.owner,
    )
    return Number(rows[0]?.n)
  }
  async function writtenBy(count: number, isHeld: boolean): Promise<number> {
    await watch('space:/hall', inside)
    const before = await written()
    for (let i = 0; i < count; i++) {
      if (!isHeld) await sql`update treeos.head set woke_at = null`.execute(base.owner)
      await change('npc')
    }
    await until(async () => (await release()).nextMs === null, { seconds: 10 })
    return (await written()) - before
  }

  it('write two rows each and wake each being about once a second', async () => {
    const began = performance.now()
    const rows = await writtenBy(100, true)
    console.info(`waking: ${rows} rows in ${Math.round(performance.now() - began)} ms`)
    const seconds = Math.ceil((performance.now() - began) / 1000)
    // Each fan-out writes a wake, or counts in the one that waits; and notes when it woke.
    expect(rows).toBeLessThan(200 + seconds * 2 * inside)
    expect((await wakes()).every(({ times }) => times === 100)).toBe(true)
  })

  it('control: without that second each writes a row for each of them', async () => {
    expect(await writtenBy(10, false)).toBeGreaterThan(10 * inside)
  })
})
