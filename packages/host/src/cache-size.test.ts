import { expect, it } from 'vitest'
import { beingsInCache } from './cache-size.ts'

const GIB = 2 ** 30

it.each([
  { memory: 8 * GIB, heap: 4 * GIB, from: 6_000, to: 12_000 },
  { memory: 2 * GIB, heap: 1 * GIB, from: 1_000, to: 2_000 },
])('with $memory bytes of memory a worker holds $from to $to beings', ({ memory, heap, from, to }) => {
  const beings = beingsInCache(memory, heap)
  expect(beings).toBeGreaterThan(from)
  expect(beings).toBeLessThan(to)
})

it('a small heap bounds the beings, whatever the memory', () => {
  expect(beingsInCache(64 * GIB, GIB / 2)).toBeLessThan(6_000)
})

it('a large machine holds 12,000: each one that is held costs time at every step of any', () => {
  expect(beingsInCache(64 * GIB, 16 * GIB)).toBe(12_000)
})

it('a small machine holds 200 all the same, since these may have a task at the same time', () => {
  expect(beingsInCache(GIB / 4, GIB / 8)).toBe(200)
})

it('knows the machine it runs on', () => {
  expect(beingsInCache()).toBeGreaterThanOrEqual(200)
})
