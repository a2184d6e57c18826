import { createHash } from 'node:crypto'
import { genesisHash } from '@treeos/store'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { HeadsTree } from './heads.ts'
import { type LogEntry, leafHashOf } from './leaf.ts'
import { isIncluded } from './proofs.ts'
import { CompactRange } from './range.ts'

const REELS = ['being:a', 'moments:a', 'being:b', 'moments:b', 'space:/', 'space:/x', 'matter:m', 'moments:c']

/** Entries of a log: each reel counts its own. */
const entries = fc.array(fc.constantFrom(...REELS), { maxLength: 40 }).map((reels) => {
  const seqs = new Map<string, number>()
  return reels.map((reel): LogEntry => {
    const seq = (seqs.get(reel) ?? 0) + 1
    seqs.set(reel, seq)
    return { reel, seq, hash: createHash('sha256').update(`${reel} ${seq}`).digest() }
  })
})

/** The ends as docs/formats.md says: by first entries, the moments of a being behind its reel. */
function endsOf(log: readonly LogEntry[]): LogEntry[] {
  const order = [...new Set(log.flatMap(({ reel }) => [reel, reel.replace(/^being:/, 'moments:')]))]
  return order.map(
    (reel) => log.findLast((one) => one.reel === reel) ?? { reel, seq: 0, hash: genesisHash('r', reel) },
  )
}

it('a tree of heads holds the last entry of each chain, whenever its root was asked for before', () => {
  fc.assert(
    fc.property(entries, fc.array(fc.nat(40), { maxLength: 5 }), (log, asked) => {
      const tree = new HeadsTree('r')
      for (const [i, entry] of log.entries()) {
        tree.add(entry)
        if (asked.includes(i)) tree.head()
      }
      const ends = endsOf(log)
      const naive = new CompactRange()
      for (const end of ends) naive.add(leafHashOf(end))
      expect(tree.ends).toEqual(ends)
      const { count, root } = tree.head()
      expect({ count, root }).toEqual({ count: ends.length, root: naive.root() })
      for (const end of ends) {
        const { index, path } = tree.prove(end.reel)
        const at = { index, size: count, root, leaf: leafHashOf(end) }
        expect(isIncluded(at, path)).toBe(true)
        // The control: an earlier link of the chain is not in it.
        expect(isIncluded({ ...at, leaf: leafHashOf({ ...end, seq: end.seq + 1 }) }, path)).toBe(false)
      }
    }),
  )
})
