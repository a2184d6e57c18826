import type { FactDraft } from '@treeos/core'
import { verifyChains } from '@treeos/proofs'
import {
  type AppendResult,
  append,
  type Batch,
  beginLife,
  digestOf,
  findDecision,
  findOpen,
  findOutcome,
  newDecision,
  openDatabase,
  readHeads,
  recordDecision,
  recordOpen,
  writeJson,
} from '@treeos/store'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sabotage } from '../faults/sabotage.ts'
import { freshDatabase, type TestDatabase, useDatabase } from '../support/database.ts'
import { IS_NIGHT } from '../support/night.ts'
import { batchOf, changed, spoke } from './batch.ts'

const base = useDatabase({ poolMax: 24 })

/** Workers: one sends together what comes at once, so what is to race goes by several in turns. */
interface Workers {
  readonly append: (batch: Batch) => Promise<AppendResult>
  readonly end: () => Promise<unknown>
}

function hire(url: string): Workers {
  const pools = Array.from({ length: 8 }, () => openDatabase(url, { asOwner: true, poolMax: 3 }))
  let turns = 0
  return {
    append: (batch) => append(pools[turns++ % pools.length] as (typeof pools)[0], batch),
    end: () => Promise.all(pools.map((pool) => pool.destroy())),
  }
}

let workers: Workers
beforeAll(() => {
  workers = hire(base.url)
})
afterAll(() => workers.end())

it('of 200 parallel appends of one moment, one is appended and 199 answer done', async () => {
  await beginLife(base.db, base.reality.id, 'racer', 'run-1')
  const moment = { being: 'racer', generation: 1, n: 1 }
  // Two answers came for one moment: both batches are valid, and the first counts.
  const batches = await Promise.all(
    Array.from({ length: 200 }, (_, i) =>
      batchOf(base.db, base.reality, {
        moment,
        drafts: [changed('being:racer', i), changed('space:/race', i)],
      }),
    ),
  )
  const answers = await Promise.all(batches.map(workers.append))
  expect(tally(answers)).toEqual({ appended: 1, done: 199 })
  expect(await verifyChains(base.db, base.reality.id)).toMatchObject({ ok: true, facts: 2, moments: 1 })
})

it('parallel appends to overlapping reels neither deadlock nor leave gaps', async () => {
  const reels = Array.from({ length: 12 }, (_, i) => `space:/s${i}`)
  const random = seeded(7)
  let facts = 0
  const writers = Array.from({ length: 24 }, async () => {
    for (let done = 0; done < (IS_NIGHT ? 15 : 5); ) {
      const mine = shuffled(reels, random).slice(0, 4)
      const drafts: FactDraft[] = mine.map((reel) => (random() < 0.3 ? spoke(reel) : changed(reel)))
      const reads = shuffled(reels, random).slice(0, 3)
      const { status } = await workers.append(
        reversed(await batchOf(base.db, base.reality, { drafts, reads })),
      )
      if (status !== 'appended') continue
      done += 1
      facts += drafts.length
    }
  })
  await Promise.all(writers)
  const heads = await readHeads(base.db, base.reality.id, reels)
  expect(heads.reduce((sum, head) => sum + head.seq, 0)).toBe(facts)
  expect(await verifyChains(base.db, base.reality.id)).toMatchObject({ ok: true, facts: facts + 2 })
})

it('parallel first appends to one new reel do not fail', async () => {
  const batches = await Promise.all(
    Array.from({ length: 50 }, () => batchOf(base.db, base.reality, { drafts: [changed('space:/fresh')] })),
  )
  const answers = await Promise.all(batches.map(workers.append))
  expect(tally(answers)).toEqual({ appended: 1, stale: 49 })
})

