import { describe, expect, it } from 'vitest'
import { canonical, type Json, parseCanonical } from './canonical.ts'

describe('canonical JSON', () => {
  it('is that of RFC 8785, 3.2.2 and 3.2.3', () => {
    const numbers = [1e21, 1e30, 4.5, 2e-3, 0.000000000000000000000000001]
    expect(canonical({ numbers, string: '\u20ac$\u000f\nA\'B"\\\\"/', literals: [null, true, false] })).toBe(
      '{"literals":[null,true,false],"numbers":[1e+21,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    )
    const keys = { '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\ud83d\ude00': 5, '\u0080': 6, '\u00f6': 7 }
    expect(canonical(keys)).toBe(
      '{"\\r":2,"1":4,"\u0080":6,"\u00f6":7,"\u20ac":1,"\ud83d\ude00":5,"\ufb33":3}',
    )
  })

  it.each<[string, Json]>([
    ['a lone surrogate', '\ud800'],
    ['negative zero', -0],
    ['depth', JSON.parse('['.repeat(200) + ']'.repeat(200))],
  ])('has no form for %s', (_, value) => {
    expect(() => canonical(value)).toThrow()
  })

  it.each(['{"a":1,"a":1}', '{"b":1,"a":1}', '{ }', '1.0', '-0', '"\\u0041"', '\ufeff{}', '{"a":1e400}', ''])(
    'is not what %j is written in',
    (text) => {
      expect(() => parseCanonical(text)).toThrow()
    },
  )
})
