/** The examples that the first descriptions of TreeOS print, as they print them. */
import { type FactDraft, type Json, NOTHING_SHOWN, readWrittenCall } from '@treeos/core'
import { lintRole, parseRole } from '@treeos/roles'
import { describe, expect, it } from 'vitest'
import { born, MemoryWorld } from '../../test/memory-world.ts'
import {
  buildFace,
  buildRegistry,
  composeMoment,
  type Extension,
  genesisFacts,
  listGate,
  openTime,
  type SeeResolver,
  seed,
  toolsFor,
} from '../index.ts'

/** An extension that brings see-resolvers alone. */
const seeing = (name: string, see: Readonly<Record<string, SeeResolver>>): Extension => ({
  ...seed,
  ...{ name, roles: [], operations: [], beOperations: [], relations: {}, resolvers: {}, scripts: {} },
  see,
})

const made = (path: string): FactDraft => ({
  reel: `space:${path}`,
  kind: 'space:created',
  payload: { path, type: 'room', owner: 'operator', qualities: {} },
})

const WORLD: FactDraft[] = [
  ...genesisFacts(),
  made('/factory'),
  made('/fitness'),
  born('worker', 'operator', { home: '/factory', cognition: { kind: 'llm', script: null } }),
  born('supervisor', 'operator', { home: '/factory' }),
  born('coach', 'operator', { home: '/fitness' }),
  born('apprentice', 'worker', { home: '/factory' }),
]

async function composed(role: object, { asker = null, extensions = [] }: Wearing = {}) {
  const world = new MemoryWorld(WORLD)
  const registry = buildRegistry([seed, ...extensions])
  const specs = [parseRole(role)]
  const me = world.being('worker')
  const { face } = await buildFace(world.reader(), registry, { me, asker, specs, forModel: true })
  const moment = composeMoment(registry, specs, face, {
    wake: { id: 'w', kind: 'summon', root: 'w', inReplyTo: null },
    caller: asker === null ? null : { name: asker, role: 'operator', cognition: 'human' },
    verb: 'summon',
    ...openTime(0, 'UTC'),
    content: 'hello',
  })
  return { face, moment, system: moment.prompt.system, registry }
}
interface Wearing {
  readonly asker?: string | null
  readonly extensions?: readonly Extension[]
}

describe('"A single role, in one breath"', () => {
  const FACTORY_WORKER = {
    name: 'factory-worker',
    canSee: ['station', 'conveyor', 'qa-dashboard'],
    canDo: ['operate-lathe', 'attach-trucks', 'log-defect'],
    canSummon: ['supervisor'],
    canBe: [],
    prompt: "You're a worker at SkateCo's main factory. The line moves at...",
  }

  it('is taken as it is printed, and reaches the being that it names', async () => {
    const { face, moment, system } = await composed(FACTORY_WORKER)
    expect(face.surface.canSummon).toEqual(['@supervisor'])
    expect(listGate(face.surface, [], 'canSummon', '@supervisor')).toMatchObject({ allowed: true })
    expect(listGate(face.surface, [], 'canSummon', '@coach')).toMatchObject({ allowed: false })
    expect(face.targets?.summon).toEqual({ of: ['@supervisor'], isWhole: true })
    expect(moment.tools.find((tool) => tool.function.name === 'summon')?.function.parameters).toMatchObject({
      properties: { target: { enum: ['@supervisor'] } },
    })
    expect(system).toContain('- /station, not now\n- /conveyor, not now')
    expect(system).toContain("You're a worker at SkateCo's main factory.")
  })

  it('lint says what its names of places are read as', () => {
    const known = { canDo: FACTORY_WORKER.canDo, canBe: [], see: [] }
    expect(lintRole(FACTORY_WORKER, { known }).warnings.map(({ path, message }) => [path, message])).toEqual([
      ['canSee[0]', expect.stringMatching(/^"station" is the space \/station; for a being write @station/)],
      ['canSee[1]', expect.stringMatching(/^"conveyor" is the space \/conveyor/)],
      [
        'canSee[2]',
        expect.stringMatching(/^"qa-dashboard" is the space \/qa-dashboard.* a view name it in see$/),
      ],
    ])
  })
})

