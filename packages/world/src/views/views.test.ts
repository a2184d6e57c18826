import type { CitedFact, FactDraft, Json, JsonObject } from '@treeos/core'
import { parseRole } from '@treeos/roles'
import { describe, expect, it } from 'vitest'
import { born, MemoryWorld } from '../../test/memory-world.ts'
import { buildFace, buildRegistry, genesisFacts, memoryRows, seed, WorldReader } from '../index.ts'

const registry = buildRegistry([seed])

const made = (path: string, more: JsonObject = {}): FactDraft[] => [
  {
    reel: `space:${path}`,
    kind: 'space:created',
    payload: { path, type: 'room', owner: 'operator', qualities: {}, ...more },
  },
  { reel: `space:${path.slice(0, path.lastIndexOf('/')) || '/'}`, kind: 'space:opened', payload: { path } },
]
const thing = (id: string, place: string, content: Json, owner = 'operator'): FactDraft[] => [
  {
    reel: `matter:${id}`,
    kind: 'matter:created',
    payload: { id, type: 'note', owner, place, content, qualities: {} },
  },
]

/** `/hall` inside `/`, with the closet `/hall/closet` in it; @ann is an LLM being at home in the hall. */
const HALL: FactDraft[] = [
  ...genesisFacts(),
  ...made('/hall', {
    qualities: { ambient: { tone: 'quiet' }, permissions: { do: { take: { requires: ['owner'] } } } },
  }),
  ...made('/hall/closet'),
  born('ann', 'operator', {
    home: '/hall',
    cognition: { kind: 'llm', script: null },
    qualities: { mood: { tone: 'calm' } },
  }),
  born('bo', 'operator', { home: '/hall' }),
  born('cy', 'operator', { home: '/hall' }),
  ...thing('globe', '/hall', 'a globe of brass'),
  ...thing('diary', '/hall', 'dear diary', 'ann'),
  ...thing('pen', '@ann', 'ink'),
]

interface Seeing {
  readonly role?: JsonObject
  readonly more?: readonly FactDraft[]
  readonly forModel?: boolean
  readonly said?: readonly CitedFact[]
  readonly earlier?: number
  readonly who?: string
}

/** The views of one moment of @ann, by name, with what was asked beside rows. */
async function see({
  role = {},
  more = [],
  forModel = true,
  said = [],
  earlier = 0,
  who = 'ann',
}: Seeing = {}) {
  const world = new MemoryWorld([...HALL, ...more])
  const reader = new WorldReader(
    memoryRows(world.rows, new Map(), {
      wore: async () => ({ bo: 'guard' }),
      said: async () => ({ facts: said, earlier }),
      did: async () => [
        { ref: ['being:ann', 4, ''], kind: 'being:summoned', payload: { to: 'bo', content: 'secret' } },
      ],
    }),
  )
  const specs = [parseRole({ name: 'guest', canSee: ['/hall'], prompt: '', ...role })]
  const { face } = await buildFace(reader, registry, {
    me: world.being(who),
    asker: null,
    specs,
    forModel,
    lastSealed: { sealedAt: 1000, primary: 'guest' },
  })
  const views = Object.fromEntries(face.views.map(({ name, view }) => [name, view])) as Record<
    string,
    JsonObject
  >
  return { views, names: face.views.map(({ name }) => name), reader, face }
}

const speech = (from: string, to: string, content: Json, n: number): CitedFact => ({
  ref: [`being:${from}`, n, `hash-${n}`],
  kind: 'being:summoned',
  payload: { to, content, root: 't' },
})

