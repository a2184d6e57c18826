import canonicalize from 'canonicalize'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalJson, guardJson, isSameJson, type Json, utf8Length } from './json.ts'

/**
 * Any plain JSON, every Unicode string and double among it; a trip through text takes away negative zeros.
 */
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

  it('equals the output of npm canonicalize for any strings, few and many', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' }), { maxLength: 12 }), (value) => {
        expect(canonicalJson(value)).toBe(canonicalize(value))
      }),
      { numRuns: 500 },
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

  it('is the same for two values if isSameJson says so, and only then', () => {
    /** some other value near this one: equal, or with one part changed, left out or added */
    const near = (value: Json, pick: () => number): Json => {
      if (pick() % 4 === 0) return [null, 0, '', 'x', false, {}, []][pick() % 7] as Json
      if (Array.isArray(value))
        return value.map((item: Json) => near(item, pick)).slice(pick() % 6 === 0 ? 1 : 0)
      if (typeof value !== 'object' || value === null) return value
      return Object.fromEntries(
        Object.entries(value)
          .reverse()
          .map(([key, item]) => [pick() % 9 === 0 ? `${key}x` : key, near(item as Json, pick)]),
      )
    }
    const pairs = fc.tuple(plainJson, fc.infiniteStream(fc.nat({ max: 1000 })))
    let same = 0
    fc.assert(
      fc.property(pairs, ([value, numbers]) => {
        const json = value as Json
        const other = near(json, () => numbers.next().value as number)
        const isSame = canonicalJson(json) === canonicalJson(other)
        same += Number(isSame)
        expect(isSameJson(json, other)).toBe(isSame)
        expect(isSameJson(json, structuredClone(json))).toBe(true)
      }),
      { numRuns: 1000 },
    )
    expect(same).toBeGreaterThan(50)
    expect(same).toBeLessThan(950)
  })

  it.each([
    [{}, new Map()],
    [{}, new Date(0)],
    [{}, { [Symbol('x')]: 1 }],
    [[], Object.assign([], { x: 1 })],
    [[null], new Array(1)],
    [{ a: null }, { a: undefined }],
    [{ a: null }, { b: null }],
    [0, -0],
    [null, undefined],
    [[], {}],
  ])('%j is not the same as %j, which is another value or no plain JSON', (json, other) => {
    expect(isSameJson(json as Json, other)).toBe(false)
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
