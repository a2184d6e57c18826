import { parseCall, type VerbCall } from '@treeos/core'
import { buildRegistry, memoryRows, type Row, seed, WorldReader } from '@treeos/world'
import { describe, expect, it } from 'vitest'
import { isFromOutside } from './strangers.ts'

const being = (name: string, parent: string | null) => ({
  name,
  parent,
  home: '/',
  space: '/',
  qualities: {},
})
const ROWS = {
  'being:operator': being('operator', null),
  'being:ann': { ...being('ann', 'operator'), home: '/ann' },
  'being:bob': being('bob', 'ann'),
  'being:kid': being('kid', 'bob'),
  'being:eve': being('eve', 'operator'),
  'space:/': { path: '/', owner: 'operator' },
  'space:/ann': { path: '/ann', owner: 'ann' },
  'space:/kid': { path: '/kid', owner: 'kid' },
  'space:/free': { path: '/free', owner: null },
  'space:/till': {
    ...{ path: '/till', owner: 'ann' },
    qualities: {
      permissions: {
        do: {
          'set-size': { requires: ['anyone'], ask: { who: ['owner'] } },
          take: { requires: ['anyone'], outside: 'forbid' },
          'remove-*': { requires: ['anyone'], outside: { ask: { who: ['owner'] } } },
          put: { requires: ['anyone'], counts: [{ most: 3, within: 60 }] },
          move: { requires: ['anyone'], outside: 'forbid' },
        },
      },
    },
  },
  'matter:m': { id: 'm', owner: 'bob' },
  'matter:e': { id: 'e', owner: 'eve' },
  'matter:t': { id: 't', owner: 'bob', place: '/till' },
}
const rows = new Map(Object.entries(ROWS).map(([key, row]) => [key, row as unknown as Row]))
const registry = buildRegistry([seed])

/** Whether an act of a program as `ann` counts as words from outside. */
const actsFromOutside = (call: VerbCall) =>
  isFromOutside({ reader: new WorldReader(memoryRows(rows, new Map())), registry }, 'ann', call)

describe('what a program says as a being', () => {
  it.each(['@ann', '@bob', '@kid', '@eve', '@operator', null])('to %s is from outside', async (target) => {
    expect(await actsFromOutside(parseCall({ verb: 'summon', target, content: 'hello' }))).toBe(true)
  })
})

describe('what a program does as a being', () => {
  const doing = (action: string, target: string | null, args: object = {}) =>
    parseCall({ verb: 'do', action, target, args })

  it.each([
    { target: '@bob', isElsewhere: false },
    { target: '/ann', isElsewhere: false },
    { target: '/kid', isElsewhere: false },
    { target: 'matter:m', isElsewhere: false },
    { target: 'matter:e', isElsewhere: true },
    { target: '@eve', isElsewhere: true },
    { target: '/', isElsewhere: true },
    { target: '/free', isElsewhere: true },
    { target: '/nowhere', isElsewhere: true },
  ])('without words at $target is from outside: $isElsewhere', async ({ target, isElsewhere }) => {
    expect(await actsFromOutside(doing('set-size', target, { size: null }))).toBe(isElsewhere)
    expect(await actsFromOutside(doing('set-space', target))).toBe(true)
  })

  it.each([
    ['set-size', '/till', true],
    ['take', 'matter:t', true],
    ['remove-contributor', '/till', true],
    ['move', '/till', true],
    // Controls: without a rule, and by one that asks nobody.
    ['set-size', '/ann', false],
    ['take', 'matter:m', false],
    ['put', 'matter:t', false],
    ['end-matter', 'matter:t', false],
  ])(
    'by %s of %s is from outside where a rule asks, or says so of such words: %s',
    async (action, target, is) => {
      expect(await actsFromOutside(doing(action, target))).toBe(is)
    },
  )

  it('is from outside where who is born enters a place whose rule says so', async () => {
    const birth = (home: string | null) =>
      actsFromOutside(
        parseCall({
          verb: 'be',
          operation: 'birth',
          args: { name: 'new', ...(home === null ? {} : { home }) },
        }),
      )
    expect(await birth('/till')).toBe(true)
    expect(await birth('/ann')).toBe(false) // control
    expect(await birth(null)).toBe(false) // control
    expect(await birth('/free')).toBe(true)
  })

  it('holds no words by these operations alone', () => {
    const wordless = [...registry.operations.values()].filter((operation) => operation.wordless === true)
    expect(wordless.map(({ name }) => name).sort()).toEqual([
      ...[
        'cut-thread',
        'delete-role',
        'delete-schedule',
        'end-being',
        'end-matter',
        'move',
        'pause-being',
        'put',
      ],
      ...['remove-contributor', 'resume-being', 'set-budget', 'set-default-role', 'set-hold'],
      ...['set-roleflow', 'set-size'],
      ...['take', 'unpark-being', 'unsubscribe'],
    ])
  })

  it.each(
    [...registry.operations.values()].filter(({ inPerson }) => inPerson === true).map(({ name }) => name),
  )('never does %s as the person itself, wherever', async (name) => {
    expect(await actsFromOutside(doing(name, '@ann', { id: 'bob/1/1' }))).toBe(true)
  })

  it('does six things never as the person itself', () => {
    const named = [...registry.operations.values()].filter(({ inPerson }) => inPerson === true)
    expect(named.map(({ name }) => name).sort()).toEqual([
      ...['accept-difference', 'approve', 'deny', 'erase', 'lift-hold', 'vouch'],
    ])
  })

  it('with an operation that nobody knows, and no target, is from outside', async () => {
    expect(await actsFromOutside(doing('unheard-of', null))).toBe(true)
  })
})

it('a look says nothing', async () => {
  expect(await actsFromOutside(parseCall({ verb: 'see', address: '@eve' }))).toBe(false)
})
