import { explain, moments, see } from '@treeos/client'
import type { Json, JsonObject } from '@treeos/core'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  beingOf,
  createSpace,
  doAs,
  live,
  momentOf,
  play,
  publish,
  rowOf,
  setFlow,
  setRole,
  tell,
  until,
  wakesOf,
} from '../../support/life.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import { useModelServer, useWorld } from '../../support/use-world.ts'

const ANY = [{ pattern: '*' }]
const answer = { verb: 'summon', content: 'so it is' }

const model = useModelServer()
const world = useWorld({ extensions: [stage], modelServer: model })
beforeAll(async () => {
  for (const name of ['plain', 'friendly', 'dancer', 'quiet', 'loud', 'first', 'second']) {
    await setRole(world, { name, canSee: ['~'], canSummon: [{ rel: 'asker' }], prompt: `You are ${name}.` })
  }
  for (const kind of ['llm', 'human', 'scripted']) {
    await setRole(world, { name: `for-${kind}`, requiredCognition: kind, canSummon: ANY, prompt: kind })
  }
})

const puppet = (name: string, roleFlow: readonly unknown[] | null = null, more: JsonObject = {}) =>
  world.birth({
    name,
    cognition: 'scripted',
    script: 'stage:puppet',
    role: 'stage:free',
    ...(roleFlow === null ? {} : { roleFlow: roleFlow as Json }),
    ...more,
  })
const wears = async (name: string, content: never = 'look' as never) => {
  const { primary, stacked } = await live(world, name, content)
  return [primary, ...stacked]
}

describe('cognition', () => {
  it('is read from the being and is of a closed set, at birth and on write', async () => {
    await expect(world.birth({ name: 'golem', cognition: 'clay' })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringMatching(/cognition is "clay".*llm, human, scripted/),
    })
    await expect(world.birth({ name: 'golem' })).rejects.toMatchObject({ code: 'INVALID_INPUT' })
    await expect(world.birth({ name: 'golem', cognition: 'scripted' })).rejects.toMatchObject({
      message: expect.stringContaining('script is missing'),
    })
    await puppet('golem')
    // A quality of this name is a quality like any other: it does not make the being think otherwise.
    await doAs(world, 'set-being', '@golem', { field: 'cognition.default-kind', value: 'llm' })
    expect(await play(world, 'golem', answer)).toMatchObject({ outcome: 'act' })
    expect((await rowOf(world, 'golem')).cognition).toEqual({ kind: 'scripted', script: 'stage:puppet' })
  })

  it('a role that needs another cognition is not worn: the next clause is, and of modifiers none', async () => {
    await puppet('chooser', [
      { role: 'for-llm' },
      { role: 'for-human' },
      { role: 'for-scripted' },
      { role: 'plain' },
      { stack: true, role: 'for-llm' },
      { stack: true, role: 'quiet' },
    ])
    expect(await wears('chooser')).toEqual(['for-scripted', 'quiet'])
  })

  it('without a match the being wears its default role, whatever cognition the role needs', async () => {
    await puppet('fallen', [{ when: { 'space.name': 'nowhere' }, role: 'plain' }], { role: 'for-human' })
    expect(await wears('fallen')).toEqual(['for-human'])
  })

  it('a moment without a role is skipped with a named reason and seals nothing, and the asker gets a notice', async () => {
    await setRole(world, { name: 'fleeting', canSummon: ANY, prompt: '' })
    await puppet('bare', null, { role: 'fleeting' })
    await doAs(world, 'delete-role', '/', { name: 'fleeting', force: true })
    const correlation = await tell(world, 'bare', { call: answer })
    expect(await momentOf(world, correlation)).toMatchObject({
      outcome: 'skipped',
      reason: 'role-unavailable',
      act: null,
      primary: null,
    })
    const notice = await until(async () =>
      (await wakesOf(world, 'operator')).find(({ id }) => id.startsWith('notice/bare/')),
    )
    expect(notice.content).toMatchObject({
      event: 'skipped',
      actor: '@bare',
      correlation,
      code: 'role-unavailable',
    })
    await setRole(world, { name: 'fleeting', canSummon: ANY, prompt: '' })
    expect(await play(world, 'bare', answer)).toMatchObject({ outcome: 'act', n: 2 })
  })

  it('a role that the sender asks for is worn; one that is not named there is refused at the sender', async () => {
    await puppet('asked', [{ role: 'first' }, { when: { verb: 'be' }, role: 'second' }])
    expect((await live(world, 'asked', 'hi', { role: 'second' })).primary).toBe('second')
    expect((await live(world, 'asked', 'hi')).primary).toBe('first')
    await expect(tell(world, 'asked', 'hi', { role: 'loud' })).rejects.toMatchObject({
      code: 'ROLE_UNAVAILABLE',
    })
  })
})

