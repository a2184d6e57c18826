/**
 * Rules of spaces that nothing would ever be asked about: refused as they are written, or accepted with a
 * warning.
 */
import type { Json, JsonObject } from '@treeos/core'
import { replay, whatIfRules } from '@treeos/replay'
import { defineExtension, defineOperation } from '@treeos/sdk'
import { parseServer, toolExtensions } from '@treeos/tools'
import { buildRegistry, seed } from '@treeos/world'
import { beforeAll, describe, expect, it } from 'vitest'
import { createSpace, doAs, groundOf, play } from '../../support/life.ts'
import { drawn } from '../../support/night.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import till from '../../support/till.ts'
import { useWorld } from '../../support/use-world.ts'

const operation = <Name extends string>(name: Name, on: 'being' | 'space' | 'matter') =>
  defineOperation({
    name,
    description: 'Does nothing.',
    on,
    allow: ['anyone'],
    decide: () => ({ facts: [] }),
  })
const shop = defineExtension({
  name: 'shop',
  version: '1.0.0',
  operations: [
    operation('shop:greet', 'being'),
    operation('shop:give', 'being'),
    operation('shop:restock', 'space'),
    operation('shop:give-away', 'matter'),
  ],
})
const tool = { description: 'Pays.', schema: { type: 'object', properties: {} }, hints: [] }
const serverOf = (tools: object, more: object = {}) =>
  toolExtensions({ town: parseServer('town', { command: ['none'], tools, ...more }) })
const tools = serverOf({ pay: tool, weather: tool })
const world = useWorld({ extensions: [stage, till, shop, ...tools] })
beforeAll(async () => {
  await createSpace(world, '/shop')
  await createSpace(world, '/shop/back')
  await world.birthPuppet('clerk')
})

const FORBID = { forbid: ['anyone'] }
const ASK = { requires: ['anyone'], ask: { who: ['operator'], within: 3600 } }
const write = (space: string, rules: JsonObject, of = 'permissions', verb = 'do') =>
  doAs(world, 'set-space', space, { field: `${of}.${verb}`, value: rules })
const refused = async (space: string, rules: JsonObject, of?: string) => {
  const before = await groundOf(world)
  const error = await write(space, rules, of).then(
    () => null,
    (error: { code: string; message: string }) => error,
  )
  expect(await groundOf(world)).toEqual(before)
  expect(error?.code).toBe('INVALID_INPUT')
  return error?.message
}

describe('a rule that names only operations on beings', () => {
  const toTown =
    'set-space: permissions.do.town:pay: the rule would have no effect in /shop: town:pay acts on beings, and rules of spaces do ' +
    'not cover that. Take town:pay out of canDo of the roles that should not have it, or have the server town added again so that ' +
    'a person is asked before each call of its tools'

  it.each(
    drawn<[string, Json]>([
      ['asks a person', ASK],
      ['forbids', FORBID],
      ['grants nobody', false],
      ['grants all', true],
    ]),
  )('is refused where it %s, and says what to do instead', async (_what, rule) => {
    expect(await refused('/shop', { 'town:pay': rule })).toBe(toTown)
  })

  it('is refused in the root space too', async () => {
    expect(await refused('/', { 'town:pay': FORBID })).toContain(
      'would have no effect in /: town:pay acts on',
    )
  })

  it.each(['set-being', 'shop:greet'])('says nothing of tools for %s, which is none', async (name) => {
    expect(await refused('/shop', { [name]: FORBID })).toMatch(/canDo of the roles that should not have it$/)
  })

  it.each(
    drawn([
      ['town:*', 'it matches only town:pay, town:weather; town:pay acts on beings'],
      ['shop:gr*', 'it matches only shop:greet; shop:greet acts on beings'],
      ['set-b*', undefined], // set-being, and set-budget, which is also done to the reality
      ['shop:g*', undefined], // shop:give-away is done to a thing
      ['shop:*', undefined],
      ['*', undefined],
    ]),
  )('as a beginning of names: %s', async (key, says) => {
    if (says !== undefined) return expect(await refused('/', { [key]: FORBID })).toContain(says)
    const { result } = await write('/', { [key]: { forbid: [{ role: 'nobody' }] } })
    expect(result).not.toHaveProperty('warnings')
    await write('/', { [key]: null })
  })

  it('is refused where it is only tried', async () => {
    expect(await refused('/shop', { 'town:pay': FORBID }, 'shadow')).toContain(
      'set-space: shadow.do.town:pay: ',
    )
  })

  it('is refused beside a sound one, and with all the rules of a space', async () => {
    expect(await refused('/shop', { 'shop:restock': true, 'town:pay': ASK })).toBe(toTown)
    const whole = { field: 'permissions', value: { do: { 'shop:restock': true, 'town:pay': ASK } } }
    await expect(doAs(world, 'set-space', '/shop', whole)).rejects.toThrow(toTown)
  })

  it('is refused to a being that writes it by itself', async () => {
    const args = { field: 'permissions.do', value: { 'town:pay': true } }
    await doAs(world, 'set-space', '/shop', { field: 'permissions.do.set-space', value: true })
    const call = { verb: 'do', operation: 'set-space', target: '/shop', args } as const
    expect(await play(world, 'clerk', call)).toMatchObject({ outcome: 'failure', reason: 'INVALID_INPUT' })
  })

  it('is refused where what it would have changed is asked', async () => {
    const asked = { being: 'clerk', space: '/shop', field: 'permissions.do', value: { 'town:pay': FORBID } }
    await expect(whatIfRules(world, asked)).rejects.toThrow(toTown)
  })
})

