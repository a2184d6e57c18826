import type { Json, Verb } from '@treeos/core'
import { describe, expect, it } from 'vitest'
import { born, MemoryWorld, spaceMade } from '../../test/memory-world.ts'
import { askRuleGate, isWithinReach, ruleGate } from './rule-gate.ts'
import { type RuleStanding, STANDINGS } from './rules.ts'
import { isAncestor } from './standings.ts'

/**
 * A house of ann's with a cellar of cid's; bob lives in it, dot and eve do not, and each bears a child there.
 */
function worldWith(rules: { house?: Json; cellar?: Json; root?: Json }) {
  const world = new MemoryWorld()
  const does = (rule: Json | undefined) => (rule === undefined ? undefined : { do: { take: rule } })
  world.write('$reality', [
    spaceMade('/house', 'ann', does(rules.house)),
    spaceMade('/house/cellar', 'cid', does(rules.cellar)),
    born('ann', 'operator'),
    born('cid', 'operator'),
    born('bob', 'operator', { home: '/house', defaultRole: 'judge' }),
    born('dot', 'operator', { home: '/library', defaultRole: 'clerk' }),
    born('dot-kid', 'dot', { home: '/house', defaultRole: 'judge' }),
    born('bob-kid', 'bob', { home: '/house/cellar', defaultRole: 'judge' }),
    born('ann-kid', 'ann', { home: '/house', defaultRole: 'judge' }),
    { reel: 'space:/house/cellar', kind: 'space:contributor-added', payload: { being: 'dot' } },
  ])
  if (rules.root !== undefined)
    world.write('$reality', [
      { reel: 'space:/', kind: 'quality:set', payload: { path: ['permissions'], value: does(rules.root)! } },
    ])
  return world
}

const ask = (
  world: MemoryWorld,
  actor: string,
  {
    verb = 'do' as Verb,
    key = 'take',
    being = null as string | null,
    fallback = [] as RuleStanding[],
    fromOutside = false,
  } = {},
) =>
  ruleGate(world.reader(), {
    actor: world.being(actor),
    verb,
    key,
    target: { being: being === null ? null : world.being(being), space: '/house/cellar' },
    fallback,
    fromOutside,
  })
const answers = async (world: MemoryWorld, actors: readonly string[]) =>
  Promise.all(actors.map(async (actor) => (await ask(world, actor)).answer))