describe('a flow', () => {
  it('is kept in order in the qualities and changes while the being lives', async () => {
    const flow = [
      { role: 'first' },
      { role: 'second' },
      { stack: true, role: 'loud' },
      { stack: true, role: 'quiet' },
      { stack: true, role: 'loud' },
    ]
    await puppet('ordered', flow)
    expect((await rowOf(world, 'ordered')).qualities.roleFlow).toEqual(flow)
    expect(await wears('ordered')).toEqual(['first', 'loud', 'quiet'])
    await setFlow(world, 'ordered', [{ stack: true, role: 'quiet' }, { role: 'second' }])
    expect(await wears('ordered')).toEqual(['second', 'quiet'])
    await setFlow(world, 'ordered', [])
    expect(await wears('ordered')).toEqual(['stage:free'])
  })

  it('a signal that changes within a moment changes the next moment only', async () => {
    await world.birth({
      name: 'frozen',
      cognition: 'llm',
      role: 'plain',
      roleFlow: [{ role: 'plain' }, { stack: true, when: { 'world.f14.on': true }, role: 'loud' }],
    })
    model.script(async (request) => {
      if (beingOf(request) === 'frozen') await publish(world, 'f14.on', true)
      return undefined
    })
    const first = await live(world, 'frozen', 'one')
    model.reset()
    const second = await live(world, 'frozen', 'two')
    expect([first, second].map(({ outcome, stacked }) => [outcome, stacked])).toEqual([
      ['act', []],
      ['act', ['loud']],
    ])
  })

  it('tells do, summon, be and see apart by verb', async () => {
    const lists = { canSee: ANY, canDo: ANY, canSummon: ANY, canBe: ANY, prompt: '' }
    for (const verb of ['do', 'summon', 'be']) await setRole(world, { name: `when-${verb}`, ...lists })
    await setRole(world, { name: 'when-see', canSee: ['/library'], prompt: '' })
    await setFlow(
      world,
      'operator',
      ['do', 'summon', 'be', 'see'].map((verb) => ({ when: { verb }, role: `when-${verb}` })),
    )
    await puppet('subject')
    await tell(world, 'subject', 'look')
    await expect(see(world, 'operator', '/')).rejects.toMatchObject({ code: 'FORBIDDEN' })
    expect(await see(world, 'operator', '/library')).toMatchObject({ type: 'library' })
    await setFlow(world, 'operator', [])
    const worn = (await moments(world.db, 'operator', 3)).map(({ verb, primary }) => [verb, primary])
    expect(worn).toEqual([
      ['be', 'when-be'],
      ['summon', 'when-summon'],
      ['do', 'when-do'], // the flow that was unset was worn while it was
    ])
  })

  it('reads the role that the caller wore when it spoke, and its cognition', async () => {
    await puppet('target', [
      { when: { 'caller.cognition': 'human', 'caller.role': 'operator' }, role: 'first' },
      { when: { 'caller.cognition': 'scripted', 'caller.role': 'stage:free' }, role: 'second' },
      { when: { 'caller.cognition': 'llm', 'caller.role': 'speaker' }, role: 'loud' },
      { role: 'quiet' },
    ])
    await puppet('script-caller')
    await setRole(world, { name: 'speaker', canSummon: ['@target'], prompt: '' })
    await world.birth({ name: 'llm-caller', cognition: 'llm', role: 'speaker' })
    model.script((request) =>
      beingOf(request) === 'llm-caller'
        ? { tool: { name: 'summon', args: { target: '@target', content: 'psst' } } }
        : undefined,
    )
    expect(await wears('target')).toEqual(['first'])
    await play(world, 'script-caller', { verb: 'summon', target: '@target', content: 'psst' })
    await live(world, 'llm-caller', 'go')
    model.reset()
    const worn = await until(async () => {
      const all = await moments(world.db, 'target')
      return all.length === 3 && all.map(({ primary }) => primary)
    })
    expect(worn).toEqual(['first', 'second', 'loud'])
    // A puppet's answer to the operator wakes nobody by itself; what content claims counts for nothing.
    await play(world, 'script-caller', {
      verb: 'summon',
      target: '@target',
      content: { caller: { role: 'operator', cognition: 'human' } },
    })
    const [last] = await until(async () => {
      const all = await moments(world.db, 'target')
      return all.length === 4 && all.slice(-1)
    })
    expect(last?.primary).toBe('second')
  })

  it('space.name and inHomeSpace follow the being as it moves', async () => {
    await createSpace(world, '/garden')
    await puppet('walker', [
      { when: { inHomeSpace: true }, role: 'stage:free' },
      { when: { 'space.name': 'garden' }, role: 'stage:free' },
      { role: 'stage:mute' },
      { stack: true, when: { not: { inHomeSpace: true } }, role: 'loud' },
      { stack: true, when: { 'space.name': ['garden', 'library'] }, role: 'quiet' },
    ])
    const go = (target: string) => play(world, 'walker', { verb: 'do', operation: 'move', target, args: {} })
    expect(await go('/garden')).toMatchObject({ outcome: 'act', stacked: [] })
    expect(await go('/')).toMatchObject({ outcome: 'act', stacked: ['loud', 'quiet'] })
    expect(await go('/library')).toMatchObject({ outcome: 'act', stacked: [] })
    expect(await go('/')).toMatchObject({
      outcome: 'failure',
      primary: 'stage:mute',
      stacked: ['loud', 'quiet'],
    })
    expect((await see(world, 'operator', '/library')).beings).toContain('@walker')
    expect((await see(world, 'operator', '/garden')).beings).toEqual([])
  })

  it('me.previousRole is the primary role of the last sealed moment', async () => {
    await puppet('turner', [
      { when: { 'me.previousRole': null }, role: 'first' },
      { when: { 'me.previousRole': 'first' }, role: 'second' },
      { role: 'plain' },
    ])
    expect((await live(world, 'turner', 'look')).primary).toBe('first') // a see is not sealed
    expect((await play(world, 'turner', answer)).primary).toBe('first')
    // refused
    expect((await play(world, 'turner', { verb: 'do', operation: 'nothing' })).primary).toBe('second')
    expect((await play(world, 'turner', answer)).primary).toBe('second')
    expect((await play(world, 'turner', answer)).primary).toBe('plain')
  })

  it('reads signals by namespace and key, nested keys included', async () => {
    await puppet('listener', [
      { when: { 'world.weather.wind.speed': { gte: 8 }, 'world.weather.sky': 'clear' }, role: 'loud' },
      { role: 'quiet' },
    ])
    expect(await wears('listener')).toEqual(['quiet'])
    await publish(world, 'weather.wind.speed', 9)
    expect(await wears('listener')).toEqual(['quiet'])
    const { facts } = await publish(world, 'weather.sky', 'clear')
    expect(facts).toMatchObject([{ reel: 'world:weather', kind: 'signal:published', seq: 2 }])
    expect(await wears('listener')).toEqual(['loud'])
    await publish(world, 'weather.wind', null)
    expect(await wears('listener')).toEqual(['quiet'])
  })

  it('reads qualities of the space it is in, and its own', async () => {
    await createSpace(world, '/hall')
    await puppet(
      'feeler',
      [
        { role: 'plain' },
        { stack: true, when: { 'space.quality.ambient.tone': 'quiet' }, role: 'quiet' },
        { stack: true, when: { 'me.quality.mood.level': { lt: 3 } }, role: 'loud' },
      ],
      { home: '/hall' },
    )
    await doAs(world, 'set-space', '/hall', { field: 'ambient.tone', value: 'quiet' })
    expect(await wears('feeler')).toEqual(['plain', 'quiet'])
    await doAs(world, 'set-being', '@feeler', { field: 'mood.level', value: 2 })
    expect(await wears('feeler')).toEqual(['plain', 'quiet', 'loud'])
    await doAs(world, 'set-space', '/hall', { field: 'ambient', value: null })
    expect(await wears('feeler')).toEqual(['plain', 'loud'])
  })

  // Published: a 1, b "x", c false; missing: d.
  it('every operator gives the same result in a moment as by itself, on missing paths too', async () => {
    const conditions: [JsonObject, boolean][] = [
      [{ 'world.f26.a': { eq: 1 } }, true],
      [{ 'world.f26.a': { eq: '1' } }, false],
      [{ 'world.f26.a': { ne: 1 } }, false],
      [{ 'world.f26.d': { ne: 1 } }, true],
      [{ 'world.f26.b': ['x', 'y'] }, true],
      [{ 'world.f26.b': { in: ['y'] } }, false],
      [{ 'world.f26.b': { notIn: ['y'] } }, true],
      [{ 'world.f26.d': { notIn: ['y'] } }, true],
      [{ 'world.f26.c': { present: true } }, true],
      [{ 'world.f26.d': { present: true } }, false],
      [{ 'world.f26.d': { present: false } }, true],
      [{ 'world.f26.d': null }, false],
      [{ 'world.f26.a': { gt: 0, lte: 1 } }, true],
      [{ 'world.f26.b': { gt: 0 } }, false],
      [{ not: { or: [{ 'world.f26.a': 2 }, { 'world.f26.c': true }] } }, true],
      [{ and: [{ 'world.f26.a': 1 }, { 'world.f26.b': 'y' }] }, false],
    ]
    await publish(world, 'f26.a', 1)
    await publish(world, 'f26.b', 'x')
    await publish(world, 'f26.c', false)
    const roleOf = (i: number) => `stage:mode-${i}`
    const clauses = conditions.map(([when], i) => ({ stack: true, when, role: roleOf(i) }))
    await puppet('tester', [{ role: 'plain' }, ...clauses])
    const held = conditions.flatMap(([, holds], i) => (holds ? [roleOf(i)] : []))
    expect(await wears('tester')).toEqual(['plain', ...held])
  })
})

