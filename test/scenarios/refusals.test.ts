import { act, moments, see, summon } from '@treeos/client'
import type { Json, JsonObject } from '@treeos/core'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  createSpace,
  doAs,
  expectRefused,
  groundOf,
  live,
  momentOf,
  play,
  publish,
  rowOf,
  setFlow,
  setRole,
  tell,
  wakesOf,
  wakeUp,
} from '../support/life.ts'
import { stage } from '../support/puppet.ts'
import { expectReplays, expectUnbroken } from '../support/replaying.ts'
import { useWorld } from '../support/use-world.ts'

const ANY = [{ pattern: '*' }]
const HALF = '\ud83d' // the first half of a character
const world = useWorld({ extensions: [stage] })
beforeAll(async () => {
  await puppet('subject')
})

const puppet = (name: string, more = {}) =>
  world.birth({ name, cognition: 'scripted', script: 'stage:puppet', role: 'stage:free', ...more })

const refused = (run: () => Promise<unknown>, code: string, says: string | RegExp) =>
  expectRefused(world, run, code, says)

describe('a live write of a role', () => {
  it.each([
    [{ name: 'guard', temper: 'calm' }, 'INVALID_INPUT', 'role field temper is no field of a role'],
    [{ name: 'guard', cognition: 'llm' }, 'INVALID_INPUT', 'role field cognition is no field of a role'],
    [
      { name: 'guard', requiredCognition: 'dog' },
      'INVALID_INPUT',
      'requiredCognition is one of llm, human, scripted',
    ],
    [{ name: 'guard', canDo: 'move' }, 'INVALID_INPUT', 'role field canDo is an array'],
    [{ name: 'guard', canDo: [{ any: 1 }] }, 'INVALID_INPUT', 'role field canDo[0]'],
    [{ name: 'guard', prompt: { function: 'stage@1.0.0' } }, 'INVALID_INPUT', 'role.prompt'],
    [{ prompt: 'x' }, 'INVALID_INPUT', 'role field name is missing'],
    [{ name: 'stage:free', prompt: 'x' }, 'RESOURCE_CONFLICT', 'stage:free belongs to stage'],
    [{ name: 'resident', prompt: 'x' }, 'RESOURCE_CONFLICT', 'resident belongs to seed'],
    [{ name: 'guard', prompt: 'x'.repeat(40_000) }, 'PAYLOAD_TOO_LARGE', 'at most 32768 bytes'],
  ])('F1 refuses %j', async (role, code, says) => {
    await refused(() => setRole(world, role as JsonObject), code, says)
  })

  it.each(['Guard', 'night guard', 'a:b:c', 'wächter', '', '-x', 'x'.repeat(65), ':x', '__proto__'])(
    'F2 refuses the name %j',
    async (name) => {
      await refused(() => setRole(world, { name, prompt: '' }), 'INVALID_INPUT', 'kebab-case')
    },
  )
})