describe('a rule of a space', () => {
  it.each<[Json, string[], string[]]>([
    [true, ['dot', 'operator'], []],
    [false, [], ['cid', 'operator']],
    [{ requires: ['anyone'] }, ['dot'], []],
    [{ requires: ['owner'] }, ['cid', 'operator'], ['ann', 'bob', 'dot']],
    [{ requires: ['contributor'] }, ['dot'], ['cid', 'bob', 'dot-kid', 'operator']],
    [{ requires: ['operator'] }, ['operator'], ['cid', 'ann']],
    [{ requires: [{ role: 'judge' }] }, ['bob', 'bob-kid'], ['dot', 'dot-kid', 'ann', 'operator']],
    [{ requires: [{ role: 'clerk' }, 'owner'] }, ['dot', 'cid'], ['bob']],
    // a malformed rule permits nobody, as false does
    ['yes', [], ['cid', 'operator']],
    [{}, [], ['cid', 'operator']],
    [{ requires: 'anyone' }, [], ['cid', 'operator']],
    [{ requires: ['anyone'], role: ['judge'] }, [], ['bob', 'operator']],
    [{ forbid: ['everybody'] }, [], ['cid', 'operator']],
    [{ requires: ['anyone'], forbid: [{ role: 7 }] }, [], ['cid', 'operator']],
    // but what is known of a list of permissions stands
    [{ requires: ['owner', 'sage'] }, ['cid'], ['dot']],
  ])('%j permits %j and not %j', async (cellar, allowed, refused) => {
    const world = worldWith({ cellar })
    expect(await answers(world, allowed)).toEqual(allowed.map(() => 'allowed'))
    expect(await answers(world, refused)).toEqual(refused.map(() => 'not-granted'))
  })

  it('that asks for a home means a home in the space that has the rule', async () => {
    const house = worldWith({ house: { requires: ['home'] } })
    expect(await answers(house, ['bob', 'bob-kid', 'dot', 'ann'])).toEqual([
      'allowed',
      'allowed',
      'not-granted',
      'not-granted',
    ])
    const cellar = worldWith({ cellar: { requires: ['home'] } })
    expect(await answers(cellar, ['bob', 'bob-kid'])).toEqual(['not-granted', 'not-granted'])
  })

  it('counts a home or a role only if the operator, the owner of the space, or a maker that has it gave it', async () => {
    for (const property of ['home', { role: 'judge' }] as Json[]) {
      const world = worldWith({ house: { requires: [property] } })
      expect(await answers(world, ['dot-kid', 'ann-kid', 'bob-kid'])).toEqual([
        'not-granted',
        'allowed',
        'allowed',
      ])
    }
  })

  it('names standings to the target being: itself, its parent, any maker', async () => {
    const world = worldWith({})
    const rule = (requires: Json) =>
      world.write('$reality', [
        {
          reel: 'space:/house/cellar',
          kind: 'quality:set',
          payload: { path: ['permissions'], value: { summon: { '@bob-kid': { requires } } } },
        },
      ])
    const who = async () => {
      const all = []
      for (const actor of ['bob-kid', 'bob', 'operator', 'dot'])
        if (
          (await ask(world, actor, { verb: 'summon', key: '@bob-kid', being: 'bob-kid' })).answer ===
          'allowed'
        )
          all.push(actor)
      return all
    }
    rule(['self'])
    expect(await who()).toEqual(['bob-kid'])
    rule(['parent'])
    expect(await who()).toEqual(['bob'])
    rule(['ancestor'])
    expect(await who()).toEqual(['bob', 'operator'])
  })

  it('yields to the rule of a closer space, and to a more exact key of the same space', async () => {
    expect(await answers(worldWith({ house: false, cellar: true }), ['dot'])).toEqual(['allowed'])
    expect(await answers(worldWith({ house: true, cellar: false }), ['dot'])).toEqual(['not-granted'])
    const world = worldWith({})
    world.write('$reality', [
      {
        reel: 'space:/house/cellar',
        kind: 'quality:set',
        payload: { path: ['permissions', 'do'], value: { '*': true, 'ta*': false, 'tak*': true } },
      },
    ])
    expect(await ask(world, 'dot')).toEqual({
      answer: 'allowed',
      by: '/house/cellar permissions.do.tak*',
    })
    expect(await ask(world, 'dot', { key: 'tap' })).toMatchObject({ answer: 'not-granted' })
    expect(await ask(world, 'dot', { key: 'put' })).toMatchObject({ answer: 'allowed' })
  })

  it('does not apply to DO on a being, nor to the operator when it sets qualities of a space in its own words', async () => {
    const world = worldWith({ root: { forbid: ['anyone'] }, cellar: true })
    expect(await ask(world, 'dot', { being: 'bob', fallback: ['ancestor'] })).toEqual({
      answer: 'not-granted',
      by: 'do take: ancestor',
      refusal: { of: 'standing', verb: 'do', key: 'take', standings: ['ancestor'] },
    })
    world.write('$reality', [
      {
        reel: 'space:/',
        kind: 'quality:set',
        payload: { path: ['permissions'], value: { do: { '*': { forbid: ['anyone'] } } } },
      },
    ])
    const set = { key: 'set-space', fallback: ['owner', 'operator'] as RuleStanding[] }
    expect(await ask(world, 'operator', set)).toMatchObject({ answer: 'allowed' })
    expect(await ask(world, 'operator', { ...set, fromOutside: true })).toMatchObject({ answer: 'forbidden' })
    expect(await ask(world, 'cid', set)).toMatchObject({ answer: 'forbidden' })
  })
})

