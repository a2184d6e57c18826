import { expect, it } from 'vitest'
import { didYouMean, nearestName } from './nearest.ts'

const NAMES = [
  'create-space',
  'create-thing',
  'set-being',
  'court:rule',
  'water',
  'end-being',
  'vouch',
  'see',
]

it.each([
  ['craete-space', 'create-space'], // swapped
  ['create-spce', 'create-space'], // removed
  ['create-thinng', 'create-thing'], // added
  ['Court:Rule', 'court:rule'], // in capitals
  ['court_rule', 'court:rule'], // replaced
  ['sett-being', 'set-being'],
  ['vuoch', 'vouch'],
  ['sea', 'see'],
])('%s means %s', (written, meant) => {
  expect(nearestName(written, NAMES)).toBe(meant)
})

it.each(['', 'x', 'delete-everything', 'w'.repeat(10_000), 'watering-can', 'nosuch', 'pouch-it'])(
  '%.20s means none',
  (written) => {
    expect(nearestName(written, NAMES)).toBeNull()
    expect(didYouMean(written, NAMES)).toBe('')
  },
)

it('of equally near names it is the first by alphabet, whatever their order', () => {
  expect(nearestName('cat', ['car', 'bat', 'cut'])).toBe('bat')
  expect(nearestName('cat', ['cut', 'car', 'bat'])).toBe('bat')
})