describe('a live write of a flow', () => {
  const proto = JSON.parse('{"__proto__": {"x": 1}}')
  it.each([
    [
      [{ when: { verb: { like: 'do' } }, role: 'resident' }],
      /\[0\]\.when\.verb\.like: unknown operator "like"/,
    ],
    [[{ when: { 'time.hour': { gte: '9' } }, role: 'resident' }], /\[0\]\.when\["time\.hour"\]\.gte/],
    [
      [{ when: { weather: 'fine' }, role: 'resident' }],
      /\[0\]\.when\.weather: no path begins with "weather"/,
    ],
    [[{ when: { or: { verb: 'do' } }, role: 'resident' }], /\[0\]\.when\.or: or takes an array/],
    [[{ role: 'resident' }, { role: 'resident', unless: {} }], /\[1\]\.unless: unknown field/],
    [[{ when: { verb: { in: 'do' } }, role: 'resident' }], /\[0\]\.when\.verb\.in/],
    [[{ stack: 'yes', role: 'resident' }], /\[0\]\.stack: stack is true or false/],
    [[{ when: { verb: 'do' } }], /\[0\]\.role/],
    [[{ when: proto, role: 'resident' }], /__proto__/],
    [{ role: 'resident' }, /a flow is an array of clauses/],
  ])('F26 F28 refuses %j with the path of the fault', async (flow, says) => {
    await refused(() => setFlow(world, 'subject', flow as never), 'INVALID_INPUT', says)
    await refused(
      () => world.birth({ name: 'stillborn', cognition: 'llm', roleFlow: flow as never }),
      'INVALID_INPUT',
      says,
    )
    expect((await rowOf(world, 'subject')).qualities).toEqual({})
  })

  it('F24 F25 takes equality and ranges: a missing path equals nothing, and no range holds of a text', async () => {
    await setFlow(world, 'subject', [
      { stack: true, when: { 'me.quality.load.kg': { gte: 1, lt: 3 } }, role: 'stage:mode-1' },
      { stack: true, when: { 'me.quality.load.kg': 2 }, role: 'stage:mode-2' },
    ])
    const stackedAt = async (value: Json) => {
      await doAs(world, 'set-being', '@subject', { field: 'load.kg', value })
      return (await live(world, 'subject', 'look')).stacked
    }
    expect((await live(world, 'subject', 'look')).stacked).toEqual([])
    expect(await stackedAt(1)).toEqual(['stage:mode-1'])
    expect(await stackedAt(2)).toEqual(['stage:mode-1', 'stage:mode-2'])
    expect(await stackedAt(3)).toEqual([])
    expect(await stackedAt('2')).toEqual([])
    expect(await stackedAt(null)).toEqual([])
  })

  it('F27 takes what is well formed, to any depth that is allowed', async () => {
    let when: JsonObject = { verb: 'summon' }
    for (let depth = 0; depth < 15; depth++) when = { and: [when, { not: { or: [] } }] }
    await setFlow(world, 'subject', [{ when, role: 'stage:mute' }])
    expect(await live(world, 'subject', 'look')).toMatchObject({ primary: 'stage:mute' })
    for (let depth = 0; depth < 20; depth++) when = { and: [when] }
    await refused(
      () => setFlow(world, 'subject', [{ when, role: 'stage:mute' }]),
      'INVALID_INPUT',
      'conditions nest deeper than 32',
    )
    await setFlow(world, 'subject', [])
  })

  it('refuses a role that is not registered', async () => {
    await refused(() => setFlow(world, 'subject', [{ role: 'ghost' }]), 'ROLE_UNAVAILABLE', '"ghost"')
    await refused(
      () => world.birth({ name: 'stillborn', cognition: 'llm', role: 'ghost' }),
      'ROLE_UNAVAILABLE',
      '"ghost"',
    )
  })
})