describe('what a space forbids', () => {
  it('is forbidden though the same rule, a closer space, or a more exact key permits it', async () => {
    for (const rules of [
      { cellar: { requires: ['anyone'], forbid: [{ role: 'judge' }] } },
      { house: { forbid: [{ role: 'judge' }] }, cellar: true },
      { root: { forbid: [{ role: 'judge' }] }, house: true },
    ] as const) {
      const world = worldWith(rules)
      expect(await ask(world, 'bob')).toMatchObject({
        answer: 'forbidden',
        by: expect.stringMatching(/^\/\S* permissions\.do\.take$/),
      })
      expect(await answers(world, ['dot', 'ann'])).toEqual(['allowed', 'allowed'])
    }
    const world = worldWith({ cellar: true })
    world.write('$reality', [
      {
        reel: 'space:/house',
        kind: 'quality:set',
        payload: { path: ['permissions', 'do'], value: { '*': { forbid: [{ role: 'clerk' }] }, take: true } },
      },
    ])
    expect(await ask(world, 'dot')).toEqual({
      answer: 'forbidden',
      by: '/house permissions.do.*',
      refusal: {
        of: 'rule',
        by: '/house permissions.do.*',
        says: 'forbids',
        standing: 'role clerk',
        actor: 'dot',
      },
    })
  })

  it('permits nobody by itself: other rules and the fallback still decide', async () => {
    const world = worldWith({ cellar: { forbid: [{ role: 'judge' }] } })
    expect((await ask(world, 'cid', { fallback: ['owner'] })).by).toBe('do take: owner')
    expect((await ask(world, 'ann', { fallback: ['owner'] })).answer).toBe('not-granted')
  })

  it('is forbidden to all offspring of the forbidden being, whatever their home and role', async () => {
    const role = worldWith({ cellar: { requires: ['anyone'], forbid: [{ role: 'clerk' }] } })
    expect(await answers(role, ['dot', 'dot-kid', 'ann-kid', 'operator'])).toEqual([
      'forbidden',
      'forbidden',
      'allowed',
      'allowed',
    ])
    const home = worldWith({ house: { requires: ['anyone'], forbid: ['home', 'contributor'] } })
    expect(await answers(home, ['bob-kid', 'ann-kid', 'dot', 'dot-kid', 'ann'])).toEqual([
      'forbidden',
      'forbidden',
      'forbidden',
      'forbidden',
      'allowed',
    ])
  })

  it('may be forbidden to everyone, including the owner and the operator', async () => {
    const world = worldWith({ cellar: { forbid: ['anyone'] } })
    expect(await answers(world, ['cid', 'operator'])).toEqual(['forbidden', 'forbidden'])
  })
})

it('makers of a being and their makers are its ancestors; siblings are not', async () => {
  const world = worldWith({})
  const elders = ['operator', 'bob', 'bob-kid', 'dot'].map((name) =>
    isAncestor(world.reader(), name, 'bob-kid'),
  )
  expect(await Promise.all(elders)).toEqual([true, true, false, false])
})

describe('whether a being is within reach', () => {
  const BEINGS = ['operator', 'ann', 'bob', 'dot', 'dot-kid', 'bob-kid']

  it.each(STANDINGS)('of who needs to be %s, is what the gate answers', async (standing) => {
    const world = worldWith({ root: { forbid: ['anyone'] } })
    for (const actor of BEINGS)
      for (const being of BEINGS)
        for (const isRead of [true, false]) {
          const reader = world.reader()
          if (isRead) await reader.everyBeing()
          const target = { kind: 'being', being: world.being(being) } as const
          const call = { key: 'take', target, fallback: [standing] }
          const { allowed } = await askRuleGate(world.reader(), world.being(actor), 'do', call)
          expect({ actor, being, is: await isWithinReach(reader, world.being(actor), 'do', call) }).toEqual({
            actor,
            being,
            is: allowed,
          })
        }
  })
})
