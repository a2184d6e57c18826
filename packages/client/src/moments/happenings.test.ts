import { beingReel } from '@treeos/core'
import { describe, expect, it } from 'vitest'
import { mayConcern } from './happenings.ts'

const factOn = (reel: string) => ({ reel, seq: 1 })
const entry = { moment: 'ann/1/1', facts: [factOn(beingReel('bob')), factOn('space:/court')] }

describe('an append', () => {
  it.each([
    { being: 'ann', why: 'its moment is of it', concerns: true },
    { being: 'bob', why: 'a fact is on its reel', concerns: true },
    { being: 'eve', why: 'nothing is of it', concerns: false },
  ])('concerns who follows @$being: $concerns, since $why', async ({ being, concerns }) => {
    expect(await mayConcern(entry, { being })).toBe(concerns)
  })

  it('concerns everybody who follows the whole reality, unless no past of it is open to them', async () => {
    expect(await mayConcern(entry, {})).toBe(true)
    const openTo = (name: string) => async (being: string) => being === name
    expect(await mayConcern(entry, { isOpen: openTo('ann') })).toBe(true)
    expect(await mayConcern(entry, { isOpen: openTo('bob') })).toBe(true)
    expect(await mayConcern(entry, { isOpen: openTo('eve') })).toBe(false)
  })

  it('without a moment is looked at fact by fact', async () => {
    expect(await mayConcern({ moment: null, facts: [] }, { being: 'eve', isOpen: async () => false })).toBe(
      true,
    )
  })
})
