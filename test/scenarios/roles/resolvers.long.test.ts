import { explain, prompt } from '@treeos/client'
import { asJson, canonicalJson, type Json, type JsonObject } from '@treeos/core'
import { defineExtension, defineRole } from '@treeos/sdk'
import { beforeAll, describe, expect, it } from 'vitest'
import { askedFor, createSpace, doAs, live, play, rowOf, setRole } from '../../support/life.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays } from '../../support/replays.ts'
import { useModelServer, useWorld } from '../../support/use-world.ts'

let glances = 0
function glance(): number {
  glances += 1
  return glances
}

const stances = (names: readonly string[]) => names.map((name) => `@${name}`)

/** One of each kind of resolver, good ones and bad ones. */
const kin = defineExtension({
  name: 'kin',
  version: '1.0.0',
  roles: [
    defineRole({
      name: 'kin:host',
      canSummon: [
        { rel: 'kin:neighbours' },
        { pattern: 'a-*', kind: 'kin:named' },
        { resolver: 'kin:friends' },
      ],
      see: ['kin:table', 'kin:saying', 'kin:nothing', 'kin:broken', 'kin:unknown', 'menu'],
      prompt: 'You host.',
    }),
  ],
  relations: {
    'kin:neighbours': async ({ me, world }) =>
      stances((await world.occupants(me.space)).filter((name) => name !== me.name)),
    'kin:broken': () => {
      throw new TypeError('a relationship that was never good')
    },
    'kin:wrong': (() => 'everyone') as never,
    /** swallows its read error */
    'kin:careless': async ({ me, world }) => {
      try {
        return stances(await world.occupants(me.home))
      } catch {
        return []
      }
    },
  },
  patterns: {
    'kin:named': async ({ me, world, pattern }) =>
      stances(
        (await world.children(me.parent ?? me.name)).filter((name) =>
          name.startsWith(pattern.replace('*', '')),
        ),
      ),
  },
  resolvers: { 'kin:friends': ({ me }) => (me.qualities.friends as { list?: string[] })?.list ?? [] },
  see: {
    'kin:table': ({ me }) => ({ place: me.space, chairs: 4, glance: glance() > 0 }),
    'kin:saying': () => 'They say that the soup is good.',
    'kin:nothing': () => null,
    'kin:broken': () => {
      throw new TypeError('a resolver that was never good')
    },
    'kin:menu': () => ['soup'],
  },
})
/** A second one with a see-resolver of the same last name. */
const other = defineExtension({
  name: 'inn',
  version: '1.0.0',
  see: { 'inn:dish': () => 'stew', 'inn:hearth': () => 1 },
})
const another = defineExtension({ name: 'pub', version: '1.0.0', see: { 'pub:dish': () => 'pie' } })

const model = useModelServer()
const world = useWorld({ extensions: [stage, kin, other, another], modelServer: model })
beforeAll(async () => {
  for (const path of ['/fitness', '/attic']) await createSpace(world, path)
})

const puppet = (name: string, role: string, more: JsonObject = {}) =>
  world.birth({ name, cognition: 'scripted', script: 'stage:puppet', role, ...more })
const say = (name: string, target: string) =>
  play(world, name, { verb: 'summon', target, content: 'well met' })
const bear = (maker: string, name: string, role: string) =>
  play(world, maker, {
    verb: 'be',
    operation: 'birth',
    args: { name, cognition: 'scripted', script: 'stage:puppet', role },
  })
async function reachOf(name: string): Promise<{ summon: Json; leftOut: Json }> {
  const { n } = await live(world, name, 'look')
  const { surface, leftOut } = await explain(world.db, name, n)
  return { summon: surface.canSummon as Json, leftOut: asJson(leftOut) }
}

