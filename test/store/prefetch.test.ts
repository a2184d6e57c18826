import {
  append,
  type PrefetchedWorld,
  prefetch,
  ReadSet,
  readAtOneInstant,
  type StoreDb,
} from '@treeos/store'
import type { Kysely, KyselyPlugin } from 'kysely'
import { describe, expect, it } from 'vitest'
import { useDatabase } from '../support/database.ts'
import { batchOf, changed } from './batch.ts'

const PAIR = ['space:/left', 'space:/right']
const viewer = () => ({ reality: base.reality.id, being: 'ada' })

const base = useDatabase()

/** The same pool, with a count of its statements. */
function counted(db: Kysely<StoreDb>): { db: Kysely<StoreDb>; statements: () => number } {
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

const readSetOf = (keys: readonly string[]) => {
  const readSet = new ReadSet()
  for (const key of keys) readSet.keys.add(key)
  return readSet
}

/** Reads one key after the other, with a pause in which others write. */
async function readPair({ source }: PrefetchedWorld): Promise<number[]> {
  const seqs: number[] = []
  for (const key of PAIR) {
    const [row] = await source.rows([key])
    seqs.push(row?.head.seq ?? -1)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  return seqs
}

describe('a reading at one instant', () => {
  it.each([
    { predicted: 'nothing', keys: [] },
    { predicted: 'a part', keys: PAIR.slice(0, 1) },
    { predicted: 'all', keys: PAIR },
  ])(
    'sees two reels at equal seq that are always appended together, when $predicted was predicted',
    async ({ keys }) => {
      let writing = true
      const writer = (async () => {
        while (writing)
          await append(
            base.owner,
            await batchOf(base.db, base.reality, { drafts: PAIR.map((reel) => changed(reel)) }),
          )
      })()
      const seen: number[][] = []
      const distinct = () => new Set(seen.map(String)).size
      while (seen.length < 30 || (distinct() <= 10 && seen.length < 3000))
        seen.push((await readAtOneInstant(base.db, viewer(), readSetOf(keys), readPair)).seen)
      writing = false
      await writer
      expect(seen.filter(([left, right]) => left !== right)).toEqual([])
      expect(distinct()).toBeGreaterThan(10) // the writer wrote meanwhile
    },
  )

  it('is needed: a plain prefetch reads what it missed at a later instant', async () => {
    const torn = await prefetch(base.db, viewer(), readSetOf(PAIR.slice(0, 1)))
    await append(
      base.owner,
      await batchOf(base.db, base.reality, { drafts: PAIR.map((reel) => changed(reel)) }),
    )
    const [left, right] = await readPair(torn)
    // so a moment opens at one instant, and append checks the heads of a stamp
    expect(right).toBe((left ?? 0) + 1)
  })

  it('takes one statement when it asks for the same as the last one', async () => {
    const reader = async ({ source }: PrefetchedWorld) => [
      await source.rows(['being:ada', 'space:/left']),
      await source.keysInPlace('/', 'space:'),
      await source.keysOfChildren('ada'),
    ]
    const first = counted(base.db)
    const before = await readAtOneInstant(first.db, viewer(), new ReadSet(), reader)
    const second = counted(base.db)
    const after = await readAtOneInstant(second.db, viewer(), before.readSet, reader)
    expect({ first: first.statements() > 3, second: second.statements() }).toEqual({ first: true, second: 1 })
    expect(after.seen).toEqual(before.seen)
  })
})
