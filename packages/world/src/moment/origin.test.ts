/** Which moments hold words from outside, and what that changes. */
import type { CitedFact, FactDraft, Json, JsonObject } from '@treeos/core'
import { describe, expect, it } from 'vitest'
import { born, MemoryWorld } from '../../test/memory-world.ts'
import {
  buildRegistry,
  genesisFacts,
  memoryRows,
  type Quotes,
  readWorld,
  seed,
  WorldReader,
} from '../index.ts'
import { foldRows } from '../read/fold-rows.ts'
import { marksFor, OUTSIDE, VOUCHED } from '../rows/origin.ts'

const registry = buildRegistry([seed])
const set = (reel: string, value: JsonObject[string] = 1, path = ['a']): FactDraft => ({
  reel,
  kind: 'quality:set',
  payload: { path, value },
})
const mark = (reel: string, kind = OUTSIDE): FactDraft => ({ reel, kind, payload: {} })
/** Marks these paths of a row. */
const markAt = (reel: string, ...paths: string[]): FactDraft => ({
  ...mark(reel),
  payload: { paths: paths.map((path) => path.split('.')) },
})
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
    /** more of the role that it wears */
    role?: JsonObject
    cognition?: 'llm' | 'scripted'
    quotes?: Quotes
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
          digest: world.keep({ ...ROLE, name, prompt: '', canSee: ['/hall'], ...at.role }),
          origin: 'seed',
        },
      },
    ])
  const reader = new WorldReader(
    memoryRows(world.rows, world.kept, { said: async () => ({ facts: at.said ?? [], earlier: 0 }) }),
  )
  const me = (await reader.being('ann')) ?? world.being('ann')
  const { caller = null, asked = null, outside = false, cognition = me.cognition.kind, quotes = null } = at
  return readWorld(reader, registry, {
    ...{
      me,
      cognition,
      quotes,
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

describe('of a row with marked paths those count that a moment reads', () => {
  const BLIND = { views: 'only' }
  const asks = (path: string): FactDraft => ({
    reel: 'being:ann',
    kind: 'quality:set',
    payload: { path: ['roleFlow'], value: [{ when: { [path]: 'x' }, role: 'birther' }], merge: false },
  })
  const note = markAt('space:/hall', 'note.text')
  const holds = async (...of: Parameters<typeof open>) => (await open(...of)).outside

  it.each([
    ['its views show the place', {}, true],
    ['its views show nothing of the place', { role: BLIND }, false],
    ['a role names the view of the place', { role: { ...BLIND, see: ['place'] } }, true],
    ['a role names other views', { role: { ...BLIND, see: ['me', 'occupants', 'things', 'inbox'] } }, false],
    ['a view is code of an extension', { role: { ...BLIND, see: ['court:case'] } }, true],
    ['a role of an extension names a view', { role: { ...BLIND, see: ['case'] } }, true],
    ['code of an extension expands a list', { role: { ...BLIND, canSummon: [{ rel: 'friend' }] } }, true],
    ['TreeOS expands a list', { role: { ...BLIND, canSummon: [{ rel: 'present' }] } }, false],
    ['its prompt is code', { role: { ...BLIND, prompt: { function: 'a' } } }, true],
    ['a script decides, which gets the face', { role: BLIND, cognition: 'scripted' as const }, true],
  ])('of its place, where %s', async (_what, at, isHeld) => {
    expect(await holds([note], at)).toBe(isHeld)
    expect(await holds([mark('space:/hall')], at)).toBe(true) // control: the row is marked as a whole
    expect(await holds([], at)).toBe(false)
  })

  it.each([
    ['note', true],
    ['note.text', true],
    ['note.text.first', true],
    ['note.title', false],
    ['ambient.tone', false],
  ])('where its flow reads %s: %s', async (path, isHeld) => {
    const flow = asks(`space.quality.${path}`)
    expect(await holds([note, flow], { role: BLIND })).toBe(isHeld)
    const signal = {
      reel: 'world:hall',
      kind: 'signal:published',
      payload: { namespace: 'hall', key: ['note', 'text'], value: 'x', owner: 'ann' },
    }
    const read = [signal, markAt('world:hall', 'note.text'), asks(`world.hall.${path}`)]
    expect(await holds(read, {})).toBe(isHeld)
  })

  it.each([
    ['a space around it', markAt('space:/', 'note'), false],
    ['its maker', markAt('being:operator', 'note'), false],
    ['who is there', markAt('being:bo', 'note'), false],
    ['its own row', markAt('being:ann', 'note'), true],
    ['rules of a space around it', markAt('space:/', 'permissions.see'), true],
    ['what an extension wrote into the whole row', { ...mark('space:/'), payload: { paths: 'x' } }, true],
  ])('of %s', async (_what, fact, isHeld) => {
    expect(await holds([fact])).toBe(isHeld)
  })

  it('of a change that woke it, where it is told of it', async () => {
    const at = (path: string[]) => ({ role: BLIND, quotes: { of: ['@bo'], change: { target: '@bo', path } } })
    const canSee = { canSee: ['@bo'] }
    const of = (path: string[]) => ({ ...at(path), role: { ...BLIND, ...canSee } })
    expect(await holds([markAt('being:bo', 'mood.words')], of(['mood']))).toBe(true)
    expect(await holds([markAt('being:bo', 'mood.words')], of(['place']))).toBe(false)
  })

  it('and a stack that shows none of them, worn for them, leaves the moment as it is', async () => {
    const world = await open([note])
    expect([world.outside, world.result.primary]).toEqual([true, 'birther'])
  })
})

describe('marks', () => {
  const marksAfterAll = (...facts: FactDraft[]) => new MemoryWorld([...HALL, ...facts]).space('/hall').outside
  const at = (path: string, value: Json = 1, merge = false): FactDraft => ({
    ...set('space:/hall', value, path.split('.')),
    payload: { path: path.split('.'), value, merge },
  })
  const note = markAt('space:/hall', 'note.text', 'tone')

  it.each<[string, FactDraft[], unknown]>([
    ['setting the path', [at('note.text', 'ours')], [['tone']]],
    ['setting what is around it', [at('note', {})], [['tone']]],
    ['removing it', [at('note.text', null), at('tone', null)], undefined],
    ['a person', [mark('space:/hall', VOUCHED)], undefined],
  ])('are cleared by %s', (_what, facts, left) => {
    expect(marksAfterAll(note, ...facts)).toEqual(left)
  })

  it.each<[string, FactDraft[]]>([
    ['what is set elsewhere', [at('note.title', 'ours')]],
    ['what is set below', [at('note.text.first', 'ours')]],
    ['what is merged beside', [at('note', { title: 'ours' }, true)]],
  ])('stay with %s', (_what, facts) => {
    expect(marksAfterAll(note, ...facts)).toEqual([['note', 'text'], ['tone']])
  })

  it('are cleared where a merge names them', () => {
    expect(marksAfterAll(note, at('note', { text: 'ours' }, true))).toEqual([['tone']])
  })

  it('of a whole row stay until a person vouches for it', () => {
    expect(marksAfterAll(mark('space:/hall'), at('a'), note)).toBe(true)
  })

  it('become that of the row beyond 32 paths, and one around others takes their place', () => {
    const many = Array.from({ length: 32 }, (_, i) => `k${i}`)
    expect(marksAfterAll(markAt('space:/hall', ...many))).toHaveLength(32)
    expect(marksAfterAll(markAt('space:/hall', ...many), markAt('space:/hall', 'more'))).toBe(true)
    expect(marksAfterAll(note, markAt('space:/hall', 'note'))).toEqual([['tone'], ['note']])
    expect(marksFor([...many, 'more'].map((key) => at(key)))).toEqual([mark('space:/hall')])
  })

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
      markAt('space:/hall', 'a'),
      { reel: 'registry', kind: OUTSIDE, payload: { name: 'a' } },
      { reel: 'registry', kind: OUTSIDE, payload: { name: 'b' } },
    ])
  })

  it('are no change that somebody is woken for: the fact before it is', async () => {
    const reader = new MemoryWorld(HALL).reader()
    const facts = [set('space:/hall'), markAt('space:/hall', 'a')]
    const [row] = await foldRows(reader, facts, { actor: 'ann', at: 0 })
    expect(row).toMatchObject({ draft: 1, cause: 0, changed: ['', 'a'], state: { outside: [['a']] } })
  })
})
