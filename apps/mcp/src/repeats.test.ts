import { expect, it } from 'vitest'
import { Repeats } from './repeats.ts'

const CALL = { target: '@ann', content: 'hello' }

it('the same call while the first is under way has its key, and afterwards a new one', () => {
  const repeats = new Repeats()
  const [one, two] = [repeats.begin(CALL), repeats.begin(CALL)]
  expect(two.key).toBe(one.key)
  expect(repeats.begin({ ...CALL, content: 'other' }).key).not.toBe(one.key)
  one.end(false)
  two.end(false)
  expect(repeats.begin(CALL).key).not.toBe(one.key)
})

/** A call that lasts so long. @returns its key */
const lived = (clock: { now: number }, repeats: Repeats, ms: number, isGivenUp = false) => {
  const { key, end } = repeats.begin(CALL)
  clock.now += ms
  end(isGivenUp)
  return key
}

it('a call that was given up keeps its key for ten minutes, until it is answered', () => {
  const clock = { now: 0 }
  const repeats = new Repeats(() => clock.now)
  const first = lived(clock, repeats, 10, true)
  clock.now += 599_999
  expect(lived(clock, repeats, 0, true)).toBe(first)
  expect(lived(clock, repeats, 0)).toBe(first) // answered
  expect(lived(clock, repeats, 0, true)).not.toBe(first)
  const other = lived(clock, repeats, 0, true)
  clock.now += 600_000
  expect(lived(clock, repeats, 0)).not.toBe(other)
})

it('a call that took longer than 30 s keeps its key for a minute', () => {
  const clock = { now: 0 }
  const repeats = new Repeats(() => clock.now)
  const long = lived(clock, repeats, 30_001)
  clock.now += 59_999
  expect(lived(clock, repeats, 0)).toBe(long)
  const again = lived(clock, repeats, 30_000)
  expect(lived(clock, repeats, 0)).not.toBe(again)
})
