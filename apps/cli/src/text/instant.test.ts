import { expect, it } from 'vitest'
import { instantOf } from './instant.ts'

const NOW = Date.parse('2026-05-03T12:00:00Z')
const since = instantOf('--since', () => NOW)

it.each([
  { text: '90m', iso: '2026-05-03T10:30:00.000Z' },
  { text: '24h', iso: '2026-05-02T12:00:00.000Z' },
  { text: '7d', iso: '2026-04-26T12:00:00.000Z' },
  { text: '2026-05-03T09:30Z', iso: '2026-05-03T09:30:00.000Z' },
  { text: '2026-05-03T09:30:15.25+02:00', iso: '2026-05-03T07:30:15.250Z' },
])('$text is $iso', ({ text, iso }) => {
  expect(new Date(since(text)).toISOString()).toBe(iso)
})

it('a day begins at midnight of this machine', () => {
  expect(since('2026-05-03')).toBe(new Date(2026, 4, 3).getTime())
})

it.each(['', 'yesterday', '2026', '2026-13-01', '2026-05-03 09:30', '5', '3w', '-1h'])(
  '%j is refused with what would be right',
  (text) => {
    expect(() => since(text)).toThrow('as in 2026-05-03')
  },
)