describe('names, addresses and words', () => {
  it('F93 any being is summoned by its stance; an unknown one is not found, by name', async () => {
    await refused(() => tell(world, 'nobody', 'hi'), 'BEING_NOT_FOUND', '@nobody')
    await refused(() => see(world, 'operator', '@nobody'), 'BEING_NOT_FOUND', '@nobody')
    await refused(() => see(world, 'operator', '/nowhere'), 'SPACE_NOT_FOUND', '/nowhere')
    await refused(() => see(world, 'nobody', '/'), 'BEING_NOT_FOUND', '@nobody')
    await refused(() => see(world, 'operator', 'a//b'), 'ADDRESS_PARSE_ERROR', 'a//b')
    await refused(
      () => act(world, 'operator', { verb: 'summon', target: 'library', content: 'x', inReplyTo: null }),
      'ADDRESS_PARSE_ERROR',
      'library',
    )
    await refused(() => tell(world, 'UPPER', 'hi'), 'ADDRESS_PARSE_ERROR', 'UPPER')
    for (const target of ['@subject', '/@subject', 'library/@subject']) {
      await act(world, 'operator', { verb: 'summon', target, content: 'x', inReplyTo: null })
    }
  })

  it.each([
    ['a lone surrogate', `a${HALF}b`, 'INVALID_INPUT', 'lone surrogate'],
    ['a NUL', 'a\0b', 'INVALID_INPUT', 'NUL'],
    ['2 MB', 'x'.repeat(2_000_000), 'PAYLOAD_TOO_LARGE', '2000002 bytes, at most 65536'],
    ['no words', '', 'INVALID_INPUT', 'content'],
    ['nothing', null, 'INVALID_INPUT', 'content'],
    ['a deep nest', JSON.parse('['.repeat(200) + ']'.repeat(200)), 'INVALID_INPUT', 'nested deeper'],
    ['__proto__', JSON.parse('{"__proto__": 1}'), 'INVALID_INPUT', '__proto__'],
    ['not a number', Number.NaN, 'INVALID_INPUT', 'NaN'],
    ['a date', new Date(0) as never, 'INVALID_INPUT', 'plain'],
  ])('a summon cannot say %s', async (_, content, code, says) => {
    await refused(
      () => summon(world, { target: 'subject', content, as: 'operator', waitSeconds: null }),
      code,
      says,
    )
  })

  it('what is just small enough is said whole', async () => {
    const content = 'ä'.repeat(32_000)
    const { reply } = await summon(world, { target: 'echo', content, as: 'operator', waitSeconds: 10 })
    expect(reply?.content).toBe(content)
  })

  it.each([
    [{ field: 'a.__proto__', value: 1 }, 'INVALID_INPUT', '__proto__'],
    [{ field: '__proto__.a', value: 1 }, 'INVALID_INPUT', '__proto__'],
    [{ field: 'constructor', value: JSON.parse('{"prototype": 1}') }, 'INVALID_INPUT', 'prototype'],
    [{ field: 'a', value: JSON.parse('{"__proto__": {"x": 1}}') }, 'INVALID_INPUT', '__proto__'],
    [{ field: 'Upper.case', value: 1 }, 'INVALID_INPUT', 'Upper.case'],
    [{ field: 'a.b.c.d.e.f.g.h.i', value: 1 }, 'INVALID_INPUT', 'at most 8'],
    [{ field: 'a.b' }, 'INVALID_INPUT', 'value is missing'],
    [{ value: 1 }, 'INVALID_INPUT', 'field is missing'],
    [{ field: 'a.b', value: 1, extra: 1 }, 'INVALID_INPUT', 'extra'],
    [{ field: 'a.b', value: 'x'.repeat(66_000) }, 'PAYLOAD_TOO_LARGE', 'at most 65536'],
  ])('a quality cannot be set by %j', async (args, code, says) => {
    await refused(() => doAs(world, 'set-being', '@subject', args as JsonObject), code, says)
    expect(({} as { x?: number }).x).toBeUndefined()
  })

  it('a quality that no argument can carry in one piece is refused by its sum', async () => {
    await puppet('hoarder')
    await doAs(world, 'set-being', '@hoarder', { field: 'a.one', value: 'x'.repeat(40_000) })
    await refused(
      () => doAs(world, 'set-being', '@hoarder', { field: 'a.two', value: 'x'.repeat(40_000) }),
      'PAYLOAD_TOO_LARGE',
      'at most 65536 are kept',
    )
  })

  it('unknown actions, operations, verbs, roles and targets are named', async () => {
    await refused(() => doAs(world, 'operate-lathe', '/', {}), 'ACTION_NOT_SUPPORTED', '"operate-lathe"')
    await refused(() => doAs(world, '__proto__', '/', {}), 'ACTION_NOT_SUPPORTED', '"__proto__"')
    await refused(
      () => act(world, 'operator', { verb: 'be', operation: 'reborn', payload: {} }),
      'ACTION_NOT_SUPPORTED',
      'there is birth',
    )
    await refused(() => doAs(world, 'move', '@subject', {}), 'INVALID_TYPE', 'move takes a space')
    await refused(
      () => doAs(world, 'set-being', '/', { field: 'a.b', value: 1 }),
      'INVALID_TYPE',
      'takes a being',
    )
    await refused(() => doAs(world, 'delete-role', '/', { name: 'ghost' }), 'ROLE_UNAVAILABLE', 'ghost')
    await refused(() => doAs(world, 'delete-role', '/', { name: 'resident' }), 'FORBIDDEN', 'seed')
    await refused(() => createSpace(world, '/a/b'), 'SPACE_NOT_FOUND', '/a')
    await refused(() => createSpace(world, '/library'), 'RESOURCE_CONFLICT', '/library')
    await refused(() => publish(world, 'no.NO', 1), 'INVALID_INPUT', 'NO')
    const dance = { verb: 'dance' } as never
    await refused(() => act(world, 'operator', dance), 'VERB_NOT_SUPPORTED', '"dance"')
    expect((await moments(world.db, 'operator', 1))[0]).toMatchObject({
      outcome: 'failure',
      reason: 'VERB_NOT_SUPPORTED',
    })
  })

  it('F92 see writes nothing, seen or refused', async () => {
    const before = await groundOf(world)
    const lived = (await moments(world.db, 'operator')).length
    for (const address of ['/', '/library', '@librarian', '~', 'library/@echo']) {
      expect(await see(world, 'operator', address)).toHaveProperty('qualities')
    }
    await expect(see(world, 'librarian', '/')).rejects.toMatchObject({ code: 'FORBIDDEN' })
    expect(await groundOf(world)).toEqual(before)
    expect((await moments(world.db, 'operator')).length).toBe(lived)
  })
})

