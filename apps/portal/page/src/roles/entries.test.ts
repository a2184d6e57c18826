import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { entryOfText, type ListEntry, textOfEntry } from './entries.ts'

describe('entries of can* lists as chips', () => {
  it.each<[ListEntry, string]>([
    ['@ada', '@ada'],
    [{ rel: 'asker' }, '{"rel":"asker"}'],
    ['{"rel":"asker"}', '"{\\"rel\\":\\"asker\\"}"'],
  ])('%j is shown as %s', (entry, text) => {
    expect(textOfEntry(entry)).toBe(text)
    expect(entryOfText(text)).toEqual(entry)
  })

  it('a literal never becomes an object that expands, nor the other way round', () => {
    const entry = fc.oneof(
      fc.string(),
      fc.string().map((text) => JSON.stringify({ rel: text })),
      fc.dictionary(fc.constantFrom('rel', 'pattern', 'resolver', 'kind'), fc.string(), {
        noNullPrototype: true,
      }),
    )
    fc.assert(
      fc.property(entry, (one) => {
        expect(entryOfText(textOfEntry(one))).toEqual(one)
      }),
    )
  })

  it('half a token stays what was typed', () => expect(entryOfText('{"rel"')).toBe('{"rel"'))
})