describe('relationship tokens', () => {
  it('parent, any-child and predecessor are whom birth made them, in the prompt and at the gate', async () => {
    await setRole(world, {
      name: 'ruler',
      canBe: ['birth'],
      canSummon: [{ rel: 'parent' }, { rel: 'any-child' }, { rel: 'predecessor' }],
      prompt: 'You rule.',
    })
    await puppet('house', 'ruler')
    for (const name of ['edda', 'brun', 'carl']) {
      expect(await bear('house', name, 'ruler')).toMatchObject({ outcome: 'act' })
      await live(world, name, 'look') // no two births in one millisecond
    }
    expect((await reachOf('house')).summon).toEqual(['@operator', '@brun', '@carl', '@edda'])
    expect((await reachOf('edda')).summon).toEqual(['@house'])
    expect((await reachOf('brun')).summon).toEqual(['@house', '@edda'])
    expect((await reachOf('carl')).summon).toEqual(['@house', '@brun'])

    expect(await say('house', '@carl')).toMatchObject({ outcome: 'act' })
    expect(await say('carl', '@house')).toMatchObject({ outcome: 'act' })
    expect(await say('carl', '@brun')).toMatchObject({ outcome: 'act' })
    expect(await say('carl', '@edda')).toMatchObject({ outcome: 'failure', reason: 'FORBIDDEN' })
    // One more child, and the next moment reaches it.
    await bear('house', 'dora', 'ruler')
    expect((await reachOf('house')).summon).toContain('@dora')
    expect((await reachOf('dora')).summon).toEqual(['@house', '@carl'])
    expect(await say('dora', '@brun')).toMatchObject({ outcome: 'failure', reason: 'FORBIDDEN' })
    // A predecessor lives: once it was ended, the one before it is.
    await doAs(world, 'end-being', '@carl', {})
    expect((await reachOf('dora')).summon).toEqual(['@house', '@brun'])
    await expectReplays(world)
  })

  it('the prompt names the beings that a model may speak to', async () => {
    await world.birth({ name: 'queen', cognition: 'llm', role: 'ruler' })
    model.script([{ tool: { name: 'summon', args: { target: '@operator', content: 'I rule' } } }])
    await live(world, 'queen', 'reign')
    const [request] = askedFor(model, 'queen')
    expect(request?.messages[0]?.content).toContain('- @operator, who speaks to you now\n- @house')
    expect(request?.messages[0]?.content).not.toContain('predecessor')
    await expectReplays(world)
  })
})

describe('patterns', () => {
  it('a pattern after a space is whoever of that name is there at the moment', async () => {
    await setRole(world, {
      name: 'member',
      canSee: [{ pattern: '*' }],
      canDo: ['move'],
      canSummon: [{ pattern: 'fitness/@coach' }, { pattern: '/attic/@c*' }],
      prompt: 'You train.',
    })
    await puppet('coach', 'stage:free', { home: '/fitness' })
    await puppet('cook', 'stage:free', { home: '/fitness' })
    await puppet('cellist', 'stage:free', { home: '/attic' })
    await puppet('pupil', 'member')
    expect((await reachOf('pupil')).summon).toEqual(['@coach', '@cellist'])
    expect(await say('pupil', '@coach')).toMatchObject({ outcome: 'act' })
    expect(await say('pupil', '@cook')).toMatchObject({ outcome: 'failure', reason: 'FORBIDDEN' })
    await play(world, 'coach', { verb: 'do', operation: 'move', target: '/attic', args: {} })
    expect((await reachOf('pupil')).summon).toEqual(['@cellist', '@coach'])
    await play(world, 'coach', { verb: 'do', operation: 'move', target: '/', args: {} })
    expect(await say('pupil', '@coach')).toMatchObject({ outcome: 'failure', reason: 'FORBIDDEN' })
    await expectReplays(world)
  })

  it('an unregistered resolver drops its own entry only; the moment runs and reports it', async () => {
    const lost: JsonObject[] = [
      { rel: 'mother-in-law' },
      { resolver: 'kin:foes' },
      { pattern: 'row 3', kind: 'kin:seats' },
      { pattern: 'nowhere/@coach' },
      { rel: 'kin:broken' },
      { rel: 'kin:wrong' },
    ]
    await setRole(world, { name: 'hopeful', canSummon: ['@coach', ...lost], prompt: 'You hope.' })
    await puppet('hopeful', 'hopeful')
    const leftOutBefore = world.leftOut.length
    const { summon, leftOut } = await reachOf('hopeful')
    expect(summon).toEqual(['@coach'])
    expect(leftOut).toMatchObject(
      [
        /no relationship "mother-in-law"/,
        /no resolver "kin:foes"/,
        /no kind of pattern "kin:seats"/,
        /no space \/nowhere/,
        /it threw TypeError/,
        /gave no list of names/,
      ].map((reason, i) => ({ list: 'canSummon', entry: lost[i], reason: expect.stringMatching(reason) })),
    )
    expect(world.leftOut.slice(leftOutBefore).map(({ what }) => what)).toEqual(
      lost.map((entry) => `canSummon ${canonicalJson(entry)}`),
    )
    expect(await say('hopeful', '@coach')).toMatchObject({ outcome: 'act' })
    await expectReplays(world)
  })

  it('a bound of birth and a role of another are not widened by a pattern after a space', async () => {
    const birth = (ceiling: JsonObject) =>
      world.birth({ name: 'bounded', cognition: 'scripted', script: 'stage:puppet', role: 'member', ceiling })
    await expect(birth({ canSummon: [{ pattern: 'fitness/@*' }] })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining('literals and patterns'),
    })
    await setRole(world, {
      name: 'author',
      canDo: ['set-role'],
      canSummon: [{ pattern: '@c*' }, { pattern: '~/@*' }],
      prompt: '',
    })
    await puppet('author', 'author')
    for (const entry of [
      { pattern: '/fitness/@coach' },
      { pattern: '~/@*' },
      { pattern: 'x', kind: 'kin:named' },
    ] as JsonObject[]) {
      const role: JsonObject = { name: 'wide', canSummon: [entry], prompt: '' }
      expect(
        await play(world, 'author', { verb: 'do', operation: 'set-role', target: '/', args: { role } }),
      ).toMatchObject({ outcome: 'failure', reason: 'FORBIDDEN' })
    }
  })
})

