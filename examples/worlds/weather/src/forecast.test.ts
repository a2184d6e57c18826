import { expect, it } from 'vitest'
import { conditionOf, observationOf } from './forecast.ts'
import recorded from './recorded.json' with { type: 'json' }

it.each([
  [0, 'clear'],
  [1, 'clear'],
  [2, 'cloudy'],
  [3, 'cloudy'],
  [45, 'fog'],
  [51, 'drizzle'],
  [57, 'drizzle'],
  [60, 'unknown'],
  [61, 'rain'],
  [67, 'rain'],
  [71, 'snow'],
  [80, 'rain'],
  [82, 'rain'],
  [85, 'snow'],
  [95, 'thunderstorm'],
  [99, 'thunderstorm'],
  [-1, 'unknown'],
])('code %i is %s', (code, condition) => expect(conditionOf(code)).toBe(condition))

it('what is recorded is read as an answer is', () => {
  expect(observationOf(recorded, 'recorded')).toEqual({
    condition: 'rain',
    temperature: 6.4,
    wind: 17.3,
    at: '2026-11-22T09:45',
    source: 'recorded',
  })
})

it.each([
  [null],
  [{}],
  [{ current: { time: '' } }],
  [{ current: { ...recorded.current, weather_code: 'rain' } }],
])('a malformed answer is refused: %j', (answer) => expect(() => observationOf(answer, 'live')).toThrow())
