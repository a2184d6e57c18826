import type { JsonObject } from '@treeos/core'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  expectRefused,
  groundOf,
  momentOf,
  play,
  publish,
  rowOf,
  setFlow,
  setRole,
  wakeUp,
} from '../../support/life.ts'
import { drawn } from '../../support/night.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import { useWorld } from '../../support/use-world.ts'

const ANY = [{ pattern: '*' }]
const world = useWorld({ extensions: [stage] })

const puppet = (name: string, more = {}) => world.birthPuppet(name, more)

const refused = (run: () => Promise<unknown>, code: string, says: string | RegExp) =>
  expectRefused(world, run, code, says)

describe('a being cannot widen its reach', () => {
  /** May do every operation, but speak to its asker alone. */
  const keeper = {
    name: 'keeper',
    canSee: ['~'],
    canDo: [
      'set-role',
      'set-roleflow',
      'set-default-role',
      'delete-role',
      'set-being',
      'set-space',
      'set-world-signal',
      'create-space',
    ],
    canSummon: [{ rel: 'asker' }],
    canBe: ['birth'],
    prompt: '',
  }
  const perform = (operation: string, target: string, args: JsonObject) =>
    play(world, 'schemer', { verb: 'do', operation, target, args })
  const birth = (args: JsonObject) => play(world, 'schemer', { verb: 'be', operation: 'birth', args })

  beforeAll(async () => {
    await setRole(world, keeper)
    await puppet('schemer', { role: 'keeper' })
    await puppet('victim')
    await publish(world, 'court.in-session', false) // so the namespace is the operator's
  })

  it.each(
    drawn<[string, string, JsonObject]>([
      ['set-role', '/', { role: { name: 'wide', canSummon: ANY, prompt: '' } }],
      ['set-role', '/', { role: { name: 'wide', canDo: ['move'], prompt: '' } }],
      ['set-role', '/', { role: { name: 'wide', canDo: [{ pattern: 'set-*' }], prompt: '' } }],
      ['set-role', '/', { role: { name: 'wide', canSummon: ['@operator'], prompt: '' } }],
      ['set-role', '/', { role: { name: 'keeper', prompt: 'mine now' } }],
      ['delete-role', '/', { name: 'keeper' }],
      ['set-roleflow', '@schemer', { flow: [{ role: 'operator' }] }],
      ['set-roleflow', '@schemer', { flow: [{ stack: true, role: 'stage:free' }] }],
      ['set-roleflow', '@victim', { flow: [] }],
      ['set-roleflow', '@operator', { flow: [{ role: 'stage:mute' }] }],
      ['set-default-role', '@schemer', { role: 'resident' }], // rules ask for default roles
      ['set-default-role', '@victim', { role: 'keeper' }],
      ['set-being', '@victim', { field: 'mood.tone', value: 'sad' }],
      ['set-being', '@operator', { field: 'mood.tone', value: 'sad' }],
      ['set-space', '/', { field: 'permissions', value: { do: { '*': true } } }],
      ['set-space', '/library', { field: 'ambient.tone', value: 'loud' }],
      ['create-space', '/', { path: '/mine' }],
      ['set-world-signal', '/', { namespace: 'court', key: 'in-session', value: true }],
    ]),
  )(
    'a being that may %s %s by its lists is FORBIDDEN what is beyond its reach or standing',
    async (action, target, args) => {
      const before = (await groundOf(world)) as { heads: { reel: string }[] }
      const moment = await perform(action, target, args)
      expect(moment).toMatchObject({ outcome: 'failure', reason: 'FORBIDDEN' })
      const after = (await groundOf(world)) as typeof before
      const others = ({ heads }: typeof before) => heads.filter(({ reel }) => reel !== 'being:operator')
      expect(others(after)).toEqual(others(before)) // the operator spoke; nobody else did anything
    },
  )

  it('no quality stands for a flow, a role or a ceiling', async () => {
    for (const field of ['roleFlow', 'roleFlow.a', 'ceiling', 'permissions']) {
      await perform('set-being', '@schemer', { field, value: [{ role: 'stage:free' }] as never })
    }
    expect(await play(world, 'schemer', { verb: 'do', operation: 'move', target: '/library' })).toMatchObject(
      {
        outcome: 'failure',
        reason: 'FORBIDDEN',
        primary: 'keeper',
        stacked: [],
      },
    )
    expect((await rowOf(world, 'schemer')).qualities).not.toHaveProperty('roleFlow')
    expect((await rowOf(world, 'schemer')).ceiling).toBeNull()
  })

  it('a maker gives its child no default role beyond its own reach', async () => {
    await birth({ name: 'heir', cognition: 'scripted', script: 'stage:puppet', role: 'keeper' })
    for (const role of ['stage:free', 'operator'])
      expect(await perform('set-default-role', '@heir', { role })).toMatchObject({ reason: 'FORBIDDEN' })
    expect((await rowOf(world, 'heir')).defaultRole).toBe('keeper')
  })

  it('a child can be no more than its maker', async () => {
    const payloads: JsonObject[] = [
      { name: 'imp', cognition: 'scripted', script: 'stage:puppet', role: 'stage:free' },
      { name: 'imp', cognition: 'scripted', script: 'stage:puppet', role: 'operator' },
      { name: 'imp', cognition: 'llm', role: 'keeper', roleFlow: [{ role: 'stage:free', stack: true }] },
    ]
    for (const payload of payloads) {
      expect(await birth(payload)).toMatchObject({ outcome: 'failure', reason: 'FORBIDDEN' })
    }
    expect(
      await birth({ name: 'imp', cognition: 'scripted', script: 'stage:puppet', role: 'keeper' }),
    ).toMatchObject({
      outcome: 'act',
    })
    expect(await rowOf(world, 'imp')).toMatchObject({ parent: 'schemer' })
    // Its maker may edit it, it may not edit its maker, and neither gains reach.
    expect(await perform('set-roleflow', '@imp', { flow: [{ role: 'stage:free' }] })).toMatchObject({
      reason: 'FORBIDDEN',
    })
    expect(await perform('set-roleflow', '@imp', { flow: [{ role: 'keeper' }] })).toMatchObject({
      outcome: 'act',
    })
    const up = { verb: 'do', operation: 'set-roleflow', target: '@schemer', args: { flow: [] } }
    expect(await play(world, 'imp', up)).toMatchObject({ reason: 'FORBIDDEN' })
  })

  it('a role that a being authors within its reach it may change, and its makers may; another may not', async () => {
    const role = { name: 'narrow', canDo: ['set-being'], prompt: 'less' }
    expect(await perform('set-role', '/', { role })).toMatchObject({ outcome: 'act' })
    const call = {
      verb: 'do',
      operation: 'set-role',
      target: '/',
      args: { role: { ...role, prompt: 'mine' } },
    }
    expect(await play(world, 'victim', call)).toMatchObject({
      reason: 'FORBIDDEN',
      message: expect.stringContaining('written by @schemer'),
    })
    await setRole(world, { ...role, prompt: 'by the operator, who made its author' })
  })

  it('a ceiling up the birth chain cuts the child of a child', async () => {
    await puppet('lord', {
      ceiling: { canDo: ['move', 'set-being'], canBe: ['birth'], canSummon: ANY, canSee: ['/library'] },
    })
    await setRole(world, {
      name: 'vassal',
      canDo: ['move', 'set-being'],
      canBe: ['birth'],
      canSummon: ANY,
      prompt: '',
    })
    const born = { name: 'page', cognition: 'scripted', script: 'stage:puppet', role: 'vassal' }
    const beget = (role: string) =>
      play(world, 'lord', { verb: 'be', operation: 'birth', args: { ...born, role } })
    expect(await beget('stage:free')).toMatchObject({ outcome: 'failure', reason: 'FORBIDDEN' })
    expect(await beget('vassal')).toMatchObject({ outcome: 'act' })
    // the operator may; the lord's ceiling holds all the same
    await setFlow(world, 'page', [{ role: 'stage:free' }])
    const attempt = (operation: string, target: string, args: JsonObject = {}) =>
      play(world, 'page', { verb: 'do', operation, target, args })
    expect(await attempt('create-space', '/', { path: '/x' })).toMatchObject({
      reason: 'FORBIDDEN',
      message: 'create-space is above the ceiling of @lord in canDo',
    })
    expect(await attempt('move', '/library')).toMatchObject({ outcome: 'act' })
  })

  it('a ceiling holds literals and patterns only, and none above its maker is of any use', async () => {
    await refused(
      () => puppet('relative', { ceiling: { canSummon: [{ rel: 'asker' }] } }),
      'INVALID_INPUT',
      'literals and patterns',
    )
    const high = { canSee: ANY, canDo: ANY, canSummon: ANY, canBe: ANY }
    const args = {
      name: 'upstart',
      cognition: 'scripted',
      script: 'stage:puppet',
      role: 'vassal',
      ceiling: high,
    }
    await play(world, 'lord', { verb: 'be', operation: 'birth', args })
    await setFlow(world, 'upstart', [{ role: 'stage:free' }])
    const over = { verb: 'do', operation: 'create-space', target: '/', args: { path: '/y' } }
    expect(await play(world, 'upstart', over)).toMatchObject({
      message: 'create-space is above the ceiling of @lord in canDo',
    })
  })

  it('a signal is published by the owner of its namespace, its makers, the operator, and nobody else', async () => {
    await puppet('drummer')
    await puppet('rival')
    await publish(world, 'harmony.tick', 1)
    const beat = { verb: 'do', operation: 'set-world-signal', target: '/' }
    const args = { namespace: 'harmony', key: 'tick', value: 2 }
    for (const being of ['drummer', 'rival', 'schemer']) {
      expect(await play(world, being, { ...beat, args })).toMatchObject({
        outcome: 'failure',
        reason: 'FORBIDDEN',
        message: `@${being} may not publish in harmony: it belongs to @operator, who may grant it to others`,
      })
    }
  })
})

