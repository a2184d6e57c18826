import { describe, expect, it } from 'vitest'
import { Track } from './track.ts'

const stack = (name: string) => ({ primary: { name, digest: `d-${name}` }, stacked: [] })
const entry = (n: number, rest: object) => ({
  entry: n,
  at: '2026-11-23T00:00:00.000Z',
  moment: null,
  placings: [],
  said: [],
  ...rest,
})
const moment = (being: string, n: number, stack: string | null) => ({
  being,
  n,
  outcome: 'act' as const,
  reason: null,
  stack,
})

function loaded(): Track {
  const track = new Track()
  track.take({
    entries: [
      entry(1, {
        placings: [
          { key: 'space:/floor', place: '/', floors: { dance: { width: 3, height: 3, walls: [] } } },
        ],
      }),
      entry(2, { placings: [{ key: 'being:ann', place: '/floor', coord: null }] }),
      entry(5, {
        moment: moment('ann', 1, 's1'),
        placings: [{ key: 'being:ann', spots: { dance: { x: 1, y: 2 } } }],
      }),
    ],
    stacks: { s1: stack('dancer') },
    upTo: 6,
    newest: 9,
    isMore: true,
  })
  track.take({
    entries: [
      entry(7, { moment: moment('ann', 2, null), said: [{ being: 'ann', to: '@bo', words: 'hello' }] }),
      entry(9, { placings: [{ key: 'being:ann', place: '/', coord: null, spots: { dance: null } }] }),
    ],
    stacks: {},
    upTo: 9,
    newest: 9,
    isMore: false,
  })
  return track
}
const ann = (track: Track, position: number) => track.at(position).find(({ key }) => key === 'being:ann')

describe('a track of the record', () => {
  it.each([
    { position: 1, found: undefined },
    { position: 2, found: { place: '/floor', n: 0, stack: null, spots: {} } },
    { position: 4, found: { place: '/floor', n: 0, stack: null } },
    { position: 5, found: { n: 1, stack: 's1', spots: { dance: { x: 1, y: 2 } } } },
    { position: 6, found: { n: 1, stack: 's1', words: null } },
    { position: 7, found: { n: 2, stack: null, words: 'hello' } },
    { position: 9, found: { place: '/', n: 2, words: 'hello', spots: { dance: null } } },
    { position: 100, found: { place: '/', n: 2 } },
  ])('knows a being as it was after entry $position', ({ position, found }) => {
    if (found === undefined) expect(ann(loaded(), position)).toBeUndefined()
    else expect(ann(loaded(), position)).toMatchObject(found)
  })

  it('goes forward and back over the entries that show something', () => {
    const track = loaded()
    const forward: (number | null)[] = []
    for (let at: number | null = 0; at !== null; at = track.next(at)) forward.push(at)
    expect(forward).toEqual([0, 1, 2, 5, 7, 9])
    const back: (number | null)[] = []
    for (let at: number | null = 9; at !== null; at = track.previous(at)) back.push(at)
    expect(back).toEqual([9, 7, 5, 2, 1, 0])
    expect([track.previous(6), track.previous(7), track.stepAt(6)?.entry, track.stepAt(0)]).toEqual([
      5,
      5,
      5,
      null,
    ])
  })

  it('takes a page twice without a change', () => {
    const track = loaded()
    const before = track.at(9)
    track.take({
      entries: [entry(7, { moment: moment('ann', 99, 's1') })],
      stacks: {},
      upTo: 9,
      newest: 9,
      isMore: false,
    })
    expect(track.at(9)).toEqual(before)
    expect(track.next(7)).toBe(9)
  })

  it('finds a position among 100,000 entries without going through them', () => {
    const track = new Track()
    const beings = 200
    for (let from = 0; from < 100_000; from += 2000)
      track.take({
        entries: Array.from({ length: 2000 }, (_, i) => {
          const n = from + i + 1
          return entry(n, { moment: moment(`b${n % beings}`, Math.ceil(n / beings), 's1') })
        }),
        stacks: { s1: stack('x') },
        upTo: from + 2000,
        newest: 100_000,
        isMore: true,
      })
    const began = performance.now()
    for (let i = 0; i < 100; i++) expect(track.at(1000 * i + 777)).toHaveLength(beings)
    expect((performance.now() - began) / 100).toBeLessThan(20)
  })

  it('has its things in the order of names, also of those that came with a later page', () => {
    const track = new Track()
    const born = (n: number, name: string) => entry(n, { placings: [{ key: `being:${name}`, place: '/' }] })
    const page = (entries: object[], upTo: number) =>
      track.take({ entries, stacks: {}, upTo, newest: 4, isMore: false } as Parameters<Track['take']>[0])
    page([born(1, 'clerk-10'), born(2, 'clerk-2')], 2)
    expect(track.at(2).map(({ key }) => key)).toEqual(['being:clerk-2', 'being:clerk-10'])
    page([born(3, 'clerk-1')], 3)
    expect(track.at(3).map(({ key }) => key)).toEqual(['being:clerk-1', 'being:clerk-2', 'being:clerk-10'])
  })
})
