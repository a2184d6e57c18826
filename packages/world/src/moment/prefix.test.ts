import type { CitedFact, Json } from '@treeos/core'
import { parseRole } from '@treeos/roles'
import { expect, it } from 'vitest'
import { born, MemoryWorld } from '../../test/memory-world.ts'
import {
  buildFace,
  buildRegistry,
  composeMoment,
  genesisFacts,
  memoryRows,
  openTime,
  seed,
  WorldReader,
} from '../index.ts'

const registry = buildRegistry([seed])
const RESIDENT = registry.roles.get('resident')?.spec

/** What one moment of @ann is: who asks, and what she did and said before. */
interface Asked {
  readonly from: string
  readonly content: string
  readonly minute: number
  readonly said?: readonly CitedFact[]
}

/** The whole prompt of one moment of @ann, who lives in a furnished hall with @bo and @cy. */
async function promptOf(
  layout: 'as-told' | 'stable-first',
  { from, content, minute, said = [] }: Asked,
): Promise<string> {
  const openedAt = Date.UTC(2026, 10, 22, 21, minute)
  const thing = (id: string) => ({
    reel: `matter:${id}`,
    kind: 'matter:created',
    payload: { id, type: 'note', owner: 'ann', place: '/hall', content: `a ${id} of brass`, qualities: {} },
  })
  const world = new MemoryWorld([
    ...genesisFacts(),
    {
      reel: 'space:/hall',
      kind: 'space:created',
      payload: { path: '/hall', type: 'room', owner: 'operator', qualities: { ambient: { tone: 'quiet' } } },
    },
    born('ann', 'operator', { home: '/hall', cognition: { kind: 'llm', script: null } }),
    born('bo', 'operator', { home: '/hall' }),
    born('cy', 'operator', { home: '/hall' }),
    thing('globe'),
    thing('lamp'),
  ])
  const reader = new WorldReader(
    memoryRows(world.rows, new Map(), {
      wore: async () => ({ bo: 'guard' }),
      said: async () => ({ facts: said, earlier: 0 }),
      did: async () => [
        { ref: ['being:ann', minute, ''], kind: 'being:summoned', payload: { to: from, content: 'x' } },
      ],
    }),
  )
  const specs = [parseRole({ ...RESIDENT, layout })]
  const lastSealed = { sealedAt: openedAt - 30_000, primary: 'resident' }
  const me = world.being('ann')
  const { face } = await buildFace(reader, registry, { me, asker: from, specs, forModel: true, lastSealed })
  const { prompt } = composeMoment(registry, specs, face, {
    wake: {
      id: `w${minute}`,
      kind: 'summon',
      root: said.length > 0 ? 'thread' : `w${minute}`,
      inReplyTo: null,
    },
    caller: { name: from, role: 'operator', cognition: 'human' },
    verb: 'summon',
    ...openTime(openedAt, 'Europe/Berlin'),
    content,
  })
  return prompt.system + prompt.user
}

/**
 * The part of a prompt that a provider need not read anew: what it begins with alike with the prompt before
 * it.
 */
function shareOf(before: string, now: string): number {
  let alike = 0
  while (alike < now.length && before[alike] === now[alike]) alike += 1
  return alike / now.length
}

const words = (from: string, to: string, content: Json, n: number): CitedFact => ({
  ref: [`being:${from}`, n, `hash-${n}`],
  kind: 'being:summoned',
  payload: { to, content, root: 'thread' },
})
const TALK = [words('bo', 'ann', 'Good evening.', 1), words('ann', 'bo', 'Good evening, and welcome.', 2)]

const FIRST: Asked = { from: 'bo', content: 'What is this place?', minute: 10 }
it.each<[string, Asked, Asked, { 'as-told': number; 'stable-first': number }]>([
  [
    'the same asker in a new thread',
    FIRST,
    { from: 'bo', content: 'Who is here?', minute: 11 },
    { 'as-told': 0.8, 'stable-first': 0.8 },
  ],
  [
    'another asker',
    FIRST,
    { from: 'cy', content: 'Who is here?', minute: 11 },
    { 'as-told': 0.5, 'stable-first': 0.6 },
  ],
  [
    'the next words of a thread',
    { ...FIRST, said: TALK },
    {
      from: 'bo',
      content: 'And you?',
      minute: 12,
      said: [...TALK, words('bo', 'ann', 'What is this place?', 3)],
    },
    { 'as-told': 0.45, 'stable-first': 0.65 },
  ],
])(
  'of a resident being most of a prompt is that of the one before it: %s',
  async (_what, before, now, shares) => {
    for (const layout of ['as-told', 'stable-first'] as const) {
      const share = shareOf(await promptOf(layout, before), await promptOf(layout, now))
      expect.soft(share, layout).toBeGreaterThan(shares[layout])
    }
  },
)
