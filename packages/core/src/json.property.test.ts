import canonicalize from 'canonicalize'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalJson, guardJson, utf8Length } from './json.ts'

/** Any plain JSON, every Unicode string and double among it; a trip through text takes away negative zeros. */
const plainJson = fc
  .jsonValue({ stringUnit: 'binary', maxDepth: 6 })
  .map((value) => JSON.parse(JSON.stringify(value)) as unknown)
const numbers = fc
  .double({ noNaN: true, noDefaultInfinity: true })
  .map((value) => (Object.is(value, -0) ? 0 : value))

describe('canonicalJson of any plain JSON', () => {
  it('equals the output of npm canonicalize', () => {
    fc.assert(
      fc.property(plainJson, (value) => {
        expect(canonicalJson(value)).toBe(canonicalize(value))
      }),
      { numRuns: 1000 },
    )
  })

  it('equals the output of npm canonicalize for any number', () => {
    fc.assert(
      fc.property(numbers, (value) => {
        expect(canonicalJson(value)).toBe(canonicalize(value))
      }),
      { numRuns: 2000 },
    )
  })

  it('reads back as the same value, and is its own canonical form', () => {
    fc.assert(
      fc.property(plainJson, (value) => {
        const text = canonicalJson(value)
        expect(JSON.parse(text)).toEqual(value)
        expect(canonicalJson(JSON.parse(text))).toBe(text)
      }),
    )
  })

  it('does not depend on the order in which keys were set', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.integer()), (object) => {
        const reversed = Object.fromEntries(Object.entries(object).reverse())
        expect(canonicalJson(reversed)).toBe(canonicalJson({ ...object }))
      }),
    )
  })

  it('is as long in bytes as utf8Length returns', () => {
    fc.assert(
      fc.property(plainJson, (value) => {
        const text = canonicalJson(value)
        expect(utf8Length(text)).toBe(Buffer.byteLength(text, 'utf8'))
      }),
    )
  })
})

it('guardJson accepts exactly the values within its bounds', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'grapheme-ascii', maxDepth: 4 }), (value) => {
      const plain = JSON.parse(JSON.stringify(value)) as unknown
      const text = canonicalJson(plain)
      fc.pre(!/__proto__|constructor|prototype/.test(text))
      expect(guardJson(plain, { depthMax: 8, bytesMax: text.length })).toBe(text)
      expect(() => guardJson(plain, { depthMax: 8, bytesMax: text.length - 1 })).toThrow(/bytes/)
    }),
  )
})