describe('an extension', () => {
  it('brings relationships, kinds of patterns and resolvers, for prompt and gate alike', async () => {
    await puppet('anna', 'stage:free')
    await puppet('arno', 'stage:free', { home: '/attic' })
    await puppet('bert', 'stage:free', { home: '/attic' })
    await puppet('host', 'kin:host', { home: '/fitness' })
    await world.birth({ name: 'a-one', cognition: 'human', role: 'stage:mute' })
    await doAs(world, 'set-being', '@host', { field: 'friends.list', value: ['@arno'] })
    expect((await reachOf('host')).summon).toEqual(['@cook', '@a-one', '@arno'])
    expect(await say('host', '@a-one')).toMatchObject({ outcome: 'act' })
    expect(await say('host', '@bert')).toMatchObject({ outcome: 'failure', reason: 'FORBIDDEN' })
  })

  it('may hide that a read of it failed, and nothing comes of that: the moment looks again', async () => {
    await setRole(world, { name: 'careless', canSummon: [{ rel: 'kin:careless' }], prompt: '' })
    await puppet('absent', 'careless', { home: '/attic' })
    // The first look refuses a row that was not prefetched; the second look reads it.
    for (const round of [1, 2]) {
      const { summon, leftOut } = await reachOf('absent')
      expect({ round, summon, leftOut }).toMatchObject({ leftOut: [] })
      expect(summon).toEqual(expect.arrayContaining(['@absent', '@cellist']))
    }
  })

  it.each([
    ['relations', { relations: { neighbours: () => [] } }],
    ['patterns', { patterns: { 'other:named': () => [] } }],
    ['resolvers', { resolvers: { friends: () => [] } }],
  ])('may bring %s under its own name only', (_what, registry) => {
    expect(() => defineExtension({ name: 'kin', version: '1.0.0', ...registry })).toThrow(
      /must be named kin:/,
    )
  })
})

describe('see-resolvers', () => {
  it('run each moment and are rendered by name; text stands line by line; a failing one is left out; none becomes a tool', async () => {
    await world.birth({ name: 'cook-llm', cognition: 'llm', role: 'kin:host', home: '/fitness' })
    const before = glances
    for (const round of [1, 2]) {
      const errorsBefore = world.leftOut.length
      model.script([{ content: `evening ${round}` }])
      const { n } = await live(world, 'cook-llm', `round ${round}`)
      const asked = askedFor(model, 'cook-llm')[round - 1]
      const system = asked?.messages[0]?.content ?? ''
      expect(system).toContain(
        '[table]\n{\n  "chairs": 4,\n  "glance": true,\n  "place": "/fitness"\n}\n\n[saying]\n| They say that the soup is good.\n\n[menu]\n[\n  "soup"\n]\n\nand can:',
      )
      expect(system).not.toMatch(/nothing|broken|unknown|never good/)
      expect(asked?.tools?.map((tool) => tool.function.name)).toEqual(['summon'])
      const { leftOut } = await explain(world.db, 'cook-llm', n)
      expect(leftOut.filter((item) => 'see' in item)).toEqual([
        { see: 'kin:broken', reason: 'it threw TypeError' },
        { see: 'kin:unknown', reason: 'no such see-resolver is registered' },
      ])
      expect(world.leftOut.slice(errorsBefore)).toEqual([
        {
          what: 'see kin:broken',
          error: expect.objectContaining({ message: 'a resolver that was never good' }),
        },
        { what: 'see kin:unknown', error: expect.anything() },
      ])
      expect(await prompt(world.db, world.registry, 'cook-llm', n)).toMatchObject({ identical: true })
    }
    expect(glances).toBeGreaterThanOrEqual(before + 2)
    await expectReplays(world)
  })

  it('are named without their extension while only one is called so', async () => {
    await setRole(world, { name: 'guest', see: ['dish', 'hearth'], prompt: '' })
    await puppet('guest', 'guest')
    const { n } = await live(world, 'guest', 'look')
    expect((await explain(world.db, 'guest', n)).leftOut).toEqual([
      { see: 'dish', reason: 'several see-resolvers are called so: inn:dish, pub:dish' },
    ])
    expect((await rowOf(world, 'guest')).defaultRole).toBe('guest')
  })
})

it('an error that a resolver throws reaches no record, whatever its name', async () => {
  const blobs = await world.owner.selectFrom('blob').select('bytes').execute()
  const faces = blobs.map(({ bytes }) => bytes.toString()).filter((text) => text.includes('kin:broken'))
  expect(faces.length).toBeGreaterThan(1)
  expect(faces.join()).not.toContain('never good')
})
