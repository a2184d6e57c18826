import type { JsonObject } from '@treeos/core'
import { describe, expect, it } from 'vitest'
import { flowPaths, flowRoles, type OpenContext, sliceContext, worldNamespaces } from '../index.ts'

const context = {
  verb: 'summon',
  caller: null,
  wake: { kind: 'message' },
  space: { name: 'court', quality: { ambient: { tone: 'quiet' } } },
  inHomeSpace: false,
  time: { hour: 9, dayOfWeek: 1, sinceLastMoment: null },
  me: { previousRole: null, quality: {} },
  moment: { outside: false, origins: {} },
  world: { court: { 'in-session': true, docket: ['a'], minutes: 'x'.repeat(257), motto: 'x'.repeat(256) } },
} satisfies OpenContext

describe('a slice', () => {
  it('holds exactly the paths: scalars as they are, the rest as markers, missing ones not at all', () => {
    const paths = [
      'verb',
      'caller.role',
      'me.previousRole',
      'inHomeSpace',
      'world.court.in-session',
      'world.court.docket',
      'world.court.minutes',
      'world.court.motto',
      'world.court.absent',
      'world.other.x',
    ]
    expect(sliceContext(context, paths)).toEqual({
      verb: 'summon',
      me: { previousRole: null },
      inHomeSpace: false,
      world: { court: { 'in-session': true, docket: {}, minutes: {}, motto: 'x'.repeat(256) } },
    })
  })

  it.each([{ paths: ['space', 'space.name'] }, { paths: ['space.name', 'space'] }])(
    'one path may be a prefix of another: $paths',
    ({ paths }) => {
      expect(sliceContext(context, paths)).toEqual({ space: { name: 'court' } })
    },
  )

  it('a prefix alone is a marker; below a scalar, an array or null there is nothing', () => {
    expect(sliceContext(context, ['space'])).toEqual({ space: {} })
    expect(sliceContext(context, ['verb.length', 'caller', 'caller.role'])).toEqual({ caller: null })
    expect(sliceContext(context, ['world.court.docket', 'world.court.docket.0'])).toEqual({
      world: { court: { docket: {} } },
    })
  })

  it('cannot reach or change a prototype', () => {
    expect(sliceContext(context, ['world.__proto__.x', 'world.constructor', 'world.toString'])).toEqual({})
    const hostile = JSON.parse('{"world":{"__proto__":{"x":1}}}') as JsonObject
    const slice = sliceContext(hostile, ['world.__proto__.x'])
    expect(JSON.stringify(slice)).toBe('{"world":{"__proto__":{"x":1}}}')
    expect((slice.world as Record<string, unknown>).x).toBeUndefined()
    expect(({} as Record<string, unknown>).x).toBeUndefined()
  })
})

describe('what a flow reads', () => {
  const flow = [
    {
      when: { 'world.b.x': 1, or: [{ 'world.a.y': 1 }, { not: { verb: { present: true } } }] },
      role: 'judge',
    },
    { when: { 'world.b.x': {} }, role: 'worker', stack: true },
    { when: { 'world.c.x': { gtt: 1 }, 'time.hour': 9 }, role: 'dancer' },
    { role: 'judge' },
  ]

  it('is every path once, sorted; a malformed clause reads nothing', () => {
    expect(flowPaths(flow)).toEqual(['verb', 'world.a.y', 'world.b.x'])
    expect(flowPaths(null)).toEqual([])
  })

  it('and names every role once, sorted; a malformed clause names none', () => {
    expect(flowRoles(flow)).toEqual(['judge', 'worker'])
  })

  it('is in these namespaces of world signals', () => {
    expect(worldNamespaces(flowPaths(flow))).toEqual(['a', 'b'])
    expect(worldNamespaces(['world', 'world.z', 'world.a.b.c', 'world.a.d', 'space.quality.q.k'])).toEqual([
      'a',
      'z',
    ])
  })
})