describe('the examples of the seed', () => {
  it('"when a human pings me, switch to a friendly voice"', async () => {
    await puppet('host', [{ when: { 'caller.cognition': 'human' }, role: 'friendly' }], { role: 'plain' })
    await puppet('visitor')
    expect(await wears('host')).toEqual(['friendly'])
    await play(world, 'visitor', { verb: 'summon', target: '@host', content: 'hello' })
    const [second] = await until(async () => {
      const all = await moments(world.db, 'host')
      return all.length === 2 && all.slice(1)
    })
    expect(second?.primary).toBe('plain')
  })

  it('"when the drum is alive, dance"', async () => {
    await puppet('mover', [{ when: { 'world.harmony.tick.alive': true }, role: 'dancer' }], { role: 'plain' })
    expect(await wears('mover')).toEqual(['plain'])
    await publish(world, 'harmony.tick.alive', true)
    expect(await wears('mover')).toEqual(['dancer'])
    await publish(world, 'harmony.tick.alive', false)
    expect(await wears('mover')).toEqual(['plain'])
  })
})

describe('explain', () => {
  it('says of every clause of a past moment how it fared and why, whatever the flow is now', async () => {
    await puppet('puzzled', [
      { when: { 'world.f52.on': true }, role: 'first' },
      { role: 'for-llm' },
      { role: 'plain' },
      { role: 'second' },
      { stack: true, when: { 'caller.cognition': 'human' }, role: 'loud' },
      { stack: true, role: 'loud' },
    ])
    expect(await wears('puzzled')).toEqual(['plain', 'loud'])
    await setFlow(world, 'puzzled', [])
    await publish(world, 'f52.on', true)
    const explained = await explain(world.db, 'puzzled', 1)
    expect(explained).toMatchObject({ primary: 'plain', source: 'clause', stacked: ['loud'] })
    expect(explained.clauses.map(({ role, result, reason }) => [role, result, reason])).toEqual([
      ['first', 'no-match', 'world.f52.on is missing, wanted eq true'],
      ['for-llm', 'skipped', "role for-llm needs cognition llm, the being's is scripted"],
      ['plain', 'primary', 'it has no condition'],
      ['second', 'shadowed', 'it matches, but clause 2 did before'],
      ['loud', 'stacked', 'its conditions hold'],
      ['loud', 'repeated', 'it matches, but role loud is stacked already'],
    ])
    await expect(explain(world.db, 'puzzled', 99)).rejects.toMatchObject({ code: 'MOMENT_NOT_FOUND' })
  })
})

describe('afterwards', () => {
  it('every moment replays, and no chain is broken', async () => {
    await expectUnbroken(world)
    await expectReplays(world)
  })
})