describe('a hijacked being', () => {
  it('tries every verb on everything, and writes nothing', async () => {
    await setRole(world, { name: 'caged', prompt: '' })
    await puppet('prisoner', { role: 'caged' })
    const targets = ['/', '/library', '@operator', '@librarian', '@prisoner', '~']
    const calls = targets.flatMap((target): JsonObject[] => [
      { verb: 'see', address: target },
      { verb: 'summon', target, content: 'let me out' },
      ...[
        'create-space',
        'set-space',
        'set-being',
        'set-roleflow',
        'move',
        'set-world-signal',
        'set-role',
        'delete-role',
      ].map((operation) => ({
        verb: 'do',
        operation,
        target,
        args: { role: { name: 'free' }, flow: [{ role: 'operator' }] },
      })),
    ])
    calls.push(
      { verb: 'summon', content: 'let me out' },
      { verb: 'be', operation: 'birth', args: { name: 'heir', cognition: 'llm', role: 'operator' } },
      { verb: 'be', operation: 'connect', args: { target: '@operator' } },
      { verb: 'be', operation: 'release', args: {} },
    )
    const ids = await wakeUp(
      world,
      'prisoner',
      calls.map((call) => ({ call })),
    )
    const told = []
    for (const id of ids) told.push(await momentOf(world, id, 30))
    const isOfItself = (i: number) => calls[i]?.verb === 'see' && calls[i]?.address === '@prisoner'
    // A malformed address, or one that names nobody, fails before the gates. It may see itself, as every
    // being.
    expect(
      told.flatMap(({ outcome, reason }, i) => (outcome === 'see' && !reason ? [isOfItself(i)] : [])),
    ).toEqual([true])
    const refused = told.filter((_, i) => !isOfItself(i))
    expect(new Set(refused.map(({ outcome, reason }) => `${outcome} ${reason}`))).toEqual(
      new Set(['see FORBIDDEN', 'failure FORBIDDEN', 'failure ADDRESS_PARSE_ERROR', 'failure INVALID_INPUT']),
    )
    const { facts } = await world.db
      .selectFrom('fact')
      .select(({ fn }) => fn.countAll<number>().as('facts'))
      .where('moment', 'like', 'prisoner/%')
      .executeTakeFirstOrThrow()
    expect(facts).toBe(0)
    const heard = await world.db.selectFrom('inbox').select('id').where('caller', '=', 'prisoner').execute()
    expect(heard).toEqual([])
  })
})

it('every refused moment replays, and no chain is broken', async () => {
  await expectUnbroken(world)
  await expectReplays(world)
  expect(world.errors).toEqual([])
})
