import type { Fact, Json, JsonObject } from '@treeos/core'
import { describe, expect, it } from 'vitest'
import { placingOf, squaresIn } from './place-change.ts'

const fact = (kind: string, reel: string, payload: JsonObject | null) =>
  ({ header: { kind, reel }, payload, hash: '' }) as unknown as Fact
const set = (path: string[], value: unknown, merge?: boolean) =>
  placingOf(
    fact('quality:set', 'being:ann', {
      path,
      value,
      ...(merge === undefined ? {} : { merge }),
    } as JsonObject),
  )

describe('what a fact says of a place', () => {
  it.each([
    ['being:born', { home: '/a', name: 'ann', qualities: {} }, { place: '/a', coord: null }],
    ['being:moved', { to: '/b', coord: { x: 1, y: 2, z: 0 } }, { place: '/b', coord: { x: 1, y: 2 } }],
    ['being:moved', { to: '/b' }, { place: '/b', coord: null }],
    ['being:ended', {}, { isEnded: true }],
  ])('%s', (kind, payload, placing) => {
    expect(placingOf(fact(kind, 'being:ann', payload))).toEqual({ key: 'being:ann', ...placing })
  })

  it('says nothing where the payload was erased, and of other kinds', () => {
    expect(placingOf(fact('being:moved', 'being:ann', null))).toBeNull()
    expect(placingOf(fact('being:budgeted', 'being:ann', {}))).toBeNull()
  })

  it('reads squares however the quality was set', () => {
    expect(set(['dance', 'position'], { x: 1, y: 2 })).toEqual({
      key: 'being:ann',
      spots: { dance: { x: 1, y: 2 } },
    })
    expect(set(['dance', 'position'], null)).toEqual({ key: 'being:ann', spots: { dance: null } })
    expect(set(['dance'], { position: { x: 1, y: 2 }, other: 1 })).toEqual({
      key: 'being:ann',
      spots: { dance: { x: 1, y: 2 } },
    })
    expect(set(['dance'], { other: 1 })).toBeNull() // merged: the square stays
    expect(set(['dance'], { other: 1 }, false)).toEqual({
      key: 'being:ann',
      floors: { dance: null },
      spots: { dance: null },
    })
    expect(set(['mood', 'now'], 'glad')).toBeNull()
  })

  it.each<Json>([{ x: 1 }, { x: '1', y: 2 }, { x: 1.5, y: 2 }, [1, 2], 'x', null])(
    '%j is not a square',
    (position) => {
      expect(squaresIn({ dance: { position } })).toEqual({})
    },
  )

  it.each<JsonObject>([
    { width: 0, height: 3 },
    { width: 3, height: 10_001 },
    { width: '3', height: 3 },
  ])('%j is not a floor', (floor) => {
    expect(squaresIn({ dance: { floor } })).toEqual({})
  })
})