describe('"The relationship-resolver layer"', () => {
  it('"The LLM sees the resolved stances"', async () => {
    const canSummon = ['@operator', { rel: 'parent' }, { rel: 'any-child' }, { pattern: 'fitness/@coach' }]
    const { face, system } = await composed({ name: 'ruler', canSummon })
    expect(face.surface.canSummon).toEqual(['@operator', '@apprentice', '@coach'])
    for (const stance of ['@operator', '@apprentice', '@coach']) expect(system).toContain(`- ${stance}`)
    expect(system).not.toContain('any-child')
  })

  it('a being itself is a relation too', async () => {
    expect((await composed({ name: 'ruler', canSummon: [{ rel: 'self' }] })).face.surface.canSummon).toEqual([
      '@worker',
    ])
  })
})

describe('"The tools the model is offered"', () => {
  it('"ONE generic tool per verb", by the lists that are not empty', async () => {
    const { registry } = await composed({ name: 'x' })
    const surface = { canSee: ['/a'], canDo: ['move'], canSummon: ['@a'], canBe: ['birth'] }
    const answering = { respondMode: 'async' } as const
    const tools = toolsFor({ surface }, answering, registry).map(({ function: { name, parameters } }) => [
      name,
      Object.keys(parameters.properties).slice(0, 3),
    ])
    expect(tools).toEqual([
      ['see', ['address', 'addresses']],
      ['do', ['target', 'operation', 'args']],
      ['summon', ['target', 'content', 'expectReply']],
      ['be', ['operation', 'args']],
    ])
    expect(readWrittenCall('be', { operation: 'birth', args: { name: 'x' } }, NOTHING_SHOWN)).toEqual({
      verb: 'be',
      operation: 'birth',
      args: { name: 'x' },
    })
  })

  it('"Target and inReplyTo default to the wake\'s asker and correlation"', async () => {
    expect(readWrittenCall('summon', { content: 'Here is what you asked for.' }, NOTHING_SHOWN)).toEqual({
      verb: 'summon',
      target: null,
      content: 'Here is what you asked for.',
      inReplyTo: null,
    })
    const { moment } = await composed({ name: 'x', canSummon: [{ rel: 'asker' }] }, { asker: 'operator' })
    const [tool] = moment.tools
    expect(tool?.function.parameters).toMatchObject({ required: ['content'] })
    expect(tool?.function.parameters.properties).not.toHaveProperty('target')
  })
})

describe('"See-resolvers"', () => {
  const NEIGHBORS: Json = {
    position: { x: 3, y: 4 },
    grid: { w: 10, h: 10 },
    neighbors: { N: 'empty', NE: '@follower' },
    walls: ['NW'],
    legalMoves: ['STAY', 'N', 'NE', 'E', 'SE', 'S', 'SW', 'W'],
  }
  const dance = seeing('dance', { 'dance:neighbors': () => NEIGHBORS })

  it('"Assembler renders into the system prompt as [neighbors]"', async () => {
    const { system } = await composed({ name: 'dancer', see: ['neighbors'] }, { extensions: [dance] })
    const body = /^\[neighbors\]\n(\{[\s\S]*?\n\})$/m.exec(system)?.[1] ?? ''
    expect(JSON.parse(body)).toEqual(NEIGHBORS)
  })

  it('a role of an extension gets the one of its own, whatever else has the name', async () => {
    const rival = seeing('rival', {
      'rival:neighbors': () => 'not this',
      'rival:place': () => 'its own place',
    })
    const named = async (name: string, see: string[]) =>
      (await composed({ name, see, canSee: ['~'] }, { extensions: [dance, rival] })).face
    expect((await named('dance:dancer', ['neighbors'])).views.at(-1)).toEqual({
      name: 'neighbors',
      view: NEIGHBORS,
    })
    const { views } = await named('rival:dancer', ['place', 'neighbors'])
    expect(views.filter(({ name }) => name === 'place')).toEqual([{ name: 'place', view: 'its own place' }])
    expect(views.at(-1)).toEqual({ name: 'neighbors', view: 'not this' })
    // Without an extension of its own nothing says which one is meant.
    expect((await named('dancer', ['neighbors'])).dropped).toContainEqual({
      see: 'neighbors',
      reason: 'several see-resolvers are called so: dance:neighbors, rival:neighbors',
    })
    // Both are shown where two roles name them.
    expect((await named('dancer', ['dance:neighbors', 'rival:neighbors'])).views.slice(-2)).toEqual([
      { name: 'neighbors', view: NEIGHBORS },
      { name: 'rival:neighbors', view: 'not this' },
    ])
  })
})
