import { describe, expect, it } from 'vitest'
import { CrowdPace } from './crowd-pace.ts'

const names = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => `b-${from + i}`)

/** Rings as many as there is room for. @returns how many were rung */
function ring(pace: CrowdPace, nowMs: number, from = 0): number {
  let n = from
  while (pace.hasRoom) pace.rang(`b-${n++}`, nowMs)
  return n - from
}

describe('the pace of a crowd', () => {
  it('has room for one more for each that has looked', () => {
    const pace = new CrowdPace()
    const first = ring(pace, 0)
    expect(first).toBe(32)
    pace.found(names(5, 32), 50)
    expect(ring(pace, 50, 32)).toBe(5)
    expect(pace.awaited).toEqual(names(5, 37))
  })

  it('doubles while nobody looks, and stays there once they do', () => {
    const pace = new CrowdPace()
    let rung = ring(pace, 0)
    for (const nowMs of [50, 200, 249]) {
      pace.found(names(0, rung), nowMs)
      expect(pace.hasRoom).toBe(false)
    }
    pace.found(names(0, rung), 250)
    rung += ring(pace, 250, rung)
    pace.found(names(0, rung), 499)
    expect(rung).toBe(64)
    pace.found(names(0, rung), 500)
    rung += ring(pace, 500, rung)
    expect(rung).toBe(128)
    pace.found(names(1, rung), 760) // one has looked
    expect(ring(pace, 760, rung)).toBe(1)
  })

  it('does not wait longer than 5 s for who cannot look, such as those of a paused space', () => {
    const pace = new CrowdPace()
    ring(pace, 0)
    for (const name of names(0, 12)) pace.rang(name, 1000) // rung again meanwhile
    pace.found(names(0, 32), 5000)
    expect(pace.awaited).toHaveLength(12)
  })

  it('begins anew with the next crowd', () => {
    const pace = new CrowdPace()
    const rung = ring(pace, 0)
    pace.found(names(0, rung), 300)
    pace.end()
    expect(ring(pace, 400)).toBe(32)
  })
})
