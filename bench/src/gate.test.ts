import { describe, expect, it } from 'vitest'
import { benchmarks } from './benchmarks.ts'
import { judge, showVerdicts, THRESHOLDS } from './gate.ts'

const RATIO = { benchmark: 'moment', what: 'turns', at: ['ratios', 'a/b'] }

describe('the gate of the benchmarks', () => {
  it.each([
    [{ ...RATIO, min: 0.8 }, 0.8, true],
    [{ ...RATIO, min: 0.8 }, 0.79, false],
    [{ ...RATIO, max: 1.05 }, 1.05, true],
    [{ ...RATIO, max: 1.05 }, 1.06, false],
  ])('%j, %d: %s', (threshold, value, isMet) => {
    expect(judge(threshold, { ratios: { 'a/b': value } })).toMatchObject({ value, isMet })
  })

  it.each([[{}], [{ ratios: {} }], [{ ratios: { 'a/b': Number.NaN } }], [null]])(
    'a ratio that was not measured is not met: %j',
    (result) => {
      const verdict = judge({ ...RATIO, max: 2 }, result)
      expect(verdict).toMatchObject({ value: null, isMet: false })
      expect(showVerdicts([verdict])).toBe('✗ moment: turns: not measured (at most 2)')
    },
  )

  it('names benchmarks that exist, with flags that they take', () => {
    for (const { benchmark: name, under } of THRESHOLDS) {
      const benchmark = benchmarks.find((one) => one.name === name)
      expect(benchmark?.refuse({ size: 'full', profile: false, depth: '1', ...under })).toBeNull()
    }
  })
})