describe('what a model sees by default', () => {
  it('itself, its place with rules, qualities and exits, occupants with what they wear, and things, in this order', async () => {
    const { views, names } = await see()
    expect(names).toEqual(['me', 'place', 'occupants', 'things'])
    expect(views).toEqual({
      me: {
        home: '/hall',
        maker: '@operator',
        qualities: { mood: { tone: 'calm' } },
      },
      place: {
        path: '/hall',
        type: 'room',
        owner: '@operator',
        rules: { '/hall': { do: { take: { requires: ['owner'] } } } },
        qualities: { ambient: { tone: 'quiet' } },
        exits: ['/', '/hall/closet'],
      },
      occupants: {
        here: [
          { being: '@bo', wears: 'guard' },
          { being: '@cy', wears: 'resident' },
        ],
      },
      things: {
        here: [
          { thing: 'matter:diary', type: 'note', owner: '@ann', content: 'dear diary' },
          { thing: 'matter:globe', type: 'note', owner: '@operator' },
        ],
        held: [{ thing: 'matter:pen', type: 'note', owner: '@operator', content: 'ink' }],
      },
    })
  })

  it('the content of a thing of another being only where canSee names the thing', async () => {
    const { views } = await see({ role: { canSee: ['/hall', 'matter:globe'] } })
    expect(views.things?.here).toContainEqual(expect.objectContaining({ content: 'a globe of brass' }))
  })

  it('rules of a space around it only where it may see that space', async () => {
    const more: FactDraft[] = [
      {
        reel: 'space:/',
        kind: 'quality:set',
        payload: { path: ['permissions'], value: { do: { move: false } }, merge: false },
      },
    ]
    expect(Object.keys((await see({ more })).views.place?.rules as object)).toEqual(['/hall'])
    const both = await see({ more, role: { canSee: ['/hall', '/'] } })
    expect(Object.keys(both.views.place?.rules as object).sort()).toEqual(['/', '/hall'])
  })

  it.each<[string, Seeing]>([
    ['an empty canSee', { role: { canSee: [] } }],
    ['a canSee of other places', { role: { canSee: ['/library'] } }],
    [
      'a rule of the place that forbids it',
      {
        more: [
          {
            reel: 'space:/hall',
            kind: 'quality:set',
            payload: { path: ['permissions'], value: { see: { '/hall': false } }, merge: false },
          },
        ],
      },
    ],
    [
      'a ceiling without the place',
      {
        who: 'low',
        more: [
          born('low', 'operator', {
            home: '/hall',
            cognition: { kind: 'llm', script: null },
            ceiling: { canSee: ['/library'], canDo: [], canSummon: [], canBe: [] },
          }),
          ...thing('cup', '@low', 'tea'),
        ],
      },
    ],
  ])('with %s nothing of the place, and what it holds all the same', async (_why, seeing) => {
    const { views, names } = await see(seeing)
    expect(names).toEqual(['me', 'things'])
    expect(Object.keys(views.things ?? {})).toEqual(['held'])
    const shown = JSON.stringify(views)
    for (const hidden of ['quiet', '@cy', 'globe', 'closet', 'take']) expect(shown).not.toContain(hidden)
  })

  it('the control: the same place with canSee shows all of these', async () => {
    const shown = JSON.stringify((await see()).views)
    for (const hidden of ['quiet', '@cy', 'globe', 'closet', 'take']) expect(shown).toContain(hidden)
  })

  it('what an occupant wears is left out where a rule forbids to see that being', async () => {
    const value = { see: { '@bo': false } }
    const { views } = await see({
      more: [
        { reel: 'space:/hall', kind: 'quality:set', payload: { path: ['permissions'], value, merge: false } },
      ],
    })
    expect(views.occupants).toEqual({ here: [{ being: '@bo' }, { being: '@cy', wears: 'resident' }] })
  })
})

