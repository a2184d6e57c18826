/**
 * What moments that look back show of the past: by an oracle that asks of each word, one by one, why it may
 * stand there.
 */
import type { FactDraft, JsonObject, LookingBack, PastActs, PastFact } from '@treeos/core'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { born, MemoryWorld } from '../test/memory-world.ts'
import { buildRegistry, genesisFacts, memoryRows, readWorld, seed, WorldReader } from './index.ts'

const registry = buildRegistry([seed])
const REELS = [
  'being:bo',
  'being:cy',
  'being:di',
  'space:/hall',
  'space:/vault',
  'space:/yard',
  'matter:cup',
  'matter:gem',
] as const
/** What SEE of each answers to ann: by her lists and the rules of the spaces. */
const SEEN: ReadonlySet<string> = new Set([
  'being:ann',
  'being:bo',
  'being:di',
  'space:/hall',
  'space:/yard',
  'matter:cup',
])
/** Those of which something is in her face while she is in the hall. */
const AROUND: ReadonlySet<string> = new Set(['being:bo', 'being:cy', 'space:/hall', 'matter:cup'])

const WORLD: readonly FactDraft[] = [
  ...genesisFacts(),
  ...['/hall', '/vault', '/yard'].map((path) => ({
    reel: `space:${path}`,
    kind: 'space:created',
    payload: { path, type: 'room', owner: 'operator' },
  })),
  born('ann', 'operator', {
    home: '/hall',
    cognition: { kind: 'scripted', script: 'x' },
    defaultRole: 'self',
    qualities: {},
  }),
  born('bo', 'operator', { home: '/hall' }),
  born('cy', 'operator', { home: '/hall' }),
  born('di', 'operator', { home: '/yard' }),
  {
    reel: 'matter:cup',
    kind: 'matter:created',
    payload: { id: 'cup', type: 'cup', place: '/hall', owner: 'ann', content: 'W-cup' },
  },
  {
    reel: 'matter:gem',
    kind: 'matter:created',
    payload: { id: 'gem', type: 'gem', place: '/vault', owner: 'operator', content: 'W-gem' },
  },
  ...['being:bo', 'being:di', 'space:/hall', 'space:/yard'].map((reel) => ({
    reel,
    kind: 'quality:set',
    payload: { path: ['note'], value: `W-${reel}` },
  })),
  {
    reel: 'space:/vault',
    kind: 'quality:set',
    payload: { path: ['permissions'], value: { see: { '*': { requires: ['operator'] } } }, merge: false },
  },
]

type Said = { readonly to: string } | { readonly on: string }
interface DrawnAct {
  readonly did: readonly Said[]
  /** facts of the being that its first fact woke */
  readonly caused: readonly Said[]
  readonly by: string
}

const said: fc.Arbitrary<Said> = fc.oneof(
  fc.constantFrom('bo', 'cy', 'di', 'ann').map((to) => ({ to })),
  fc.constantFrom(...REELS).map((on) => ({ on })),
)
const act: fc.Arbitrary<DrawnAct> = fc.record({
  did: fc.array(said, { minLength: 1, maxLength: 3 }),
  caused: fc.array(said, { maxLength: 3 }),
  by: fc.constantFrom('bo', 'cy', 'di'),
})

/** A word of the past, and what is true of it. */
interface Word {
  readonly marker: string
  readonly act: number
  readonly reel: string
  readonly to: string | null
  readonly by: string
  readonly isErased: boolean
}

/** The facts as Postgres gives them, newest act first, and each word that they hold. */
function pastOf(acts: readonly DrawnAct[], erased: ReadonlySet<number>) {
  const words: Word[] = []
  const facts: PastFact[] = []
  const write = (one: Said, by: string, at: { act: number; moment: string; cause: string | null }) => {
    const marker = `P${words.length}.`
    const to = 'to' in one ? one.to : null
    const reel = 'on' in one ? one.on : `being:${by}`
    const isErased = erased.has(words.length)
    words.push({ marker, act: at.act, reel, to, by, isErased })
    facts.push({
      ref: [reel, words.length, `h${words.length}`],
      kind: to === null ? 'quality:set' : 'being:summoned',
      actor: by,
      at: at.act,
      cause: at.cause,
      moment: at.moment,
      payload: isErased ? null : to === null ? { path: ['note'], value: marker } : { to, content: marker },
    })
    return `h${words.length}`
  }
  for (const [i, { did, caused, by }] of acts.entries()) {
    const hashes = did.map((one) =>
      write(one, 'ann', { act: i, moment: `ann/1/${acts.length - i}`, cause: null }),
    )
    for (const one of caused) write(one, by, { act: i, moment: `${by}/1/${i + 1}`, cause: hashes[0] ?? '' })
  }
  return { words, facts }
}

