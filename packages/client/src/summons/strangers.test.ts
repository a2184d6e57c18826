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
  'matter:m': { id: 'm', owner: 'bob' },
  'matter:e': { id: 'e', owner: 'eve' },
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
      ...['subscribe', 'take', 'unpark-being', 'unsubscribe'],
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
