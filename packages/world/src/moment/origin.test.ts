/** Which moments hold words from outside, and what that changes. */
import type { CitedFact, FactDraft, Json, JsonObject } from '@treeos/core'
import { describe, expect, it } from 'vitest'
import { born, MemoryWorld } from '../../test/memory-world.ts'
import { buildRegistry, genesisFacts, memoryRows, readWorld, seed, WorldReader } from '../index.ts'
import { foldRows } from '../read/fold-rows.ts'
import { marksFor, OUTSIDE, VOUCHED } from '../rows/origin.ts'

const registry = buildRegistry([seed])
const set = (reel: string, value: JsonObject[string] = 1): FactDraft => ({
  reel,
  kind: 'quality:set',
  payload: { path: ['a'], value },
})
const mark = (reel: string, kind = OUTSIDE): FactDraft => ({ reel, kind, payload: {} })
const CAREFUL: Json = [{ when: { 'moment.outside': true }, role: 'birther' }, { role: 'resident' }]
const HALL: readonly FactDraft[] = [
  ...genesisFacts(),
  { reel: 'space:/hall', kind: 'space:created', payload: { path: '/hall', type: 'room', owner: 'operator' } },
  born('ann', 'operator', {
    home: '/hall',
    cognition: { kind: 'llm', script: null },
    defaultRole: 'resident',
    qualities: { roleFlow: CAREFUL },
  }),
  born('bo', 'operator', { home: '/hall' }),
]
const ROLE = { canSee: [], canDo: [], canSummon: [], canBe: [], see: [] }

async function open(
  more: readonly FactDraft[] = [],
  at: {
    outside?: boolean
    asked?: string
    caller?: { name: string; cognition: 'human' | 'llm' }
    said?: readonly CitedFact[]
  } = {},
) {
  const world = new MemoryWorld([...HALL, ...more])
  for (const name of ['resident', 'birther'])
    world.write('$reality', [
      {
        reel: 'registry',
        kind: 'role:set',
        payload: {
          name,
          digest: world.keep({ ...ROLE, name, prompt: '', canSee: ['/hall'] }),
          origin: 'seed',
        },
      },
    ])
  const reader = new WorldReader(
    memoryRows(world.rows, world.kept, { said: async () => ({ facts: at.said ?? [], earlier: 0 }) }),
  )
  const me = (await reader.being('ann')) ?? world.being('ann')
  const { caller = null, asked = null, outside = false } = at
  return readWorld(reader, registry, {
    ...{
      me,
      cognition: me.cognition.kind,
      verb: 'summon',
      kind: 'message',
      trigger: null,
      lastSealed: null,
      asker: null,
    },
    ...{ time: { openedAt: 0, zone: 'UTC', hour: 1, dayOfWeek: 1, offset: 0 }, asked, outside },
    caller: caller === null ? null : { ...caller, role: null },
  })
}
const worn = async (...of: Parameters<typeof open>) => {
  const { outside, result } = await open(...of)
  return [outside, result.primary]
}

describe('a moment holds words from outside', () => {
  it('where its wake does, and the flow knows it', async () => {
    expect(await worn()).toEqual([false, 'resident'])
    expect(await worn([], { outside: true })).toEqual([true, 'birther'])
  })

  it.each([
    ['its own row', 'being:ann'],
    ['its place', 'space:/hall'],
    ['a space around it', 'space:/'],
    ['its maker', 'being:operator'],
    ['who is there', 'being:bo'],
  ])('where %s is marked, also when it sees that only after its flow', async (_what, reel) => {
    expect(await worn([mark(reel)])).toEqual([true, 'birther'])
    expect(await worn([mark(reel), mark(reel, VOUCHED)])).toEqual([false, 'resident'])
    expect(await worn([mark(reel), mark(reel, VOUCHED), mark(reel)])).toEqual([true, 'birther'])
  })

  it('where words in its thread are', async () => {
    const said = (outside: boolean): CitedFact => ({
      ref: ['being:bo', 1, 'x'],
      kind: 'being:summoned',
      payload: { to: 'ann', content: 'hi', ...(outside ? { outside } : {}) },
    })
    expect(await worn([], { said: [said(false)] })).toEqual([false, 'resident'])
    expect(await worn([], { said: [said(true)] })).toEqual([true, 'birther'])
  })

  it('and no role counts that its sender asks for', async () => {
    expect(await worn([], { asked: 'resident', outside: true })).toEqual([true, 'birther'])
    expect(await worn([mark('space:/hall')], { asked: 'resident' })).toEqual([true, 'birther'])
    expect(await worn([], { asked: 'birther' })).toEqual([false, 'birther'])
  })

  it('and says so over the views that hold them, and of the thing itself', async () => {
    const { face } = await open([
      {
        reel: 'matter:note',
        kind: 'matter:created',
        payload: { id: 'note', type: 'note', owner: 'ann', place: '/hall', content: 'x', qualities: {} },
      },
      mark('matter:note'),
    ])
    expect(face?.views.filter(({ outside }) => outside === true).map(({ name }) => name)).toEqual(['things'])
    expect(face?.views.find(({ name }) => name === 'things')?.view).toMatchObject({
      here: [{ outside: true }],
    })
  })

  it.each([
    [null, { self: true }],
    [{ name: 'ann', cognition: 'llm' as const }, { self: true }],
    [
      { name: 'operator', cognition: 'human' as const },
      { maker: true, person: true },
    ],
    [{ name: 'bo', cognition: 'llm' as const }, { being: true }],
  ])('the flow may ask whose words woke it: %j', async (caller, origins) => {
    const asks = {
      'moment.origins.self': true,
      'moment.origins.maker': true,
      'moment.origins.person': true,
      'moment.origins.being': true,
    }
    const flow: FactDraft = {
      reel: 'being:ann',
      kind: 'quality:set',
      payload: { path: ['roleFlow'], value: [{ when: asks, role: 'birther' }], merge: false },
    }
    const { context } = await open([flow], caller === null ? {} : { caller })
    expect(context).toEqual({ moment: { origins } })
  })
})

describe('marks', () => {
  it('follow what writes words into a row, once a row, and nothing else', () => {
    const facts = [
      set('space:/hall'),
      set('space:/hall', 2),
      { reel: 'registry', kind: 'role:set', payload: { name: 'a' } },
      { reel: 'registry', kind: 'role:set', payload: { name: 'b' } },
      { reel: 'being:ann', kind: 'being:moved', payload: { to: '/' } },
      { reel: 'being:ann', kind: 'being:summoned', payload: {} },
      { reel: 'being:ann', kind: 'court:ruled', payload: {} },
    ]
    expect(marksFor(facts)).toEqual([
      mark('space:/hall'),
      { reel: 'registry', kind: OUTSIDE, payload: { name: 'a' } },
      { reel: 'registry', kind: OUTSIDE, payload: { name: 'b' } },
    ])
  })

  it('are no change that somebody is woken for: the fact before it is', async () => {
    const reader = new MemoryWorld(HALL).reader()
    const facts = [set('space:/hall'), mark('space:/hall')]
    const [row] = await foldRows(reader, facts, { actor: 'ann', at: 0 })
    expect(row).toMatchObject({ draft: 1, cause: 0, changed: ['', 'a'], state: { outside: true } })
  })
})
