import type { FactDraft, Json, JsonObject } from '@treeos/core'
import { parseRole, type RoleSpec } from '@treeos/roles'
import fc from 'fast-check'
import type { Extension } from '../src/index.ts'
import { born, MemoryWorld } from './memory-world.ts'

/**
 * Places, beings and things of a generated world. Each holds a marker of its own, which stands nowhere else.
 */
export const PLACES = ['/hall', '/hall/nook', '/vault', '/vault/safe', '/yard'] as const
export const BEINGS = ['ann', 'bo', 'cy', 'dee'] as const
export const THINGS = ['globe', 'ring', 'note'] as const
const ROLES = ['wide', 'narrow', 'spy:prompter'] as const

export const markerOf = (what: string): string => `MARK<${what}>`
const keyOf = (what: string): string => `key-${what.replaceAll(/[^a-z]/g, '')}`

/** Addresses of everything that holds a marker. */
export const MARKED: readonly string[] = [
  ...PLACES,
  ...BEINGS.map((name) => `@${name}`),
  ...THINGS.map((id) => `matter:${id}`),
]

const property = fc.constantFrom<Json>(
  'anyone',
  'owner',
  'home',
  'operator',
  { role: 'wide' },
  { role: 'narrow' },
)
const rule = fc.oneof(
  fc.constantFrom<Json>(true, false),
  fc.record({ requires: fc.array(property, { minLength: 1, maxLength: 2 }) }),
  fc.record({ forbid: fc.array(property, { minLength: 1, maxLength: 2 }) }),
) as fc.Arbitrary<Json>
const ruleKey = fc.constantFrom('*', '/vault*', '/hall', '@*', '@bo', 'matter:*', '/yard', 'matter:ring')
const rules = fc.dictionary(ruleKey, rule, { maxKeys: 2 })

const entry = fc.constantFrom<Json>(
  '~',
  ...MARKED,
  { pattern: '*' },
  { pattern: '/vault*' },
  { pattern: '/hall/*' },
  { pattern: '@*' },
  { pattern: 'matter:*' },
  { rel: 'here' },
  { rel: 'present' },
  { pattern: 'vault/@*' },
)
const canSee = fc.array(entry, { maxLength: 3 })
const literal = fc.constantFrom<Json>(...MARKED, { pattern: '*' }, { pattern: '/*' }, { pattern: '@*' })
const place = fc.constantFrom('/', ...PLACES)

export interface Drawn {
  readonly roles: readonly { readonly canSee: readonly Json[] }[]
  readonly rules: readonly (JsonObject | null)[]
  readonly owners: readonly string[]
  readonly beings: readonly {
    readonly home: string
    readonly space: string
    readonly ceiling: readonly Json[] | null
    readonly parent: number
    readonly role: number
    readonly flow: readonly number[]
    /** it set the flow itself, after its maker had */
    readonly isOwnFlow: boolean
  }[]
  readonly things: readonly { readonly place: string; readonly owner: string }[]
}

export const drawnWorld: fc.Arbitrary<Drawn> = fc.record({
  roles: fc.array(fc.record({ canSee }), { minLength: ROLES.length, maxLength: ROLES.length }),
  rules: fc.array(fc.option(rules, { freq: 2 }), {
    minLength: PLACES.length + 1,
    maxLength: PLACES.length + 1,
  }),
  owners: fc.array(fc.constantFrom('operator', ...BEINGS), {
    minLength: PLACES.length,
    maxLength: PLACES.length,
  }),
  beings: fc.array(
    fc.record({
      home: place,
      space: place,
      ceiling: fc.option(fc.array(literal, { maxLength: 2 }), { freq: 4 }),
      parent: fc.nat({ max: 3 }),
      role: fc.nat({ max: ROLES.length - 1 }),
      flow: fc.array(fc.nat({ max: PLACES.length - 1 }), { maxLength: 2 }),
      isOwnFlow: fc.boolean(),
    }),
    { minLength: BEINGS.length, maxLength: BEINGS.length },
  ),
  things: fc.array(
    fc.record({
      place: fc.constantFrom(...PLACES, ...BEINGS.map((name) => `@${name}`)),
      owner: fc.constantFrom('operator', ...BEINGS),
    }),
    { minLength: THINGS.length, maxLength: THINGS.length },
  ),
})

/** An extension that shows all that it can lay hands on. */
export const SPY: Extension = {
  name: 'spy',
  version: '0.0.0',
  roles: [],
  clauses: [],
  operations: [],
  beOperations: [],
  relations: {},
  patterns: {},
  resolvers: {},
  see: {
    async 'spy:all'({ world }) {
      const found: Json[] = []
      for (const path of ['/', ...PLACES])
        found.push([
          (await world.space(path)) as never,
          await world.occupants(path),
          await world.childSpaces(path),
          await world.matters(path),
        ])
      for (const name of BEINGS)
        found.push([
          (await world.being(name)) as never,
          await world.matters(`@${name}`),
          await world.children(name),
          (await world.lineage(name)) as never,
        ])
      for (const id of THINGS) found.push((await world.matter(id)) as never)
      found.push((await world.everyBeing()) as never)
      return found
    },
  },
  scripts: {},
  spaceTypes: {},
  matterTypes: {},
  signals: {},
  schedules: {},
  hooks: {},
  scene: [],
}

