import { setTimeout as sleep } from 'node:timers/promises'
import { type FactDraft, momentId } from '@treeos/core'
import { verifyChains } from '@treeos/proofs'
import { append, beginLife, claimAndRead, openDatabase, ReadSet, readHeads } from '@treeos/store'
import { sql } from 'kysely'
import pg from 'pg'
import { expect, it, vi } from 'vitest'
import { useDatabase } from '../support/database.ts'
import { putWake } from '../support/wakes.ts'
import { batchOf, changed, spoke, wakeFor } from './batch.ts'

const base = useDatabase({ poolMax: 24 })

/** Statements of this process by the function that they call, while `work` runs. */
async function callsDuring(work: () => Promise<unknown>): Promise<Record<string, number>> {
  const query = vi.spyOn(pg.Client.prototype, 'query')
  await work()
  const calls = query.mock.calls.flatMap(([config]) => {
    const text = typeof config === 'string' ? config : ((config as { text?: string } | undefined)?.text ?? '')
    return /treeos[.](append|append_together|claim_and_read|claim_together)\(/.exec(text)?.[1] ?? []
  })
  query.mockRestore()
  return Object.fromEntries([...Map.groupBy(calls, (call) => call)].map(([call, all]) => [call, all.length]))
}

const beings = (count: number, name: string) => Array.from({ length: count }, (_, i) => `${name}-${i}`)

async function born(name: string): Promise<string> {
  const row = {
    key: `being:${name}`,
    reel: `being:${name}`,
    state: {},
    foldedSeq: 1,
    place: '/',
    parent: null,
  }
  const rows = [{ ...row, cognition: 'scripted' as const, watches: null, account: null }]
  await append(base.owner, await batchOf(base.owner, base.reality, { rows }))
  await beginLife(base.owner, base.reality.id, name, 'run-1')
  return name
}

it('of appends that come at once each is written or refused by itself', async () => {
  const batches = await Promise.all(
    beings(40, 'space:/t').map((reel) => batchOf(base.db, base.reality, { drafts: [changed(reel)] })),
  )
  const [stale, broken] = [batches[7]!, batches[20]!]
  await append(base.owner, await batchOf(base.db, base.reality, { drafts: [changed('space:/t-7')] }))
  const lie = { ...broken, facts: broken.facts.map((fact) => ({ ...fact, prev: Buffer.alloc(32) })) }
  let settled: PromiseSettledResult<unknown>[] = []
  const calls = await callsDuring(async () => {
    settled = await Promise.allSettled(
      batches.map((batch) => append(base.owner, batch === broken ? lie : batch)),
    )
  })
  expect(calls.append_together).toBeGreaterThan(1)
  expect(calls.append).toBeLessThan(20) // those that came first, and those that went with the broken one
  for (const [i, each] of settled.entries()) {
    if (batches[i] === broken)
      expect(each).toMatchObject({ status: 'rejected', reason: expect.objectContaining({ code: 'TR002' }) })
    else
      expect(each).toMatchObject({
        value: batches[i] === stale ? { status: 'stale', reel: 'space:/t-7' } : { status: 'appended' },
      })
  }
  expect(await verifyChains(base.db, base.reality.id)).toMatchObject({ ok: true, broken: [] })
})

it('two workers that append to the same reels at once neither deadlock nor leave gaps', async () => {
  const other = openDatabase(base.url, { asOwner: true, poolMax: 8 })
  const reels = beings(10, 'space:/shared')
  const before = await deadlocks()
  let facts = 0
  await Promise.all(
    Array.from({ length: 24 }, async (_, writer) => {
      for (let done = 0; done < 10; ) {
        // Each writer goes round in its own direction, so that without a bound transactions of several would
        // wait for each other.
        const mine = [0, 1, 2].map((i) => reels[(writer + (writer % 2 ? i : -i) + done + 10) % 10] as string)
        const drafts: FactDraft[] = mine.map((reel, i) => (i === 0 ? spoke(reel) : changed(reel)))
        const batch = await batchOf(base.db, base.reality, { drafts })
        const { status } = await append(writer % 2 ? other : base.owner, batch)
        if (status !== 'appended') continue
        done += 1
        facts += drafts.length
      }
    }),
  )
  await other.destroy()
  const heads = await readHeads(base.db, base.reality.id, reels)
  expect(heads.reduce((sum, head) => sum + head.seq, 0)).toBe(facts)
  expect(await verifyChains(base.db, base.reality.id)).toMatchObject({ ok: true, broken: [] })
  expect(await deadlocks()).toBe(before)
})

it('an append whose head is locked holds up none of those that came with it', async () => {
  const reels = beings(12, 'space:/l')
  for (const reel of reels)
    await append(base.owner, await batchOf(base.db, base.reality, { drafts: [changed(reel)] }))
  const batches = await Promise.all(
    reels.map((reel) => batchOf(base.db, base.reality, { drafts: [changed(reel)] })),
  )
  const ended: string[] = []
  await base.owner.transaction().execute(async (tx) => {
    await sql`select from treeos.head where reel = 'space:/l-5' for update`.execute(tx)
    const all = batches.map((batch, i) =>
      append(base.owner, batch).then(() => ended.push(reels[i] as string)),
    )
    await expect.poll(() => ended.length, { timeout: 5000, interval: 10 }).toBe(11)
    await sleep(200)
    expect(ended).not.toContain('space:/l-5')
    void all
  })
  await expect.poll(() => ended.length).toBe(12)
})

it('claims that come at once each get the wake of their being, or none', async () => {
  const names = await Promise.all(beings(20, 'claimer').map(born))
  for (const name of names) if (name !== 'claimer-3') await putWake(base.owner, wakeFor(name, `wake-${name}`))
  const claim = (being: string) => {
    const at = { reality: base.reality.id, being, moment: momentId(being, 1, 1), generation: 1 }
    const readSet = new ReadSet()
    readSet.keys.add(`being:${being}`)
    return claimAndRead(base.db, at, readSet, null)
  }
  const calls = await callsDuring(async () => {
    const claimed = await Promise.all(names.map(claim))
    expect(claimed.map((each) => each?.wake.id ?? null)).toEqual(
      names.map((name) => (name === 'claimer-3' ? null : `wake-${name}`)),
    )
    for (const [i, each] of claimed.entries())
      if (each !== null) expect([...(each.kept?.fetched.rows.keys() ?? [])]).toContain(`being:${names[i]}`)
  })
  expect(calls.claim_together).toBeGreaterThan(0)
  expect((await Promise.all(names.map(claim))).map((each) => each?.wake.id ?? null)).toEqual(
    names.map((name) => (name === 'claimer-3' ? null : `wake-${name}`)), // asked again, the same
  )
})

it('a claim of a life that is over refuses only itself', async () => {
  const names = await Promise.all(beings(5, 'lives').map(born))
  for (const name of names) await putWake(base.owner, wakeFor(name, `wake-${name}`))
  await beginLife(base.owner, base.reality.id, 'lives-4', 'run-2')
  const settled = await Promise.allSettled(
    names.map((being) => {
      const at = { reality: base.reality.id, being, moment: momentId(being, 1, 1), generation: 1 }
      return claimAndRead(base.db, at, new ReadSet(), null)
    }),
  )
  expect(settled.map(({ status }) => status)).toEqual([...Array(4).fill('fulfilled'), 'rejected'])
  expect(settled[4]).toMatchObject({ reason: { name: 'StaleGenerationError' } })
})

it.each([
  ['a claim of an act among them', ['event', 'act', 'event'], 'on'],
  ['an act first, and a claim of no wake last', ['act', 'event', null], 'on'],
  ['no act', ['event', 'event', 'event'], 'off'],
])('the commit of claims waits for the disk if that of one would: %s', async (what, kinds, expected) => {
  const names = await Promise.all(
    kinds.map((_, i) => born(`disk-${what.replaceAll(/[ ,]/g, '')}-${i}`.toLowerCase())),
  )
  for (const [i, kind] of kinds.entries()) {
    const wake = wakeFor(names[i] as string, `wake-${names[i]}`)
    if (kind !== null) await putWake(base.owner, kind === 'act' ? { ...wake, kind, caller: null } : wake)
  }
  const none = { keys: [], reels: [], places: [], parents: [], asides: [], wore: [], bounds: [1, 1, 1, 1] }
  const asks = names.map((being) => ({ being, moment: momentId(being, 1, 1), generation: 1, ...none }))
  const setting = await base.db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ ask: number; what: string }>`
      select ask, what from treeos.claim_together(${JSON.stringify(asks)}::jsonb)`.execute(tx)
    expect(rows.filter((row) => row.what === 'wake').map(({ ask }) => ask)).toEqual(
      kinds.flatMap((kind, i) => (kind === null ? [] : [i])),
    )
    return (await sql<{ value: string }>`select current_setting('synchronous_commit') as value`.execute(tx))
      .rows[0]
  })
  expect(setting?.value).toBe(expected)
})

async function deadlocks(): Promise<number> {
  await sql`select pg_stat_force_next_flush()`.execute(base.owner)
  const { rows } = await sql<{ deadlocks: number }>`
    select deadlocks from pg_stat_database where datname = current_database()`.execute(base.owner)
  return Number(rows[0]?.deadlocks)
}
