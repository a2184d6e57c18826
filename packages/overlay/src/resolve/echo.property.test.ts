import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ECHO_MASK, ECHO_MIN, maskEcho } from './echo.ts'

const letters = (min: number, max: number) =>
  fc.string({ unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz '), minLength: min, maxLength: max })

/** Whether some run of this many characters is in both. */
const shares = (text: string, overlay: string, length: number): boolean => {
  for (let i = 0; i + length <= overlay.length; i++)
    if (text.includes(overlay.slice(i, i + length))) return true
  return false
}

describe('an answer that repeats an overlay', () => {
  it('keeps no run of 32 characters of it, wherever it stands', () => {
    const parts = fc.tuple(letters(40, 200), letters(0, 50), letters(0, 50), fc.nat(), fc.nat())
    fc.assert(
      fc.property(parts, ([overlay, before, after, from, length]) => {
        const begin = from % (overlay.length - ECHO_MIN)
        const echo = overlay.slice(begin, begin + ECHO_MIN + (length % 100))
        const answer = { content: before + echo + after, call: { args: { [echo]: [echo, 7, null] } } }
        const kept = JSON.stringify(maskEcho(answer, [overlay]))
        expect(shares(kept, overlay, ECHO_MIN)).toBe(false)
        expect(kept).toContain(ECHO_MASK)
      }),
      { numRuns: 500 },
    )
  })

  it('keeps all that is shorter: the model may speak as it was told to', () => {
    fc.assert(
      fc.property(letters(40, 200), fc.nat(), (overlay, from) => {
        const echo = overlay.slice(from % 8, (from % 8) + ECHO_MIN - 1)
        const answer = { content: `Well: ${echo}!` }
        fc.pre(!shares(answer.content, overlay, ECHO_MIN))
        expect(maskEcho(answer, [overlay])).toEqual(answer)
      }),
      { numRuns: 500 },
    )
  })

  it.each([
    { length: 15, is: 'kept' },
    { length: 16, is: 'masked' },
    { length: 31, is: 'masked' },
  ])('a whole overlay of $length characters is $is', ({ length, is }) => {
    const overlay = 'abcdefghijklmnopqrstuvwxyz0123456789'.slice(0, length)
    expect(maskEcho(`so: ${overlay}.`, [overlay])).toBe(`so: ${is === 'kept' ? overlay : ECHO_MASK}.`)
  })

  it('also as JSON, as messages quote it', () => {
    const overlay = 'first line of it "quoted"\nsecond line of it'
    expect(maskEcho(`bad: ${JSON.stringify(overlay)}`, [overlay])).toBe(`bad: "${ECHO_MASK}"`)
  })

  it('stays a text that can be stored', () => {
    const overlay = '🜁'.repeat(40)
    expect(maskEcho(`x${overlay.slice(1)}`, [overlay]).isWellFormed()).toBe(true)
  })
})
