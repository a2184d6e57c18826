import { expect, it } from 'vitest'
import { textsIn } from '../beings/entry-words.ts'
import { excerptOf, searchWords } from './excerpts.ts'

it('takes each word once, in small letters', () => {
  expect(searchWords('  Refund  of the  REFUND ')).toEqual(['refund', 'of', 'the'])
})

it('finds the values of JSON and none of its keys', () => {
  expect(excerptOf(textsIn({ content: 'the parcel', lines: ['is late', 3] }), ['parcel', 'late'])).toBe(
    'the parcel is late 3',
  )
  expect(excerptOf(textsIn({ content: 'the parcel' }), ['content'])).toBeNull()
})

it('shows the part around the first word, and that there is more', () => {
  const text = `${'a '.repeat(200)}Treasure ${'b '.repeat(200)}`
  const found = excerptOf(text, ['treasure']) ?? ''
  expect(found).toMatch(/^… a .*Treasure b .* …$/)
  expect(found.length).toBeLessThan(210)
  expect(excerptOf(text, ['treasure', 'map'])).toBeNull()
})
