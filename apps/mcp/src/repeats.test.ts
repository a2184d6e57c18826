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

it('a call that was given up, or took longer than 30 s, keeps its key for ten minutes', () => {
  let now = 0
  const repeats = new Repeats(() => now)
  const lived = (ms: number, isGivenUp: boolean) => {
    const { key, end } = repeats.begin(CALL)
    now += ms
    end(isGivenUp)
    return key
  }
  const first = lived(10, true)
  expect(lived(30_001, false)).toBe(first)
  now += 600_000 - 30_002
  expect(lived(0, false)).toBe(first)
  now += 600_001
  expect(lived(30_000, false)).not.toBe(first)
  const quick = lived(30_000, false)
  expect(lived(0, false)).not.toBe(quick)
})