describe('bounds', () => {
  it('of a crowd the first are listed, and the others counted', async () => {
    const crowd = Array.from({ length: 500 }, (_, i) => born(`guest-${i}`, 'operator', { home: '/hall' }))
    const { views, reader } = await see({ more: crowd })
    expect(views.occupants?.here).toHaveLength(32)
    expect(views.occupants?.cut).toEqual(['470 more beings, 502 in all'])
    expect(JSON.stringify(views.occupants).length).toBeLessThan(4096)
    // Only the rows of those that are listed are read: they are the basis of the moment.
    expect(
      [...reader.heads.keys()].filter((reel) => reel.startsWith('being:guest')).length,
    ).toBeLessThanOrEqual(32)
  })

  it('qualities that do not fit are left out and named', async () => {
    const more: FactDraft[] = [
      {
        reel: 'space:/hall',
        kind: 'quality:set',
        payload: { path: ['menu'], value: { text: 'x'.repeat(9000) }, merge: false },
      },
    ]
    const { views } = await see({ more })
    expect(views.place?.qualities).toEqual({ ambient: { tone: 'quiet' } })
    expect(views.place?.cut).toEqual(['qualities: menu (at most 4096 bytes are shown)'])
  })

  it('a long content shows its beginning and its size, cut between characters', async () => {
    const { views } = await see({ more: thing('epic', '@ann', 'é'.repeat(5000)) })
    expect(views.things?.held).toContainEqual(
      expect.objectContaining({ content: { begins: 'é'.repeat(2048), bytes: 10_000 } }),
    )
  })

  it('the whole default face of a full place stays under 40 KB', async () => {
    const big = 'y'.repeat(60_000)
    const more: FactDraft[] = [
      ...Array.from({ length: 100 }, (_, i) => thing(`thing-${i}`, '@ann', big)).flat(),
      ...Array.from({ length: 100 }, (_, i) => thing(`stone-${i}`, '/hall', big, 'ann')).flat(),
      ...Array.from({ length: 300 }, (_, i) => born(`guest-${i}`, 'operator', { home: '/hall' })),
      ...Array.from({ length: 100 }, (_, i) => made(`/hall/room-${i}`)).flat(),
    ]
    const said = Array.from({ length: 24 }, (_, i) => speech('bo', 'ann', big, i + 1))
    const { views, names } = await see({ more, said, earlier: 900 })
    expect(names).toEqual(['me', 'place', 'occupants', 'things', 'conversation'])
    expect(JSON.stringify(views, null, 2).length).toBeLessThan(40_000)
    expect(views.things?.cut).toEqual(['77 more things held, 101 in all', '78 more things, 102 in all'])
    expect(views.place?.cut).toEqual(['70 more exits, 102 in all'])
    expect(views.conversation?.cut).toEqual(['921 earlier messages'])
  })
})

describe('conversation', () => {
  it('shows the words so far, oldest first, with who said them to whom', async () => {
    const said = [speech('bo', 'ann', 'hello', 1), speech('ann', 'bo', { greeting: 'hi' }, 2)]
    const { views, reader } = await see({ said, earlier: 3 })
    expect(views.conversation).toEqual({
      said: [
        { from: '@bo', said: 'hello' },
        { from: '@ann', to: '@bo', said: { greeting: 'hi' } },
      ],
      cut: ['3 earlier messages'],
    })
    // By reference: the content of a fact can still be erased.
    expect(reader.aside.said).toEqual({
      facts: [
        ['being:bo', 1, 'hash-1'],
        ['being:ann', 2, 'hash-2'],
      ],
      earlier: 3,
    })
  })

  it('an erased fact shows who spoke', async () => {
    const { views } = await see({ said: [{ ...speech('bo', 'ann', 'x', 1), payload: null }] })
    expect(views.conversation).toEqual({ said: [{ from: '@bo', erased: true }] })
  })
})

describe('who gets these views', () => {
  it('a script or a person gets none unless its role names them, and nothing is read beside rows', async () => {
    const { names, reader } = await see({ forModel: false })
    expect(names).toEqual([])
    expect(reader.aside).toEqual({})
    expect((await see({ forModel: false, role: { see: ['place'] } })).names).toEqual(['place'])
  })

  it('a role that names views gets those too, and those alone where it says so', async () => {
    const named = ['inbox', 'threads']
    const { names } = await see({ role: { see: named } })
    expect(names).toEqual(['me', 'place', 'occupants', 'things', 'inbox', 'threads'])
    expect((await see({ role: { see: named, views: 'only' } })).names).toEqual(named)
    expect((await see({ role: { views: 'only' } })).names).toEqual([])
  })

  it('the last act is shown to whose role names it: its kind, time and role, without words', async () => {
    const { views } = await see({ role: { see: ['last-act'] } })
    expect(views['last-act']).toEqual({
      at: '1970-01-01T00:00:01.000Z',
      role: 'guest',
      did: [{ did: 'spoke', to: '@bo' }],
    })
  })

  it('a modifier that names views adds them to the default of its primary', async () => {
    const world = new MemoryWorld(HALL)
    const specs = [
      parseRole({ name: 'guest', canSee: ['/hall'], prompt: '' }),
      parseRole({ name: 'busy', see: ['inbox'], prompt: '' }),
    ]
    const { face } = await buildFace(world.reader(), registry, {
      me: world.being('ann'),
      asker: null,
      specs,
      forModel: true,
    })
    expect(face.views.map(({ name }) => name)).toEqual(['me', 'place', 'occupants', 'things', 'inbox'])
  })
})