/** The roles of a world. The last one prints the whole face in its prompt. */
const specsOf = ({ roles }: Drawn): RoleSpec[] =>
  ROLES.map((name, i) =>
    parseRole({
      name: name.replace(':', '-'),
      canSee: roles[i]?.canSee as never,
      canDo: [{ pattern: '*' }],
      see: ['spy:all', 'me', 'place', 'occupants', 'things'],
      prompt: '',
    }),
  )

export function worldFrom(drawn: Drawn, genesis: readonly FactDraft[]): MemoryWorld {
  const world = new MemoryWorld(genesis)
  const facts: FactDraft[] = []
  const specs = specsOf(drawn)
  for (const spec of specs)
    facts.push({
      reel: 'registry',
      kind: 'role:set',
      payload: { name: spec.name, digest: world.keep(spec as never), origin: 'live', spec: spec as never },
    })
  const rulesOf = (i: number): JsonObject => {
    const see = drawn.rules[i] ?? null
    return see === null ? {} : { permissions: { see } }
  }
  PLACES.forEach((path, i) => {
    const qualities = { ...rulesOf(i), mark: { [keyOf(path)]: markerOf(path) } }
    facts.push({
      reel: `space:${path}`,
      kind: 'space:created',
      payload: { path, type: 'room', owner: drawn.owners[i] ?? null, qualities },
    })
  })
  const root = drawn.rules[PLACES.length] ?? null
  if (root !== null)
    facts.push({
      reel: 'space:/',
      kind: 'quality:set',
      payload: { path: ['permissions'], value: { see: root }, merge: false },
    })
  const own: [string, JsonObject][] = []
  BEINGS.forEach((name, i) => {
    const at = drawn.beings[i]
    if (at === undefined) return
    const primary = specs[at.role]?.name ?? 'wide'
    const flow = [
      ...at.flow.map((n) => ({
        stack: true,
        when: { [`space.quality.mark.${keyOf(PLACES[n] ?? '')}`]: { present: true } },
        role: specs[n % specs.length]?.name ?? primary,
      })),
      { role: primary },
    ]
    const ceiling =
      at.ceiling === null ? null : { canSee: at.ceiling, canDo: [{ pattern: '*' }], canSummon: [], canBe: [] }
    const parent = i === 0 || at.parent >= i ? 'operator' : (BEINGS[at.parent] ?? 'operator')
    const qualities = { roleFlow: flow, mark: { [keyOf(name)]: markerOf(`@${name}`) } }
    facts.push(born(name, parent, { home: at.home, defaultRole: primary, ceiling, qualities } as never))
    facts.push({ reel: `being:${name}`, kind: 'being:moved', payload: { from: at.home, to: at.space } })
    if (at.isOwnFlow) own.push([name, { path: ['roleFlow'], value: flow as never, merge: false }])
  })
  THINGS.forEach((id, i) => {
    const at = drawn.things[i]
    const payload = {
      id,
      type: 'thing',
      owner: at?.owner ?? 'operator',
      place: at?.place ?? '/',
      content: markerOf(`matter:${id}`),
      qualities: {},
    }
    facts.push({ reel: `matter:${id}`, kind: 'matter:created', payload })
  })
  world.write('operator', facts)
  for (const [name, payload] of own)
    world.write(name, [{ reel: `being:${name}`, kind: 'quality:set', payload }])
  return world
}

/**
 * The wakes by which a being may hear of everything that holds a marker: changes, looks, and what goes on
 * from them.
 */
export function wakesOf(
  world: MemoryWorld,
): { readonly id: string; readonly kind: 'event'; readonly content: Json }[] {
  const changed = [
    ...PLACES.map((path) => ({ what: `space.quality.mark.${keyOf(path)}`, target: path as string })),
    ...BEINGS.map((name) => ({ what: `being.quality.mark.${keyOf(name)}`, target: `@${name}` })),
  ].map((of) => ({ event: 'changed', actor: '@operator', ...of }))
  const looks = MARKED.map((address) => ({
    address,
    seen: { qualities: markerOf(address), of: rowOf(world, address) },
  }))
  const look = { event: 'look', actor: '@x', begun: null }
  return [
    ...changed.map((content, i) => ({ id: `change/m/${i}`, kind: 'event' as const, content })),
    ...looks.map((seen, i) => ({
      id: `look/m/${i}`,
      kind: 'event' as const,
      content: { ...look, ...seen, earlier: looks.filter((_, other) => other === (i + 1) % looks.length) },
    })),
    ...changed.map((begun, i) => ({
      id: `continue/m/${i}`,
      kind: 'event' as const,
      content: { event: 'self-continue', begun: { ...begun, value: markerOf(begun.target) } },
    })),
  ]
}

const rowOf = (world: MemoryWorld, address: string): Json =>
  (world.rows.get(
    address.startsWith('@')
      ? `being:${address.slice(1)}`
      : address.startsWith('/')
        ? `space:${address}`
        : address,
  ) ?? null) as never