describe('what no one can widen', () => {
  /** May do every operation, but speak to its asker alone. */
  const keeper = {
    name: 'keeper',
    canSee: ['~'],
    canDo: [
      'set-role',
      'set-roleflow',
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
  const perform = (action: string, target: string, args: JsonObject) =>
    play(world, 'schemer', { verb: 'do', action, target, args })
  const birth = (payload: JsonObject) => play(world, 'schemer', { verb: 'be', operation: 'birth', payload })

  beforeAll(async () => {
    await setRole(world, keeper)
    await puppet('schemer', { role: 'keeper' })
    await puppet('victim')
  })

  it.each<[string, string, JsonObject]>([
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
    ['set-being', '@victim', { field: 'mood.tone', value: 'sad' }],
    ['set-being', '@operator', { field: 'mood.tone', value: 'sad' }],
    ['set-space', '/', { field: 'permissions', value: { do: { '*': true } } }],
    ['set-space', '/library', { field: 'ambient.tone', value: 'loud' }],
    ['create-space', '/', { path: '/mine' }],
    ['set-world-signal', '/', { namespace: 'court', key: 'in-session', value: true }],
  ])(
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
    expect(await play(world, 'schemer', { verb: 'do', action: 'move', target: '/library' })).toMatchObject({
      outcome: 'failure',
      reason: 'FORBIDDEN',
      primary: 'keeper',
      stacked: [],
    })
    expect((await rowOf(world, 'schemer')).qualities).not.toHaveProperty('roleFlow')
    expect((await rowOf(world, 'schemer')).ceiling).toBeNull()
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
    // Its maker may edit it, it may not edit its maker, and neither comes by more.
    expect(await perform('set-roleflow', '@imp', { flow: [{ role: 'stage:free' }] })).toMatchObject({
      reason: 'FORBIDDEN',
    })
    expect(await perform('set-roleflow', '@imp', { flow: [{ role: 'keeper' }] })).toMatchObject({
      outcome: 'act',
    })
    const up = { verb: 'do', action: 'set-roleflow', target: '@schemer', args: { flow: [] } }
    expect(await play(world, 'imp', up)).toMatchObject({ reason: 'FORBIDDEN' })
  })

  it('a role that a being authors within its reach it may change, and its makers may; another may not', async () => {
    const role = { name: 'narrow', canDo: ['set-being'], prompt: 'less' }
    expect(await perform('set-role', '/', { role })).toMatchObject({ outcome: 'act' })
    const call = { verb: 'do', action: 'set-role', target: '/', args: { role: { ...role, prompt: 'mine' } } }
    expect(await play(world, 'victim', call)).toMatchObject({
      reason: 'FORBIDDEN',
      message: expect.stringContaining('written by @schemer'),
    })
    await setRole(world, { ...role, prompt: 'by the operator, who made its author' })
  })

  it('a ceiling up the birth chain cuts the child of a child', async () => {
    await puppet('lord', {
      ceiling: { canDo: ['move', 'set-being'], canBe: ['birth'], canSummon: ANY, canSee: [] },
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
      play(world, 'lord', { verb: 'be', operation: 'birth', payload: { ...born, role } })
    expect(await beget('stage:free')).toMatchObject({ outcome: 'failure', reason: 'FORBIDDEN' })
    expect(await beget('vassal')).toMatchObject({ outcome: 'act' })
    await setFlow(world, 'page', [{ role: 'stage:free' }]) // the operator may; the lord's ceiling holds all the same
    const attempt = (action: string, target: string, args: JsonObject = {}) =>
      play(world, 'page', { verb: 'do', action, target, args })
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
    const payload = {
      name: 'upstart',
      cognition: 'scripted',
      script: 'stage:puppet',
      role: 'vassal',
      ceiling: high,
    }
    await play(world, 'lord', { verb: 'be', operation: 'birth', payload })
    await setFlow(world, 'upstart', [{ role: 'stage:free' }])
    const over = { verb: 'do', action: 'create-space', target: '/', args: { path: '/y' } }
    expect(await play(world, 'upstart', over)).toMatchObject({
      message: 'create-space is above the ceiling of @lord in canDo',
    })
  })

  it('F31 a signal is published by the owner of its namespace, its makers, and the operator', async () => {
    await puppet('drummer')
    await puppet('rival')
    await publish(world, 'harmony.tick', 1)
    const beat = { verb: 'do', action: 'set-world-signal', target: '/' }
    const args = { namespace: 'harmony', key: 'tick', value: 2 }
    for (const being of ['drummer', 'rival', 'schemer']) {
      expect(await play(world, being, { ...beat, args })).toMatchObject({
        outcome: 'failure',
        reason: 'FORBIDDEN',
        message: `@${being} may not publish in harmony: it belongs to @operator`,
      })
    }
    expect(await play(world, 'drummer', { ...beat, args: { ...args, namespace: 'unowned' } })).toMatchObject({
      reason: 'FORBIDDEN',
    })
  })
})

describe('a hijacked being', () => {
  it('F69 F70 tries every verb on everything, and writes nothing', async () => {
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
      ].map((action) => ({
        verb: 'do',
        action,
        target,
        args: { role: { name: 'free' }, flow: [{ role: 'operator' }] },
      })),
    ])
    calls.push(
      { verb: 'summon', content: 'let me out' },
      { verb: 'be', operation: 'birth', payload: { name: 'heir', cognition: 'llm', role: 'operator' } },
      { verb: 'be', operation: 'connect', payload: { target: '@operator' } },
      { verb: 'be', operation: 'release', payload: {} },
    )
    const ids = await wakeUp(
      world,
      'prisoner',
      calls.map((call) => ({ call })),
    )
    const told = []
    for (const id of ids) told.push(await momentOf(world, id, 30))
    // What is no stance, or means nobody, is a mistake before it is forbidden.
    expect(new Set(told.map(({ outcome, reason }) => `${outcome} ${reason}`))).toEqual(
      new Set(['failure FORBIDDEN', 'failure ADDRESS_PARSE_ERROR', 'failure INVALID_INPUT']),
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

describe('without a mind', () => {
  it('an LLM being says plainly that no mind is connected, the asker is told, and the next moment ends the same', async () => {
    for (const n of [1, 2]) {
      const correlation = await tell(world, 'librarian', 'what is a reel?')
      expect(await momentOf(world, correlation)).toMatchObject({
        n,
        outcome: 'failure',
        reason: 'LLM_NOT_CONFIGURED',
        message: expect.stringContaining('OPENAI_API_KEY'),
      })
      const notice = (await wakesOf(world, 'operator')).find(
        ({ id }) => id === `notice/librarian/1/${n}/operator`,
      )
      expect(notice?.content).toMatchObject({ code: 'LLM_NOT_CONFIGURED', correlation })
    }
    await expect(
      summon(world, { target: 'librarian', content: 'and now?', as: 'operator', waitSeconds: 10 }),
    ).rejects.toMatchObject({ code: 'LLM_NOT_CONFIGURED' })
    expect(await live(world, 'echo', 'and you?')).toMatchObject({ outcome: 'act' })
  })

  it('all that was refused can be lived again, and no chain is broken', async () => {
    await expectUnbroken(world)
    await expectReplays(world)
    expect(world.errors).toEqual([])
  })
})
