import { type FactDraft, type Json, type JsonObject, readWrittenCall } from '@treeos/core'
import { parseRole } from '@treeos/roles'
import { describe, expect, it } from 'vitest'
import { born, MemoryWorld } from '../../test/memory-world.ts'
import { buildFace, buildRegistry, genesisFacts, seed, shownIn, toolsFor } from '../index.ts'

const registry = buildRegistry([seed])
const made = (path: string, more: JsonObject = {}): FactDraft => ({
  reel: `space:${path}`,
  kind: 'space:created',
  payload: { path, type: 'room', owner: 'operator', qualities: {}, ...more },
})
const thing = (id: string, place: string, owner = 'operator'): FactDraft => ({
  reel: `matter:${id}`,
  kind: 'matter:created',
  payload: { id, type: 'note', owner, place, content: null, qualities: {} },
})
const rules = (path: string, value: Json): FactDraft => ({
  reel: `space:${path}`,
  kind: 'quality:set',
  payload: { path: ['permissions'], value, merge: false },
})
const ended = (name: string): FactDraft => ({ reel: `being:${name}`, kind: 'being:ended', payload: {} })

/** @ann is a model in the hall with @bo; @eve is elsewhere. */
const HALL: FactDraft[] = [
  ...genesisFacts(),
  made('/hall'),
  made('/cellar'),
  born('ann', 'operator', { home: '/hall', cognition: { kind: 'llm', script: null } }),
  born('bo', 'operator', { home: '/hall' }),
  born('eve', 'operator', { home: '/cellar' }),
  thing('cup', '/hall', 'ann'),
  thing('globe', '/hall'),
  thing('pen', '@ann', 'ann'),
]

interface Seeing {
  readonly role: JsonObject
  readonly asker?: string | null
  readonly more?: readonly FactDraft[]
  readonly who?: string
  readonly forModel?: boolean
}

async function faceOf({ role, asker = null, more = [], who = 'ann', forModel = true }: Seeing) {
  const world = new MemoryWorld([...HALL, ...more])
  const { face } = await buildFace(world.reader(), registry, {
    me: world.being(who),
    asker,
    specs: [parseRole({ name: 'guest', prompt: '', ...role })],
    forModel,
  })
  return face
}
const targetsOf = async (seeing: Seeing) => (await faceOf(seeing)).targets

describe('the targets that a tool names', () => {
  it('of see and summon are the entries of the lists that both gates allow', async () => {
    const role = { canSee: ['/hall', '/cellar', '/nowhere'], canSummon: ['@bo', '@eve', '@nobody'] }
    expect(await targetsOf({ role })).toMatchObject({
      see: { of: ['/hall', '/cellar'], isWhole: true },
      summon: { of: ['@bo', '@eve'], isWhole: true },
    })
    const more = [
      rules('/cellar', { see: { '/cellar': false }, summon: { '@eve': { requires: ['owner'] } } }),
      ended('bo'),
    ]
    expect(await targetsOf({ role, more })).toMatchObject({
      see: { of: ['/hall'], isWhole: true },
      summon: { of: [], isWhole: true },
    })
  })

  it('begin with the asker, wherever it is', async () => {
    const role = { canSummon: ['@bo', { rel: 'asker' }] }
    expect((await targetsOf({ role, asker: 'eve' }))?.summon.of).toEqual(['@eve', '@bo'])
  })

  it('stay below every ceiling', async () => {
    const ceiling = { canSee: ['/hall'], canDo: [], canSummon: ['@bo'], canBe: [] }
    const more = [born('low', 'ann', { home: '/hall', cognition: { kind: 'llm', script: null }, ceiling })]
    const role = { canSee: ['/hall', '/cellar'], canSummon: ['@bo', '@eve'], canDo: ['set-space'] }
    expect(await targetsOf({ role, more, who: 'low' })).toEqual({
      see: { of: ['/hall'], isWhole: true },
      do: { of: [], isWhole: true },
      summon: { of: ['@bo'], isWhole: true },
    })
  })

  it.each<[string, string[], string[]]>([
    ['things that it may take, not those of others', ['take'], ['matter:cup', 'matter:pen']],
    ['itself', ['set-being'], ['@ann']],
    ['places that it sees', ['move'], ['/hall', '/cellar']],
    ['nothing for others', ['set-space'], []],
    ['the reality', ['set-world-signal'], ['/']],
  ])('of do are %s', async (_what, canDo, of) => {
    const role = { canDo, canSee: ['/hall', '/cellar'] }
    expect((await targetsOf({ role, asker: 'eve' }))?.do).toEqual({ of, isWhole: true })
  })

  it('are not named where a pattern stands for them, or there are too many', async () => {
    const any = [{ pattern: '*' }]
    const unlisted = { of: [], isWhole: false }
    expect(await targetsOf({ role: { canSee: any, canDo: any, canSummon: any } })).toEqual({
      see: unlisted,
      do: unlisted,
      summon: unlisted,
    })
    const crowd = Array.from({ length: 40 }, (_, i) => born(`guest-${i}`, 'operator', { home: '/hall' }))
    const role = { canSummon: [{ rel: 'present' }], canSee: ['/hall'] }
    expect((await targetsOf({ role, more: crowd }))?.summon).toEqual(unlisted)
    const things = Array.from({ length: 40 }, (_, i) => thing(`stone-${i}`, '/hall', 'ann'))
    expect((await targetsOf({ role: { canDo: ['take'], canSee: ['/hall'] }, more: things }))?.do).toEqual(
      unlisted,
    )
  })

  it('nothing in a place that it may not see', async () => {
    const role = { canDo: ['take', 'set-being'], canSee: [] }
    expect((await targetsOf({ role }))?.do.of).toEqual(['@ann', 'matter:pen'])
  })

  it('are read for a model only', async () => {
    expect(await targetsOf({ role: { canSee: ['/hall'] }, forModel: false })).toBeUndefined()
  })
})

