import { expect, it } from 'vitest'
import { jsonBytes, startWithin } from './text-size.ts'

it.each(['x', '"', '\u0001', '\u4e2d', '\u{1f600}'])(
  'the start of a text of %j fits, and is nearly as long as may be',
  (part) => {
    const kept = startWithin(part.repeat(10_000), 6000)
    expect(part.repeat(10_000).startsWith(kept.replace(/\ufffd$/, ''))).toBe(true)
    expect(jsonBytes(kept)).toBeLessThanOrEqual(6000)
    expect(jsonBytes(kept)).toBeGreaterThan(5000)
  },
)

it('a short text stays as it is', () => {
  expect(startWithin('short', 7)).toBe('short')
})
