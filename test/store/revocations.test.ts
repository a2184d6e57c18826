import type { ReelId } from '@treeos/core'
import { append, readJournal } from '@treeos/store'
import { expect, it } from 'vitest'
import { sabotage } from '../faults/sabotage.ts'
import { freshDatabase, type TestDatabase } from '../support/database.ts'
import { batchOf, changed } from './batch.ts'

// A long run: REVOCATIONS=5000 npx pnpm@12.21.0 exec vitest run --project services test/store/revocations
const RACES = Number(process.env.REVOCATIONS ?? 400)
/** Races at once; each is of two appends. */
const AT_ONCE = 16

/**
 * Of acts that were decided under a right: how many were committed before the right was revoked, after it,
 * and refused.
 */
async function race(base: TestDatabase, races: number) {
  const found = { before: 0, after: 0, refused: 0 }
  const one = async (i: number) => {
    const right: ReelId = `space:/right-${i}`
    const [acting, revoking] = await Promise.all([
      batchOf(base.db, base.reality, { drafts: [changed(`being:actor-${i}`)], reads: [right] }),
      batchOf(base.db, base.reality, { drafts: [changed(right, 'revoked')] }),
    ])
    const both = i % 2 === 0 ? [acting, revoking] : [revoking, acting]
    const answers = await Promise.all(both.map((batch) => append(base.owner, batch)))
    const [act, revocation] = i % 2 === 0 ? answers : [...answers].reverse()
    expect(revocation?.status).toBe('appended')
    if (act?.status === 'stale') found.refused += 1
    else expect(act?.status).toBe('appended')
  }
  for (let i = 0; i < races; i += AT_ONCE)
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, races - i) }, (_, k) => one(i + k)))
  // An append takes its number in the journal while it holds its locks, so these numbers are the order of
  // commits.
  const { entries } = await readJournal(base.owner, 0, 4 * races)
  const entryOf = new Map(entries.flatMap(({ entry, facts }) => facts.map(({ reel }) => [reel, entry])))
  for (let i = 0; i < races; i++) {
    const [acted, revoked] = [entryOf.get(`being:actor-${i}`), entryOf.get(`space:/right-${i}`)]
    if (acted !== undefined && revoked !== undefined) found[acted < revoked ? 'before' : 'after'] += 1
  }
  return found
}

it(`no act is committed after the revocation of the right that it was decided under (${RACES} races)`, async () => {
  const base = await freshDatabase({ poolMax: 24 })
  try {
    const { before, after, refused } = await race(base, RACES)
    expect(after).toBe(0)
    expect(before + refused).toBe(RACES)
    expect(Math.min(before, refused)).toBeGreaterThan(RACES / 20) // both orders happened
  } finally {
    await base.close()
  }
}, 600_000)

it('control: without the check of heads acts are committed after it', async () => {
  const base = await freshDatabase({ poolMax: 24 })
  try {
    await sabotage(base.owner, 'unheld-append')
    const { after, refused } = await race(base, 200)
    expect(refused).toBe(0)
    expect(after).toBeGreaterThan(10)
  } finally {
    await base.close()
  }
})
