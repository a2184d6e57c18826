import { describe, expect, it } from 'vitest'
import { RingSchedule } from './ring-schedule.ts'

/** A sweep that finds all of them at once. */
function sweep(schedule: RingSchedule, stuck: string[], waited = 5): string[] {
  const due = schedule.due(stuck.map((being) => ({ being, waited })))
  schedule.endSweep()
  return due
}

/** The sweeps, counted from 0, at which a being that stays stuck is rung. */
function rungAt(schedule: RingSchedule, sweeps: number, being = 'echo'): number[] {
  return Array.from({ length: sweeps }, (_, n) => n).filter(() => sweep(schedule, [being]).includes(being))
}

describe('a being that stays stuck', () => {
  it('is rung at once, and then after waits that double up to 12 sweeps, which are a minute', () => {
    const sweeps = rungAt(new RingSchedule(), 60)
    expect(sweeps).toEqual([0, 1, 3, 7, 15, 27, 39, 51])
  })

  it('is rung at once again when it was found free in between', () => {
    const schedule = new RingSchedule()
    rungAt(schedule, 10)
    expect(sweep(schedule, [])).toEqual([])
    expect(rungAt(schedule, 8)).toEqual([0, 1, 3, 7])
  })

  it('is rung by the next sweep when its ring failed, and by every one while rings fail', () => {
    const schedule = new RingSchedule()
    rungAt(schedule, 10)
    for (let n = 0; n < 3; n++) {
      schedule.forget('echo')
      expect(sweep(schedule, ['echo'])).toEqual(['echo'])
    }
    expect(rungAt(schedule, 7)).toEqual([0, 2, 6])
  })

  it('waits two sweeps, and then longer, when Temporal took its ring before it was found', () => {
    const schedule = new RingSchedule()
    schedule.take('echo')
    expect(rungAt(schedule, 40)).toEqual([2, 6, 14, 26, 38])
  })

  it('is rung at once when its wake came after the ring that Temporal took', () => {
    const schedule = new RingSchedule()
    schedule.take('echo')
    expect(sweep(schedule, ['echo'], -1)).toEqual(['echo'])
  })

  it('is rung at once when Temporal took a ring three sweeps ago, or when a later ring failed', () => {
    const schedule = new RingSchedule()
    schedule.take('echo')
    for (let n = 0; n < 3; n++) sweep(schedule, [])
    expect(sweep(schedule, ['echo'])).toEqual(['echo'])
    schedule.take('other')
    schedule.forget('other')
    expect(sweep(schedule, ['other'])).toEqual(['other'])
  })
})

it('each being waits for itself, and those that are due keep their order', () => {
  const schedule = new RingSchedule()
  rungAt(schedule, 2, 'old')
  expect(sweep(schedule, ['new', 'old', 'other'])).toEqual(['new', 'other'])
  expect(sweep(schedule, ['new', 'old', 'other'])).toEqual(['new', 'old', 'other'])
})
