import { isJsonObject, type JsonObject } from '@treeos/core'
import { describe, expect, it } from 'vitest'
import { CARRIER, REPROFILE } from '../../test/carrier.ts'
import { actingIn } from '../../test/gate-inputs.ts'
import { buildRegistry, decideCall, genesisFacts, seed } from '../../test/inside.ts'
import { born, MemoryWorld } from '../../test/memory-world.ts'

const BUILT_IN = [...seed.operations, ...seed.beOperations]

const requiring = (name: string, args: JsonObject) => () =>
  BUILT_IN.find((one) => one.name === name)?.requireArgs?.(args)

describe.each(BUILT_IN.map((operation) => [operation.name, operation] as const))('%s', (name, operation) => {
  it('has a schema of each of its arguments', () => {
    const { properties } = operation.schema ?? {}
    expect(operation.schema).toMatchObject({ type: 'object', additionalProperties: false })
    expect(Object.keys(isJsonObject(properties) ? properties : {})).toEqual(Object.keys(operation.args))
    for (const [argument, about] of Object.entries(operation.args))
      expect(properties).toMatchObject({ [argument]: { description: about } })
  })

  it('refuses an argument that it does not take', () => {
    expect(() => operation.requireArgs?.({ 'no-such': 1 })).toThrow(
      expect.objectContaining({
        code: 'INVALID_INPUT',
        message: expect.stringContaining(`${name} takes no argument "no-such"; it takes `),
      }),
    )
  })
})

it.each<[string, JsonObject, string]>([
  ['create-space', {}, 'create-space: path is missing; it takes a text'],
  ['create-space', { path: 7 }, 'create-space: path is 7; it takes a text'],
  ['create-space', { path: 'a//b' }, 'a//b'],
  ['create-matter', { id: 'A B' }, 'create-matter: id is "A B"; it takes kebab-case, at most 64 characters'],
  ['set-being', { field: 'a.b' }, 'set-being: value is missing; it takes any JSON; null unsets'],
  ['set-being', { field: 'a..b', value: 1 }, 'quality "a..b" is not valid'],
  ['set-roleflow', { flow: 'dance' }, 'array of clauses'],
  ['set-role', { role: { name: 'a b', prompt: '' } }, 'a b'],
  [
    'set-schedule',
    { preset: 'x:y', everySeconds: 0 },
    'set-schedule: everySeconds is 0; it takes whole seconds from 1',
  ],
  ['subscribe', { equals: [] }, 'subscribe: equals is []; it takes a scalar, or a list of 1 to'],
  ['set-budget', { tokens: 'many' }, 'set-budget: tokens is "many"; it takes a whole number from 0 to'],
  ['set-budget', { money: 0.000_000_1 }, 'to the millionth, or null for no limit'],
  ['move', { coord: { x: 0, y: 0 } }, 'move: coord is {"x":0,"y":0}; it takes {"x", "y", "z"}'],
  [
    'birth',
    { name: 'kid', cognition: 'dog' },
    'birth: cognition is "dog"; it takes one of llm, human, scripted',
  ],
  ['end-being', { now: true }, 'end-being takes no argument "now"; it takes none'],
])('%s with %j is refused without deciding', (name, args, says) => {
  expect(requiring(name, args)).toThrow(expect.objectContaining({ message: expect.stringContaining(says) }))
})

it.each<[string, JsonObject]>([
  ['create-space', { path: '/den', type: null, size: { x: 1, y: 1, z: 1 } }],
  ['set-being', { field: 'qualities.mood.tone', value: null, merge: false }],
  ['set-size', { size: null }],
  ['set-schedule', { preset: 'weather:hourly' }],
  ['set-budget', { tokens: null, money: 0.5, per: 'day' }],
  ['set-role', { role: { name: 'guide', prompt: '' }, trial: { runs: 3, mean: null } }],
  ['birth', { name: 'kid', cognition: 'llm', ceiling: null }],
])('control: %s takes %j', (name, args) => {
  expect(requiring(name, args)).not.toThrow()
})

it.each<[string, JsonObject]>([
  ['birth', { name: 'kid', cognition: 'llm', model: 'm' }],
  ['set-roleflow', { flow: [], ceiling: null }],
])('%s takes %j only from an operation of an extension that carries it out', async (name, args) => {
  expect(requiring(name, args)).toThrow('takes no argument')
})

it.each<[string, JsonObject, string[]]>([
  ['null, which takes a ceiling away', { ceiling: null }, ['quality:set', 'quality:set', 'being:bounded']],
  ['left out, which leaves it', {}, ['quality:set']],
])('a ceiling that an extension sets may be %s', async (_what, bounds, kinds) => {
  const world = new MemoryWorld([...genesisFacts(), born('ann', 'operator'), born('kid', 'ann')])
  const surface = { canSee: [], canDo: [REPROFILE], canSummon: [], canBe: [] }
  const act = await decideCall(
    { verb: 'do', operation: REPROFILE, target: '@ann', args: { of: '@kid', flow: [], ...bounds } },
    { ...actingIn(world, 'ann', surface), registry: buildRegistry([seed, CARRIER]) },
  )
  expect(act.kind === 'act' && act.facts.map(({ kind }) => kind)).toEqual(kinds)
})