describe('a rule that names an operation which rules of other spaces cover, or of none', () => {
  it.each(
    drawn([
      ['set-role', 'set-role is asked about in / alone: set the rule there'],
      ['set-budget', 'set-budget is asked about in / alone'],
      ['cut-thread', 'cut-thread is asked about in / alone'],
      ['write-matter', 'write-matter is up to the owner of a thing, and rules of spaces do not cover it'],
    ]),
  )('%s is refused', async (name, says) => {
    expect(await refused('/shop', { [name]: true })).toContain(says)
  })

  it.each(['set-role', 'set-budget', 'cut-thread'])('%s is accepted in /', async (name) => {
    await write('/', { [name]: { forbid: [{ role: 'nobody' }] } })
    await write('/', { [name]: null })
  })
})

describe('a rule that names what no loaded code brings', () => {
  it.each([
    [
      'do',
      'shop:restok',
      'no operation "shop:restok" is registered, so the rule has no effect until one is. Did you mean shop:restock?',
    ],
    ['do', 'later:pay', 'no operation "later:pay" is registered, so the rule has no effect until one is'],
    [
      'do',
      'later:*',
      'no operation is registered that begins with "later:", so the rule has no effect until one is',
    ],
    [
      'be',
      'brith',
      'no operation "brith" is registered, so the rule has no effect until one is. Did you mean birth?',
    ],
  ])('is accepted with a warning: %s %s', async (verb, key, message) => {
    const { result } = await write('/shop', { [key]: false }, 'permissions', verb)
    expect(result).toMatchObject({ warnings: [{ path: `permissions.${verb}.${key}`, message }] })
  })

  it('is not warned of again by a write that leaves it as it is', async () => {
    const { result } = await write('/shop', { 'shop:restock': { requires: ['anyone'] } })
    expect(result).not.toHaveProperty('warnings')
  })
})

describe('a rule that was accepted by other code', () => {
  it('replays, and replay says that the code which is loaded now would refuse it', async () => {
    await write('/shop/back', { 'town:late': false }) // the server had no such tool
    const later = serverOf({ pay: tool, weather: tool, late: tool })
    const registry = buildRegistry([seed, stage, till, shop, ...later])
    const replayed = await replay({ ...world, registry }, { beings: null, from: 'chain' })
    expect(replayed).toMatchObject({ mismatches: [], otherCode: 1 })
    expect(replayed.elsewhere).toContainEqual(
      expect.objectContaining({ field: 'outcome', recorded: 'act', chain: 'failure' }),
    )
  })

  it('all of it replays with the code that judged it', async () => {
    await expectUnbroken(world)
    expect(await expectReplays(world)).not.toHaveProperty('otherCode')
  })
})
