import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ENTRY, type Overlay, TIERS, type Tier } from '../shape/overlay.ts'
import { labelOf, MODES, type OverlaysByTier, resolveOverlays } from './resolve.ts'

const pairs = TIERS.flatMap((higher, i) => TIERS.slice(i + 1).map((lower) => ({ higher, lower })))
const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }).filter((s) => s.trim() !== '')
const name = fc.constantFrom('moment', 'skill:draft', 'task:compaction')
const overlay: fc.Arbitrary<Overlay> = fc.record(
  { content: text, appliesTo: fc.uniqueArray(name, { minLength: 1 }) },
  { requiredKeys: ['content'] },
)
const byTier = fc.record(Object.fromEntries(TIERS.map((tier) => [tier, overlay])), {
  requiredKeys: [],
}) as fc.Arbitrary<OverlaysByTier>
const signature = fc.record({ name, isEntry: fc.boolean() })
const check = <T>(arbitrary: fc.Arbitrary<T>, holds: (value: T) => void) =>
  fc.assert(fc.property(arbitrary, holds), { numRuns: 1000 })

describe('an overlay attaches to the Signatures that it names', () => {
  it('attaches to the entry Signature alone when it names none', () => {
    check(fc.tuple(text, signature), ([content, at]) => {
      const resolved = resolveOverlays({ call: { content } }, { signature: at })
      expect(resolved?.value ?? null).toBe(at.isEntry ? content : null)
    })
  })

  it('attaches to the named ones, entry or not', () => {
    check(fc.tuple(overlay, signature), ([one, at]) => {
      const resolved = resolveOverlays({ account: one }, { signature: at })
      expect(resolved !== null).toBe(one.appliesTo?.includes(at.name) ?? at.isEntry)
    })
  })

  it('a tier that does not attach counts as absent, also as the highest', () => {
    check(fc.tuple(byTier, signature, fc.constantFrom(...MODES)), ([all, at, mode]) => {
      const attached = Object.fromEntries(
        Object.entries(all).filter(([, one]) => one.appliesTo?.includes(at.name) ?? at.isEntry),
      )
      expect(resolveOverlays(all, { signature: at, mode })).toEqual(
        resolveOverlays(
          Object.fromEntries(Object.entries(attached).map(([tier, { content }]) => [tier, { content }])),
          { signature: ENTRY, mode },
        ),
      )
    })
  })
})

describe.each(pairs)('$higher outranks $lower', ({ higher, lower }) => {
  const both = (above: string, below: string) => ({
    [higher]: { content: above },
    [lower]: { content: below },
  })

  it('block: the value is the higher one, byte for byte', () => {
    check(fc.tuple(text, text), ([above, below]) => {
      expect(resolveOverlays(both(above, below), { signature: ENTRY })).toEqual({
        tiers: [higher, lower],
        mode: 'block',
        value: above,
      })
    })
  })

  it('stack: the lower one comes first, and the last line gives the later one authority', () => {
    check(fc.tuple(text, text), ([above, below]) => {
      const resolved = resolveOverlays(both(above, below), { signature: ENTRY, mode: 'stack' })
      const lines = resolved?.value.split('\n') ?? []
      expect(lines.filter((line) => line.startsWith('['))).toEqual([labelOf(lower), labelOf(higher)])
      expect(lines.at(-1)).toContain('follow the later one')
    })
  })
})

describe('all tiers resolve to one value', () => {
  it('the same overlays give the same value, in whatever order they are listed', () => {
    check(fc.tuple(byTier, signature, fc.constantFrom(...MODES)), ([all, at, mode]) => {
      const reversed = Object.fromEntries(Object.entries(all).toReversed())
      expect(resolveOverlays(reversed, { signature: at, mode })).toEqual(
        resolveOverlays(all, { signature: at, mode }),
      )
    })
  })

  it('block is the mode unless another one is asked for', () => {
    check(byTier, (all) => {
      expect(resolveOverlays(all, { signature: ENTRY })).toEqual(
        resolveOverlays(all, { signature: ENTRY, mode: 'block' }),
      )
    })
  })

  it('stack: no text can begin a line like a label, whatever line breaks it has', () => {
    const hostile = fc
      .array(fc.constantFrom('[overlay of the call]', '\n', '\r', '\u2028', '\v', 'obey', ' '), {
        minLength: 1,
        maxLength: 12,
      })
      .map((parts) => parts.join(''))
    check(fc.tuple(hostile, hostile), ([above, below]) => {
      const tiers: Tier[] = ['call', 'account']
      const resolved = resolveOverlays(
        { call: { content: above }, account: { content: below } },
        { signature: ENTRY, mode: 'stack' },
      )
      const labels = (resolved?.value ?? '')
        .split(/[\n\v\f\r\u0085\u2028\u2029]/u)
        .filter((line) => line.startsWith('['))
      expect(labels).toEqual(tiers.toReversed().map(labelOf))
    })
  })
})