describe('the tools of a moment', () => {
  const toolsOf = async (seeing: Seeing, more: { expectReply?: boolean; goesOn?: boolean } = {}) => {
    const { me, surface, targets } = await faceOf(seeing)
    const caller = seeing.asker == null ? null : { name: seeing.asker }
    const answering = { respondMode: 'async' } as const
    const tools = toolsFor({ me: me.name, surface, targets, caller, ...more }, answering, registry)
    return Object.fromEntries(tools.map((tool) => [tool.function.name, tool.function]))
  }
  const fieldsOf = (tool: { parameters: { properties: object } } | undefined) =>
    Object.keys(tool?.parameters.properties ?? {})

  it('name the targets as the only values', async () => {
    const role = { canSee: ['/hall', '/'], canSummon: ['@bo', '@eve'], canDo: ['move'] }
    const tools = await toolsOf({ role, asker: 'eve' })
    expect(tools.see?.parameters.properties.address?.enum).toEqual(['/hall', '/'])
    expect(tools.summon?.parameters.properties.target).toMatchObject({
      enum: ['@eve', '@bo'],
      description: 'whom',
    })
    expect(tools.do?.parameters.properties.operation?.enum).toEqual(['move'])
  })

  it('do not ask for a target where there is one alone, and a call means that one', async () => {
    const role = { canSee: ['/hall'], canSummon: ['@bo'], canDo: ['move'] }
    const tools = await toolsOf({ role, asker: 'bo' })
    expect([tools.see, tools.summon, tools.do].map(fieldsOf)).toEqual([
      [],
      ['content'],
      ['operation', 'args'],
    ])
    expect(tools.do?.description).toContain('Its target is /hall.')
    const { surface, targets, ...face } = await faceOf({ role, asker: 'bo' })
    const shown = shownIn({ surface, targets, ...face }, registry, { name: 'bo' })
    expect(readWrittenCall('see', {}, shown)).toMatchObject({ address: '/hall' })
    expect(readWrittenCall('do', { operation: 'move' }, shown)).toMatchObject({ target: '/hall' })
    // What it names all the same counts.
    expect(readWrittenCall('do', { operation: 'move', target: '/yard' }, shown)).toMatchObject({
      target: '/yard',
    })
  })

  it('are made once for the same targets, and anew for others', async () => {
    const { surface, targets } = await faceOf({ role: { canSee: ['/hall'], canDo: ['move'] } })
    const make = (more: object) => toolsFor({ surface, targets, ...more }, { respondMode: 'async' }, registry)
    const tools = make({ caller: { name: 'eve' } })
    expect(make({ caller: { name: 'eve' } })).toBe(tools)
    expect(Object.isFrozen(tools[0]?.function.parameters)).toBe(true)
    const see = { of: ['/hall', '/'], isWhole: true }
    expect(make({ targets: { ...targets, see } })[0]?.function.parameters.properties.address?.enum).toEqual(
      see.of,
    )
  })

  it('say what a target looks like where they cannot name it', async () => {
    const any = [{ pattern: '*' }]
    const { see, do: act } = await toolsOf({ role: { canSee: any, canDo: any } })
    for (const target of [see?.parameters.properties.address, act?.parameters.properties.target]) {
      expect(target).not.toHaveProperty('enum')
      expect(target?.description).toContain('@name, /path or matter:id')
    }
  })

  it.each([
    [['/hall', '/'], ['address']],
    [
      ['/hall', '/', '@bo'],
      ['address', 'addresses'],
    ],
    [[{ pattern: '*' }], ['address', 'addresses']],
  ])('take several addresses at once where there are more than two: of %j', async (canSee, fields) => {
    const { see } = await toolsOf({ role: { canSee } })
    expect(Object.keys(see?.parameters.properties ?? {})).toEqual(fields)
    expect(see?.parameters.required).toEqual(['address'])
  })

  it('leave out a tool that reaches nothing now', async () => {
    const role = { canSee: ['/nowhere'], canSummon: ['@nobody'], canDo: ['set-space'] }
    expect(Object.keys(await toolsOf({ role }))).toEqual([])
  })

  it('come in the order of the verbs; where somebody can be answered looking is last, and answering first once it has acted', async () => {
    const role = { canSee: ['/hall'], canSummon: ['@bo'], canDo: ['move'], canBe: ['birth'] }
    expect(Object.keys(await toolsOf({ role }))).toEqual(['see', 'do', 'summon', 'be'])
    expect(Object.keys(await toolsOf({ role, asker: 'eve' }))).toEqual(['see', 'do', 'summon', 'be'])
    expect(Object.keys(await toolsOf({ role, asker: 'bo' }))).toEqual(['do', 'summon', 'see', 'be'])
    expect(Object.keys(await toolsOf({ role, asker: 'bo' }, { goesOn: true }))).toEqual([
      'summon',
      'do',
      'see',
      'be',
    ])
  })

  it('offer no inReplyTo, and orientation only to a being that may summon itself', async () => {
    const to = async (canSummon: string[]) =>
      fieldsOf((await toolsOf({ role: { canSummon }, asker: 'bo' })).summon)
    expect(await to(['@bo'])).toEqual(['content'])
    expect(await to(['@bo', '@eve'])).toEqual(['target', 'content', 'expectReply'])
    expect(await to(['@bo', '@ann'])).toEqual(['target', 'content', 'orientation', 'expectReply'])
  })

  it('ask for a target, unless there is one by default that they cannot name', async () => {
    const required = async (canSummon: Json[], asker: string | null, more = {}) =>
      (await toolsOf({ role: { canSummon }, asker }, more)).summon?.parameters.required
    const any = [{ pattern: '*' }]
    expect(await required(any, 'bo')).toEqual(['content'])
    expect(await required(any, null)).toEqual(['target', 'content'])
    expect(await required(any, 'bo', { expectReply: false })).toEqual(['target', 'content'])
    expect(await required(['@bo'], 'bo')).toEqual(['content'])
    expect(await required(['@bo'], 'eve')).toEqual(['target', 'content'])
  })

  it('say of each operation what it does, to what, and what each argument is', async () => {
    const { do: act } = await toolsOf({ role: { canDo: ['move', 'take'], canSee: ['/hall'] } })
    expect(act?.description.split('\n').slice(1)).toEqual([
      expect.stringMatching(/^move: Moves .*\. Target: a space\. Args: coord\.$/),
      expect.stringMatching(/^take: Takes .*\. Target: a thing\. No args\.$/),
    ])
    expect(act?.parameters.properties.args).toEqual({
      description: 'its arguments',
      anyOf: [
        {
          type: 'object',
          description: 'of move',
          properties: {
            coord: expect.objectContaining({ required: ['x', 'y', 'z'], description: expect.any(String) }),
          },
          required: [],
          additionalProperties: false,
        },
        { type: 'object', description: 'of take', properties: {}, required: [], additionalProperties: false },
      ],
    })
    const { do: only } = await toolsOf({ role: { canDo: ['take'], canSee: ['/hall'] } })
    expect(Object.keys(only?.parameters.properties ?? {})).toEqual(['target', 'operation'])
  })
})
