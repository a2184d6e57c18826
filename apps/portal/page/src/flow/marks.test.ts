import { describe, expect, it } from 'vitest'
import { marksOf, placesIn } from './marks.ts'
import type { MarkedMoment } from './useWhatIf.ts'

const [a, b, c] = [{ when: { verb: 'do' }, role: 'a' }, { role: 'b', stack: true }, { role: 'c' }]
const judged = (n: number, ...clauses: number[]): MarkedMoment => ({
  n,
  openedAt: `2026-01-01T00:00:0${n}.000Z`,
  clauses,
  source: clauses.length === 0 ? 'default' : 'clause',
})
const shown = (marks: ReturnType<typeof marksOf>) =>
  marks.map((of) => of.map(({ n, change }) => (change === 'none' ? `${n}` : `${change} ${n}`)))

describe('the place of a clause in the published flow', () => {
  it.each([
    { draft: [a, b, c], places: [0, 1, 2] },
    { draft: [b, a, c], places: [1, 0, 2] },
    { draft: [{ role: 'new' }, a, b, c], places: [null, 0, 1, 2] },
    { draft: [a, { role: 'other', stack: true }, c], places: [0, 1, 2] },
    { draft: [c], places: [2] },
    { draft: [a, a], places: [0, 1] },
  ])('of $draft is $places', ({ draft, places }) => {
    expect(placesIn([a, b, c], draft)).toEqual(places)
  })
})

describe('marks', () => {
  const published = [a, b]
  const before = [judged(3, 0, 1), judged(2, 1), judged(1)]

  it('stand at the clauses that held, and at the default role where none did', () => {
    const marks = marksOf({ published, draft: published, before, after: [] })
    expect(shown(marks)).toEqual([['3'], ['3', '2'], ['1']])
  })

  it('move with their clause', () => {
    expect(shown(marksOf({ published, draft: [b, a], before, after: [] }))).toEqual([
      ['3', '2'],
      ['3'],
      ['1'],
    ])
  })

  it('tell which moments a tried draft brings and takes away', () => {
    const after = [judged(3, 1), judged(2, 0, 1)] // moment 1 was not tried
    expect(shown(marksOf({ published, draft: [{ role: 'a' }, b], before, after }))).toEqual([
      ['left 3', 'came 2'],
      ['3', '2'],
      ['1'],
    ])
  })
})
