import type { FactDraft, Json, JsonObject } from '@treeos/core'
import { parseRole } from '@treeos/roles'
import { describe, expect, it } from 'vitest'
import { born, MemoryWorld, spaceMade } from '../../test/memory-world.ts'
import { type BeingRow, genesisFacts } from '../index.ts'
import { maySee, readsPlace, requireSight } from './sight.ts'

const NONE = { canSee: [], canDo: [], canSummon: [], canBe: [] }

it('a being may always see itself, and no other, whatever lists, ceilings and rules say', async () => {
  const hidden: FactDraft = {
    reel: 'space:/',
    kind: 'quality:set',
    payload: { path: ['permissions'], value: { see: { '*': { requires: [] } } }, merge: false },
  }
  const ceiling = { canSee: [], canDo: [], canSummon: [], canBe: [] }
  const world = new MemoryWorld([
    ...genesisFacts(),
    hidden,
    born('ann', 'operator', { ceiling }),
    born('bo', 'operator'),
  ])
  const seer = { world: world.reader(), me: world.being('ann'), surface: NONE }
  const of = (name: string) => ({ kind: 'being', being: world.being(name) }) as const
  expect(await maySee(seer, of('ann'))).toBe(true)
  expect(await maySee(seer, of('bo'))).toBe(false)
  expect(await maySee(seer, { kind: 'space', space: world.space('/') })).toBe(false)
  await expect(requireSight(seer, of('bo'))).rejects.toMatchObject({ code: 'FORBIDDEN' })
})

describe('a flow reads the place where its being is', () => {
  const FLOW = [{ stack: true, when: { 'space.quality.ambient.tone': 'quiet' }, role: 'librarian' }]
  const flowOf = (name: string, more: JsonObject = {}): FactDraft => ({
    reel: `being:${name}`,
    kind: 'quality:set',
    payload: { path: ['roleFlow'], value: FLOW, merge: false, ...more },
  })
  const bounded = { canSee: ['/hall'], canDo: [], canSummon: [], canBe: [] }

  /** A world where @kid, of @mum, of @operator, is in the library. */
  function library(
    more: Partial<BeingRow>,
    [setBy, flow]: readonly [string, FactDraft],
    rule?: Json,
  ): MemoryWorld {
    const world = new MemoryWorld(genesisFacts())
    for (const [name, canSee] of [
      ['blind', []],
      ['aware', ['/library']],
      ['there', [{ rel: 'here' }]],
    ] as const) {
      const spec = parseRole({ name, canSee, prompt: '' })
      const payload = { name, digest: world.keep(spec as never), origin: 'live', spec: spec as never }
      world.write('operator', [{ reel: 'registry', kind: 'role:set', payload }])
    }
    world.write('operator', [
      spaceMade('/library', 'operator', rule === undefined ? {} : { see: { '/library': rule } }),
      born('mum', 'operator'),
      born('kid', 'mum', { defaultRole: 'blind', ...more }),
      { reel: 'being:kid', kind: 'being:moved', payload: { from: '/', to: '/library' } },
    ])
    world.write(setBy, [flow])
    return world
  }
  const reads = (world: MemoryWorld, isTried?: boolean) =>
    readsPlace(world.reader(), world.being('kid'), isTried)

  it.each<[string, string, Partial<BeingRow>, boolean]>([
    ['its maker set the flow', 'mum', {}, true],
    ['a maker of its maker set it', 'operator', {}, true],
    ['a maker set it, whatever its ceiling', 'operator', { ceiling: bounded }, true],
    ['it set the flow itself, and its lists do not hold the place', 'kid', {}, false],
    ['it set the flow itself, at home', 'kid', { home: '/library' }, true],
    [
      'it set the flow itself, and a role that it names holds the place',
      'kid',
      { defaultRole: 'aware' },
      true,
    ],
    ['it set the flow itself, and a role holds where it is', 'kid', { defaultRole: 'there' }, true],
    [
      'it set the flow itself, and its ceiling does not hold the place',
      'kid',
      { defaultRole: 'aware', ceiling: bounded },
      false,
    ],
    ['another being set it, as rules may allow', 'stranger', {}, false],
  ])('where %s: %#', async (_why, setBy, more, expected) => {
    expect(await reads(library(more, [setBy, flowOf('kid')]))).toBe(expected)
    expect(await reads(library(more, [setBy, flowOf('kid')], false)), 'but never against a rule').toBe(false)
  })

  it('where its maker gave it the flow at birth', async () => {
    const mum = { qualities: { roleFlow: FLOW } as never }
    const other: FactDraft = { ...flowOf('kid'), payload: { path: ['mood'], value: 'calm', merge: false } }
    expect(await reads(library(mum, ['kid', other]))).toBe(true)
  })

  it('by its lists, where it had @role-manager set the flow for it', async () => {
    const world = library({}, ['role-manager', flowOf('kid', { onBehalfOf: 'kid' })])
    expect(await reads(world)).toBe(false)
  })

  it('by its lists in a dry run, whoever set its flow', async () => {
    expect(await reads(library({}, ['mum', flowOf('kid')]), true)).toBe(false)
    expect(await reads(library({ defaultRole: 'aware' }, ['mum', flowOf('kid')]), true)).toBe(true)
  })
})