/** Which words may stand in the view: said as relations over the words, not as a walk over acts. */
function due(words: readonly Word[], orientation: LookingBack): Set<string> {
  const touches = ({ reel, to, by, isErased }: Word) =>
    AROUND.has(reel) || (by === 'ann' && to !== null && !isErased && AROUND.has(`being:${to}`))
  const linked = new Set(words.filter(touches).map((word) => word.act))
  return new Set(
    words
      .filter((word) => !word.isErased && SEEN.has(word.reel))
      .filter((word) => word.by === 'ann' || (orientation === 'half' && word.to === 'ann'))
      .filter((word) => orientation === 'inward' || linked.has(word.act))
      .map(({ marker }) => marker),
  )
}

async function openOver(recalled: PastActs<PastFact>, orientation: LookingBack) {
  const world = new MemoryWorld(WORLD)
  const role = {
    canSee: ['/hall', '/vault', '/yard', '@bo', '@di'],
    canDo: [],
    canSummon: ['@bo', { rel: 'children' }],
    canBe: [],
    see: ['place'],
  }
  const digest = world.keep({ ...role, name: 'self', prompt: '' } as unknown as JsonObject)
  world.write('$reality', [
    { reel: 'registry', kind: 'role:set', payload: { name: 'self', digest, origin: 'seed' } },
  ])
  const reader = new WorldReader(memoryRows(world.rows, world.kept, { past: async () => recalled }))
  const me = world.being('ann')
  return readWorld(reader, registry, {
    ...{ me, cognition: 'scripted', verb: 'summon', kind: 'message', caller: null, lastSealed: null },
    ...{ asked: null, trigger: null, asker: null, orientation },
    time: { openedAt: 0, zone: 'UTC', hour: 1, dayOfWeek: 1, offset: 0 },
  })
}

const markersIn = (text: string): string[] => text.match(/P\d+\./g) ?? []

it('half shows what a cause links to the face, inward own acts alone, and neither what may not be seen: over 1,000 moments', async () => {
  let shown = 0
  const orientations = fc.constantFrom<LookingBack>('half', 'inward')
  const property = fc.asyncProperty(
    orientations,
    fc.array(act, { minLength: 1, maxLength: 8 }),
    fc.array(fc.nat({ max: 40 }), { maxLength: 3 }),
    async (orientation, acts, gone) => {
      const { words, facts } = pastOf(acts, new Set(gone))
      const seen = await openOver({ facts, earlier: 0 }, orientation)
      const text = seen.faceText ?? ''
      expect(seen.orientation).toBe(orientation)
      expect(new Set(markersIn(text))).toEqual(due(words, orientation))
      shown += due(words, orientation).size
      if (orientation === 'inward') expect(text).not.toMatch(/W-|"occupants":\["/)
      // What was recorded gives the same moment again; and what is erased later changes no read.
      expect(seen.aside.past?.facts).toEqual(facts.map(({ ref }) => ref))
      expect((await openOver({ facts, earlier: 0 }, orientation)).faceText).toBe(text)
      const blank = facts.map((fact) => ({ ...fact, payload: null }))
      const later = await openOver({ facts: blank, earlier: 0 }, orientation)
      expect([later.basis, later.aside]).toEqual([seen.basis, seen.aside])
      expect(markersIn(later.faceText ?? '')).toEqual([])
    },
  )
  await fc.assert(property, { numRuns: 1000 })
  expect(shown).toBeGreaterThan(1000)
}, 60_000)

it('names what it left out: earlier acts, acts that were not searched, and what may not be seen', async () => {
  const long = { path: ['note'], value: 'x'.repeat(900) }
  const facts = Array.from({ length: 16 }, (_, i): PastFact[] =>
    ['space:/hall', 'space:/yard', 'space:/vault'].map((reel, j) => ({
      ref: [reel, 100 - i, `h${i}-${j}`],
      ...{ kind: 'quality:set', actor: 'ann', at: 1, cause: null, moment: `ann/1/${16 - i}`, payload: long },
    })),
  ).flat()
  const seen = await openOver({ facts, earlier: 4, unasked: 7 }, 'half')
  const view = seen.face?.views.find(({ name }) => name === 'past')?.view as {
    acts: unknown[]
    cut: string[]
  }
  expect(JSON.stringify(view).length).toBeLessThan(17_000)
  expect(view.cut).toEqual([
    `${4 + 16 - view.acts.length} earlier acts`,
    '7 acts before the last 1000, which were not searched',
    '16 facts of what may not be seen now',
  ])
})

it('marks the moment where a recalled act held words from outside', async () => {
  const { facts } = pastOf([{ did: [{ on: 'space:/hall' }], caused: [], by: 'bo' }], new Set())
  for (const orientation of ['half', 'inward'] as const) {
    const seen = await openOver({ facts, earlier: 0, outside: true }, orientation)
    expect([seen.outside, seen.face?.views.at(-1)?.outside]).toEqual([true, true])
    expect((await openOver({ facts, earlier: 0 }, orientation)).outside).toBe(false)
  }
})
