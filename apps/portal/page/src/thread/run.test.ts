import { describe, expect, it } from 'vitest'
import { axisOf, runOf, totalsOf } from './run.ts'

const DAY_MS = 86_400_000
const at = (ms: number): string => new Date(ms).toISOString()
const moment = (being: string, n: number, from: number, to: number, tokens?: number) => ({
  being,
  n,
  openedAt: at(from),
  endedAt: at(to),
  outcome: 'act' as const,
  cost: tokens === undefined ? null : { attempts: 1, tokens, money: tokens / 1000 },
})

describe('axisOf', () => {
  it('keeps lengths where something always happens', () => {
    const place = axisOf([
      { from: 0, to: 500 },
      { from: 500, to: 1000 },
    ])
    expect([0, 250, 1000].map(place)).toEqual([0, 0.25, 1])
  })

  it('a rest of days takes a twentieth of the time in which something happens', () => {
    const place = axisOf([
      { from: 0, to: 1000 },
      { from: DAY_MS, to: DAY_MS + 1000 },
    ])
    const whole = 2000 + 0.05 * 2000
    expect(place(1000)).toBeCloseTo(1000 / whole)
    expect(place(DAY_MS)).toBeCloseTo(1100 / whole)
    expect(place(DAY_MS + 1000)).toBe(1)
  })

  it('a moment within another makes nothing longer, and one without length has a place', () => {
    const place = axisOf([
      { from: 0, to: 100 },
      { from: 20, to: 30 },
    ])
    expect(place(100)).toBe(1)
    expect(axisOf([{ from: 7, to: 7 }])(7)).toBe(0)
    expect(axisOf([])(7)).toBe(0)
  })
})

describe('runOf', () => {
  const line = { id: 'c', to: '@cleo', at: at(40), isOpen: true, notice: false, moment: null }

  it('stands in the order of time, with what waits until now', () => {
    const run = runOf([moment('@bob', 1, 50, 60), moment('@ann', 3, 10, 20)], [line], 90)
    expect(run.map(({ key }) => key)).toEqual(['ann 3', 'c', 'bob 1'])
    expect(run[1]).toMatchObject({ being: '@cleo', n: null, from: 40, to: 90, outcome: 'open' })
  })

  it('leaves out what is closed, what has its moment, and notices', () => {
    const done = { n: 1, outcome: 'act' as const }
    const lines = [
      { ...line, isOpen: false },
      { ...line, notice: true },
      { ...line, moment: done },
    ]
    expect(runOf([], lines, 90)).toEqual([])
  })
})

it('totals count each being once and add up what moments took and cost', () => {
  const moments = [moment('@ann', 1, 0, 10, 100), moment('@bob', 1, 10, 30), moment('@ann', 2, 90, 95, 50)]
  expect(totalsOf(moments)).toEqual({
    beings: 2,
    moments: 3,
    ms: 35,
    tokens: 150,
    money: expect.closeTo(0.15),
  })
  expect(totalsOf([])).toEqual({ beings: 0, moments: 0, ms: 0, tokens: 0, money: 0 })
})
