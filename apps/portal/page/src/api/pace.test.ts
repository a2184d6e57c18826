import { expect, it } from 'vitest'
import { type Clock, Pacer } from './pace.ts'

/** A clock that stands until it is moved. */
function byHand() {
  let now = 0
  const timers = new Set<{ at: number; then: () => void }>()
  const clock: Clock = {
    now: () => now,
    after(ms, then) {
      const timer = { at: now + ms, then }
      timers.add(timer)
      return () => timers.delete(timer)
    },
  }
  const move = (ms: number) => {
    for (const end = now + ms; ; ) {
      const next = [...timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0]
      now = next?.at ?? end
      if (next === undefined) return
      timers.delete(next)
      next.then()
    }
  }
  return { clock, move, now: () => now }
}

const PACE = { togetherMs: 250, everyMs: 2000, burst: 3 }

it('what is rare is told of at once, and what comes together once', () => {
  const { clock, move, now } = byHand()
  const told: [number, string][] = []
  const pacer = new Pacer<string>(PACE, (what) => void told.push([now(), what]), clock)
  pacer.take('a', 'a')
  pacer.take('a', 'a')
  pacer.take('b', 'b')
  move(1000)
  pacer.take('a', 'a')
  move(1000)
  expect(told).toEqual([
    [250, 'a'],
    [250, 'b'],
    [1250, 'a'],
  ])
})

it('a flood of one name is told of once in its time, the last of it too, and keeps no other name waiting', () => {
  const { clock, move, now } = byHand()
  const told: [number, string][] = []
  const pacer = new Pacer<string>(PACE, (what) => void told.push([now(), what]), clock)
  for (let i = 0; i < 1000; i++) {
    pacer.take('flood', 'flood')
    move(20)
  }
  pacer.take('other', 'other')
  const last = now()
  move(5000)
  const times = told.flatMap(([at, what]) => (what === 'flood' ? [at] : []))
  expect(times.length).toBeLessThanOrEqual(PACE.burst + Math.ceil(last / PACE.everyMs) + 1)
  expect(times.length).toBeGreaterThanOrEqual(last / PACE.everyMs)
  expect(times.at(-1)).toBeGreaterThanOrEqual(last - 20)
  expect(told.find(([, what]) => what === 'other')?.[0]).toBe(last + PACE.togetherMs)
})

it('once it is stopped nothing is told of', () => {
  const { clock, move } = byHand()
  const told: string[] = []
  const pacer = new Pacer<string>(PACE, (what) => void told.push(what), clock)
  pacer.take('a', 'a')
  pacer.stop()
  move(10_000)
  expect(told).toEqual([])
})
