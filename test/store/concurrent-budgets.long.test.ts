/** Children that call at once, and die between a reservation and its settlement. */
import { settle } from '@treeos/store'
import fc from 'fast-check'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { ask, attemptOf, base, being, closeMoment, cost, freshCount, useBudgets } from './budget-world.ts'

useBudgets()

/** A tree in which three beings share a limit, and one of them has its own lower one. */
const TREE = [
  { name: 'root', parent: null, tokens: 3000 },
  { name: 'left', parent: 'root', tokens: 1500 },
  { name: 'right', parent: 'root', tokens: null },
  { name: 'leaf', parent: 'left', tokens: 700 },
  { name: 'twig', parent: 'left', tokens: null },
] as const
const CALLERS = ['left', 'right', 'leaf', 'twig'] as const

/** The calls of one being: what each reserves and uses, and whether its worker lived to settle it. */
const call = fc.record({
  worst: fc.integer({ min: 1, max: 600 }),
  share: fc.double({ min: 0, max: 1, noNaN: true }),
  told: fc.boolean(),
})
const script = fc.record(
  Object.fromEntries(CALLERS.map((name) => [name, fc.array(call, { minLength: 2, maxLength: 12 })])),
)

/** All beings call at once, each one call after another. @returns the highest sampled use of each limit */
async function run(
  calls: Record<string, readonly { worst: number; share: number; told: boolean }[]>,
  reserved: boolean,
) {
  const id = freshCount()
  for (const { name, parent, tokens } of TREE)
    await being(`${name}-${id}`, parent === null ? null : `${parent}-${id}`, {
      ...(tokens === null ? {} : { revision: 1, tokens }),
    })
  const most = new Map<string, { used: number; settled: number }>()
  const sample = async () => {
    const { rows } = await sql<{ being: string; used: number; settled: number }>`
      select being, total_tokens as used, total_tokens - reserved_tokens as settled from treeos.account
      where being like ${`%-${id}`}`.execute(base.db)
    for (const { being, used, settled } of rows) {
      const before = most.get(being) ?? { used: 0, settled: 0 }
      most.set(being, { used: Math.max(used, before.used), settled: Math.max(settled, before.settled) })
    }
  }
  await Promise.all(
    CALLERS.map(async (name) => {
      for (const [i, { worst, share, told }] of (calls[name] ?? []).entries()) {
        const at = attemptOf(`${name}-${id}`, 1, i + 1) // the next attempt settles one that was never settled
        const answer = await ask(at, reserved ? worst : 0)
        if (answer !== 'reserved') continue
        await sample()
        const used = Math.floor(share * worst)
        if (told || !reserved) await settle(base.db, at, cost(used))
        await sample()
      }
    }),
  )
  for (const name of CALLERS) await closeMoment(`${name}-${id}`)
  await sample()
  const { rows } = await sql<{ being: string; tokens: number; counted: number; held: number }>`
    select a.being, a.total_tokens as tokens, a.reserved_tokens as held,
      (select coalesce(sum(settled_tokens), 0)::bigint from treeos.reservation r where a.being = any(r.accounts)) as counted
    from treeos.account a where a.being like ${`%-${id}`}`.execute(base.db)
  for (const { tokens, counted, held } of rows) expect({ tokens, held }).toEqual({ tokens: counted, held: 0 })
  return TREE.flatMap(({ name, tokens }) => {
    const seen = most.get(`${name}-${id}`)
    return tokens === null || seen === undefined ? [] : [{ name, over: seen.used > tokens, tokens, ...seen }]
  })
}

describe('concurrent children', () => {
  it('never use more than any limit above them, even if some die before they settle', async () => {
    await fc.assert(
      fc.asyncProperty(script, async (calls) => {
        const seen = await run(calls, true)
        expect(seen.filter(({ over }) => over)).toEqual([])
      }),
      { numRuns: 40 },
    )
  })

  it('exceed a limit when usage is only counted afterwards, without reservations', async () => {
    const calls = Object.fromEntries(
      CALLERS.map((name) => [
        name,
        Array.from({ length: 12 }, () => ({ worst: 600, share: 0.9, told: true })),
      ]),
    )
    expect((await run(calls, false)).some(({ over }) => over)).toBe(true)
    expect((await run(calls, true)).some(({ over }) => over)).toBe(false)
  })
})
