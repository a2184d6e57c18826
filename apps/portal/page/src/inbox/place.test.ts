import { describe, expect, it } from 'vitest'
import { facetsOf, placeIn, withFacets } from './place.ts'

describe('the address of the inbox', () => {
  it('keeps what it knows, and drops everything else', () => {
    const known = { entry: 'a', in: 'notices', q: 'van', order: 'oldest', what: 'failure', role: 'desk' }
    expect(placeIn({ ...known, more: 'x' })).toEqual(known)
    expect(placeIn({ entry: 7, in: 'nowhere', q: '', order: 'best', from: null })).toEqual({})
  })

  it('tells facets from the rest, and changes only them', () => {
    const place = placeIn({ in: 'needs', q: 'van', role: 'desk', origin: 'from outside' })
    expect(facetsOf(place)).toEqual({ role: 'desk', origin: 'from outside' })
    expect(facetsOf(withFacets(place, { from: '@ada' }))).toEqual({ from: '@ada' })
    expect(withFacets(place, {})).toMatchObject({ in: 'needs', q: 'van' })
  })
})
