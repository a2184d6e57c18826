import { CAN_LISTS, type CanLists, canonicalTarget, covers } from '@treeos/world'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isWithin, meetOf } from './ceilings.ts'

const text = fc.constantFrom('/a', '/a/b', '/ab', '@ann', '@anna', 'set-role', 'set', '~')
const pattern = fc.constantFrom('*', '/a*', '@an*', '*n', 'set*', '*a*').map((one) => ({ pattern: one }))
const entries = fc.array(fc.oneof(text, pattern), { maxLength: 4 })
const lists = fc.record({ canSee: entries, canDo: entries, canSummon: entries, canBe: entries })
const targets = ['/a', '/a/b', '/ab', '/x', '@ann', '@anna', '@ben', 'set-role', 'set', 'take']

/** What a ceiling allows, asked the way the gate asks: by targets. */
function allowed(ceiling: CanLists | null): string[] {
  return CAN_LISTS.flatMap((list) =>
    targets
      .filter((target) => {
        if (ceiling === null) return true
        const concrete = ceiling[list].map((entry) =>
          typeof entry === 'string' ? canonicalTarget(list, entry, '/a') : (entry as { pattern: string }),
        )
        return covers(concrete, canonicalTarget(list, target, '/a')) !== undefined
      })
      .map((target) => `${list} ${target}`),
  )
}

describe('two ceilings together', () => {
  it('allow nothing that one of them does not', () => {
    const any = fc.option(lists)
    fc.assert(
      fc.property(any, any, (a, b) => {
        const met = meetOf(a, b, '/a')
        const [inA, inB] = [allowed(a), allowed(b)]
        for (const one of allowed(met)) expect(inA.includes(one) && inB.includes(one)).toBe(true)
        expect(isWithin(met, a, '/a') && isWithin(met, b, '/a')).toBe(true)
        expect(allowed(meetOf(met, met, '/a'))).toEqual(allowed(met))
      }),
    )
  })

  it('keep a narrower pattern, and what is named exactly', () => {
    const of = (...canDo: CanLists['canDo']): CanLists => ({ canSee: [], canDo, canSummon: [], canBe: [] })
    expect(meetOf(of({ pattern: 'set*' }, 'take'), of({ pattern: '*' }), '/')).toEqual(
      of({ pattern: 'set*' }, 'take'),
    )
    expect(meetOf(of({ pattern: 'set*' }), of('set-role', 'take'), '/')).toEqual(of('set-role'))
    expect(meetOf(null, of('take'), '/')).toEqual(of('take'))
    expect(meetOf(null, null, '/')).toBeNull()
    expect(isWithin(null, of('take'), '/')).toBe(false)
  })
})