it('each execution chain gets one generation, the same each time it asks', async () => {
  const chains = Array.from({ length: 40 }, (_, i) => `run-${i % 8}`)
  const generations = await Promise.all(
    chains.map((chain) => beginLife(base.db, base.reality.id, 'cat', chain)),
  )
  const byChain = new Map(chains.map((chain, i) => [chain, generations[i]]))
  expect(generations).toEqual(chains.map((chain) => byChain.get(chain)))
  expect([...byChain.values()].sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
})

it('of workers that each opened and decided one moment, one counts, and its records agree', async () => {
  for (let n = 1; n <= (IS_NIGHT ? 12 : 4); n++) {
    const being = `opener-${n}`
    await beginLife(base.db, base.reality.id, being, 'run-1')
    const moment = { being, generation: 1, n: 1 }
    const id = `${being}/1/1`
    const held = await Promise.all(
      Array.from({ length: 10 }, async (_, seen) => {
        const made = await batchOf(base.db, base.reality, { moment, drafts: [changed('being:shared', seen)] })
        const record = writeJson({ v: 1, moment: id, context: { seen } })
        const face = writeJson({ being, seen: seen % 2 })
        const open = {
          moment: id,
          being,
          n: 1,
          wake: 'w',
          openedAt: 1,
          record,
          basis: { salt: '', heads: [], noted: null },
          face,
        }
        const decision = newDecision({ kind: 'see', content: null })
        const signed = { ...made.outcome!.record, open: record.digest, decision: decision.digest }
        return { ...made, outcome: { ...made.outcome!, record: signed }, open, decision }
      }),
    )
    // Some take the long way, and store what they opened and decided at once.
    const answers = await Promise.all(
      held.map(async (one, i) => {
        if (i >= 7) await recordOpen(base.owner, one.open).catch(() => false)
        if (i >= 8) await recordDecision(base.db, id, one.decision)
        return workers.append(one)
      }),
    )
    const { appended = 0, ...others } = tally(answers)
    expect(appended).toBeLessThanOrEqual(1)
    for (const status of Object.keys(others)) expect(['done', 'reopened', 'stale']).toContain(status)
    const outcome = await findOutcome(base.db, id)
    expect(outcome === null ? 0 : 1).toBe(appended)
    if (outcome === null) continue
    expect(digestOf((await findOpen(base.db, id))?.record)).toBe(outcome.record.open)
    expect((await findDecision(base.db, id))?.digest).toBe(outcome.record.decision)
  }
})

/** Races of the next two tests; the nightly run has 10,000. */
const RACES = Number(process.env.TREEOS_RACES ?? (IS_NIGHT ? 100 : 30))
const RACES_AT_ONCE = 4

it(`in each of ${RACES} races of 2 to 8 writers of one moment, one writes and nothing else is written`, {
  timeout: 1_800_000,
}, async () => {
  const before = await verifyChains(base.db, base.reality.id)
  const tallies = await race(base, workers, RACES)
  expect(tallies.filter(({ appended }) => appended !== 1)).toEqual([])
  expect([...new Set(tallies.flatMap((one) => Object.keys(one)))].sort()).toEqual(['appended', 'done'])
  const facts = before.facts + RACES
  expect(await verifyChains(base.db, base.reality.id)).toMatchObject({ ok: true, facts })
})

it('control: without the key of the moment, writers that decide again write twice', async () => {
  const open = await freshDatabase({ poolMax: 24 })
  try {
    await sabotage(open.owner, 'unkeyed-append')
    const others = hire(open.url)
    const tallies = await race(open, others, 20).finally(others.end)
    expect(tallies.filter(({ appended = 0 }) => appended > 1).length).toBeGreaterThan(10)
  } finally {
    await open.close()
  }
})

/** Each writer decides again as long as a head has moved. @returns the last answers of each race */
async function race(
  { owner: db, reality }: TestDatabase,
  by: Workers,
  races: number,
): Promise<Record<string, number>[]> {
  const random = seeded(races)
  const tallies: Record<string, number>[] = []
  const lane = async (being: string) => {
    await beginLife(db, reality.id, being, 'run-1')
    for (let n = 1; tallies.length < races; n++) {
      const tally: Record<string, number> = {}
      tallies.push(tally)
      const write = async (_: unknown, seen: number) => {
        let status: AppendResult['status'] = 'stale'
        while (status === 'stale') {
          const moment = { being, generation: 1, n }
          const batch = await batchOf(db, reality, { moment, drafts: [changed(`being:${being}`, seen)] })
          status = (await by.append(batch)).status
        }
        tally[status] = (tally[status] ?? 0) + 1
      }
      await Promise.all(Array.from({ length: 2 + Math.floor(random() * 7) }, write))
    }
  }
  await Promise.all(Array.from({ length: RACES_AT_ONCE }, (_, i) => lane(`racer-${i}`)))
  return tallies
}

function tally(answers: readonly AppendResult[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

/** Heads in reverse order; append sorts them itself. */
const reversed = (batch: Batch): Batch => ({ ...batch, heads: new Map([...batch.heads].reverse()) })

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  return items
    .map((item) => ({ item, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item)
}

/** Numbers from 0 to 1 that are the same in every run (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}
