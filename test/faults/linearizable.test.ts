import { expect, it } from 'vitest'
import type { Operation } from './history.ts'
import { anomalies } from './linearizable.ts'
import { Random } from './random.ts'

/**
 * A history in short: `a 0-2` appends `a` from 0 to 2, `a 0-` never ended, `[ab] 3-4` read these entries.
 * Entries are single letters; `y:` before an operation names another reel than x.
 */
function historyOf(text: string): Operation[] {
  return text.split(', ').map((line) => {
    const [, reel = 'x', what = '', from = '', to = ''] =
      /^(?:(\w):)?(\w|\[\w*\]) (\d+)-(\d*)$/.exec(line) ?? []
    if (what === '') throw new Error(`${line} is not an operation`)
    const times = { reel, from: Number(from), to: to === '' ? Number.POSITIVE_INFINITY : Number(to) }
    return what.startsWith('[')
      ? { kind: 'read', entries: [...what.slice(1, -1)], ...times }
      : { kind: 'append', entry: what, ...times }
  })
}

it.each([
  ['nothing but reads', '[] 0-1, [] 2-3'],
  ['one after the other', 'a 0-1, [a] 2-3, b 4-5, [ab] 6-7'],
  ['two at once, in either order', 'a 0-5, b 0-5, [ba] 6-7'],
  ['a read during an append that sees it', 'a 0-9, [a] 2-3, [a] 4-5'],
  ['a read during an append that does not see it yet', 'a 0-9, [] 2-3, [a] 4-5'],
  ['reads at once that see more and less', 'a 0-9, [a] 2-6, [] 3-7'],
  ['an append without an end that was done', 'a 0-, [a] 5-6'],
  ['an append without an end that was not', 'a 0-, b 1-2, [b] 5-6'],
  ['an append without an end that comes late', 'a 0-, b 1-2, [b] 5-6, [ba] 7-8'],
  ['two reels with orders of their own', 'a 0-1, y:b 0-1, [a] 2-3, y:[b] 2-3'],
])('no alarm: %s', (_, text) => expect(anomalies(historyOf(text))).toEqual([]))

it.each([
  ['a lost append', 'a 0-1, [] 2-3', /append of a had ended before read of 0/],
  [
    'a lost append among others',
    'a 0-1, b 2-3, [b] 4-5',
    /append of a had ended before (append of b|read of 1)/,
  ],
  ['a lost last append', 'a 0-1, b 2-3, [a] 4-5', /append of b had ended before read of 1/],
  ['a doubled append', 'a 0-1, [aa] 2-3', /a is there twice/],
  ['an append doubled apart', 'a 0-1, b 2-3, [aba] 4-5', /a is there twice/],
  ['an append of nobody', 'a 0-1, [az] 2-3', /z was appended by nobody/],
  ['a read before its append began', '[a] 0-1, a 2-3', /read of 1 entries had ended before append of a/],
  ['a stale read', 'a 0-1, b 2-3, [ab] 4-5, [a] 6-7', /had ended before read of 1 entries/],
  ['a stale read of nothing', 'a 0-1, [a] 2-3, [] 4-5', /had ended before read of 0 entries/],
  [
    'an append seen, then gone, while it is under way',
    'a 0-9, [a] 1-2, [] 3-4',
    /read of 1 entries had ended before read of 0/,
  ],
  ['appends in the wrong order', 'a 0-1, b 2-3, [ba] 4-5', /append of a had ended before append of b/],
  [
    'the last two of three in the wrong order',
    'a 0-1, b 2-3, c 4-5, [acb] 6-7',
    /append of b had ended before append of c/,
  ],
  [
    'the first moved to the end',
    'a 0-1, b 2-3, c 4-5, [bca] 6-7',
    /append of a had ended before append of b/,
  ],
  ['two reads in different orders', 'a 0-9, b 0-9, [ab] 10-11, [ba] 12-13', /two reads differ at 1/],
  ['a fork', 'a 0-1, b 2-9, c 2-9, [ab] 10-11, [ac] 10-11', /two reads differ at 2/],
  ['a gap in the middle of a read', 'a 0-1, b 2-3, c 4-5, [ac] 6-7, [abc] 8-9', /two reads differ at 2/],
  ['a rewritten start', 'a 0-1, b 0-9, [ab] 10-11, c 12-13, [bac] 14-15', /two reads differ at 1/],
  [
    'a truncated reel that goes on',
    'a 0-1, b 2-3, [ab] 4-5, c 6-7, [ac] 8-9',
    /two reads differ at 2|b had ended before/,
  ],
  [
    'an append that ended, unseen by a read during a later one',
    'a 0-1, b 2-9, [] 3-4',
    /append of a had ended before read of 0/,
  ],
  ['an append on the wrong reel', 'a 0-1, y:[a] 2-3', /reel y: a was appended by nobody/],
  [
    'a withdrawn append that comes back before its time',
    'a 0-1, b 5-6, [ba] 7-8',
    /append of a had ended before append of b/,
  ],
])('control: %s is found', (_, text, sign) => {
  expect(anomalies(historyOf(text))).toContainEqual(expect.stringMatching(sign))
})

/** Appends and reads at one instant each, seen by clients that learn of them late. */
function sound(random: Random, operations: number): Operation[] {
  const list: string[] = []
  return Array.from({ length: operations }, (_, i) => {
    const at = 10 * i
    const times = { reel: 'x', from: at - random.between(0, 60), to: at + random.between(0, 60) }
    if (random.chance(0.4)) return { kind: 'read', entries: [...list], ...times }
    list.push(`e${i}`)
    return {
      kind: 'append',
      entry: `e${i}`,
      ...times,
      to: random.chance(0.1) ? Number.POSITIVE_INFINITY : times.to,
    }
  })
}

it('no alarm in 500 sound histories; entries swapped in a read are found in each that orders them', () => {
  const random = new Random(7)
  let swaps = 0
  for (let i = 0; i < 500; i++) {
    const history = sound(random, 40)
    expect(anomalies(history)).toEqual([])
    const read = history.findLast((one) => one.kind === 'read' && one.entries.length > 1)
    if (read?.kind !== 'read') continue
    const [first = '', ...others] = read.entries
    const last = others.pop() ?? ''
    const appendOf = (entry: string) =>
      history.find((one) => one.kind === 'append' && one.entry === entry) as Operation
    if (appendOf(first).to >= appendOf(last).from) continue // they were under way at once
    swaps += 1
    const entries = [last, ...others, first]
    expect(anomalies(history.map((one) => (one === read ? { ...one, entries } : one)))).not.toEqual([])
  }
  expect(swaps).toBeGreaterThan(400)
})
