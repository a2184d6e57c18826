import { append, type ChainDb, type Prefetched, prefetch, ReadSet, readAtOneInstant } from '@treeos/chain'
import type { Kysely, KyselyPlugin } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freshDatabase, type TestDatabase } from '../support/database.ts'
import { batchOf, changed } from './batch.ts'

const PAIR = ['space:/left', 'space:/right']
const onlooker = () => ({ reality: base.reality.id, being: 'ada' })

let base: TestDatabase
beforeAll(async () => {
  base = await freshDatabase()
})
afterAll(() => base.close())

/** The same pool, with a count of what is asked of it. */
function counted(db: Kysely<ChainDb>): { db: Kysely<ChainDb>; statements: () => number } {
  let statements = 0
  const plugin: KyselyPlugin = {
    transformQuery({ node }) {
      statements += 1
      return node
    },
    transformResult: async ({ result }) => result,
  }
  return { db: db.withPlugin(plugin), statements: () => statements }
}

const guessOf = (keys: readonly string[]) => {
  const guess = new ReadSet()
  for (const key of keys) guess.keys.add(key)
  return guess
}

/** One key after the other, with time between for others to write. */
async function readPair({ source }: Prefetched): Promise<number[]> {
  const seqs: number[] = []
  for (const key of PAIR) {
    const [row] = await source.rows([key])
    seqs.push(row?.head.seq ?? -1)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  return seqs
}

describe('at one instant', () => {
  it.each([
    { guess: 'nothing', keys: [] },
    { guess: 'a part', keys: PAIR.slice(0, 1) },
    { guess: 'all', keys: PAIR },
  ])('two reels that always move together are seen together, having guessed $guess', async ({ keys }) => {
    let writing = true
    const writer = (async () => {
      while (writing)
        await append(
          base.db,
          await batchOf(base.db, base.reality, { drafts: PAIR.map((reel) => changed(reel)) }),
        )
    })()
    const seen: number[][] = []
    for (let i = 0; i < 30; i++)
      seen.push((await readAtOneInstant(base.db, onlooker(), guessOf(keys), readPair)).seen)
    writing = false
    await writer
    expect(seen.filter(([left, right]) => left !== right)).toEqual([])
    expect(new Set(seen.map(String)).size).toBeGreaterThan(10) // the writer did write meanwhile
  })

  it('what lies together is torn apart by a glance that reads more later', async () => {
    const torn = await prefetch(base.db, onlooker(), guessOf(PAIR.slice(0, 1)))
    await append(base.db, await batchOf(base.db, base.reality, { drafts: PAIR.map((reel) => changed(reel)) }))
    const [left, right] = await readPair(torn)
    expect(right).toBe((left ?? 0) + 1) // why a moment opens at one instant, and a stamp is checked by the append
  })

  it('a reading that asks for what the last one asked for costs one statement', async () => {
    const reader = async ({ source }: Prefetched) => [
      await source.rows(['being:ada', 'space:/left']),
      await source.keysInPlace('/', 'space:'),
      await source.keysOfChildren('ada'),
    ]
    const first = counted(base.db)
    const before = await readAtOneInstant(first.db, onlooker(), new ReadSet(), reader)
    const second = counted(base.db)
    const after = await readAtOneInstant(second.db, onlooker(), before.asked, reader)
    expect({ first: first.statements() > 3, second: second.statements() }).toEqual({ first: true, second: 1 })
    expect(after.seen).toEqual(before.seen)
  })
})
