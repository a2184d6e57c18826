import { expect, it } from 'vitest'
import type { ListEntry } from './entries.ts'
import { entryLabel, entryOfLabel, meantBy } from './entry-label.ts'

it.each<[ListEntry, string]>([
  [{ rel: 'asker' }, 'whoever asks'],
  [{ rel: 'parent' }, 'its maker'],
  [{ rel: 'court:bench' }, 'its court:bench'],
  ['~', 'its home'],
  ['@ada', '@ada'],
  ['{"rel":"asker"}', '"{\\"rel\\":\\"asker\\"}"'], // a literal that only looks like one
  [{ pattern: '*' }, 'everything'],
  [{ pattern: '@*' }, 'any being'],
  [{ pattern: '@clerk-*' }, 'all that begin with “@clerk-”'],
  [{ pattern: '*:rule' }, 'all that end with “:rule”'],
  [{ pattern: 'fitness/@coach*' }, 'all that begin with “@coach” in fitness'],
  [{ pattern: '/court/@*' }, 'any being in /court'],
  [{ pattern: 'x', kind: 'court:seats' }, 'court:seats “x”'],
  [{ resolver: 'court:docket' }, 'what court:docket finds'],
])('%j reads as %s', (entry, words) => expect(entryLabel(entry)).toBe(words))

it('takes the words for what they stand for, and no others', () => {
  const offered = ['~', '{"rel":"asker"}', '{"pattern":"@*"}']
  expect(entryOfLabel(' Whoever asks', offered)).toEqual({ rel: 'asker' })
  expect(entryOfLabel('whoever', offered)).toBeNull()
})

it('offers the pattern for a literal with a star', () => {
  expect(meantBy('@*')).toEqual({ pattern: '@*' })
  expect(meantBy('@ada')).toBeNull()
  expect(meantBy({ pattern: '@*' })).toBeNull()
})
