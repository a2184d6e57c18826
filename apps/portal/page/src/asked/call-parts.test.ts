import { expect, it } from 'vitest'
import { partsOf, sameIn } from './call-parts.ts'

it('amounts stand apart from words, and nothing of a call is left out', () => {
  const lines = ['a', 'b']
  expect(partsOf({ euros: 18, to: 'ann', isUrgent: false, lines, note: 'x'.repeat(201) })).toEqual({
    amounts: [['euros', 18]],
    lines: [
      ['to', 'ann'],
      ['isUrgent', 'false'],
    ],
    rest: { lines, note: 'x'.repeat(201) },
  })
  expect(partsOf('Pay Ann')).toEqual({ amounts: [], lines: [], rest: 'Pay Ann' })
  expect(partsOf([18])).toEqual({ amounts: [], lines: [], rest: [18] })
  expect(partsOf(undefined)).toEqual({ amounts: [], lines: [], rest: null })
})

it('a call is the same as another one in whichever order its arguments stand', () => {
  const call = { verb: 'do', args: { euros: 18, to: { name: 'ann', at: '/shop' } } }
  const turned = { args: { to: { at: '/shop', name: 'ann' }, euros: 18 }, verb: 'do' }
  const other = { ...call, args: { euros: 19 } }
  expect(sameIn([{ call }, { call: turned }, { call: other }], call)).toBe(2)
})
