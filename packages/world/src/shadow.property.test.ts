import { canonicalJson, type FactDraft, type Json, type JsonObject, type VerbCall } from '@treeos/core'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { actingIn, TOUCH } from '../test/gate-inputs.ts'
import {
  buildRegistry,
  decideCall,
  genesisFacts,
  readWorld,
  type ShadowVerdict,
  seed,
} from '../test/inside.ts'
import { born, MemoryWorld, spaceMade } from '../test/memory-world.ts'

// A long run: FC_RUNS=20000 npx pnpm@12.21.0 exec vitest run packages/world/src/shadow
const numRuns = Number(process.env.FC_RUNS ?? 400)
const SURFACE = { canSee: [{ pattern: '*' }], canDo: [{ pattern: '*' }], canSummon: [], canBe: [] }

const standing = fc.constantFrom<Json>('anyone', 'owner', 'home', 'ancestor', 'operator', { role: 'thief' })
const standings = fc.array(standing, { minLength: 1, maxLength: 2 })
const count = fc.oneof(
  fc.record({ most: fc.integer({ min: 1, max: 3 }), per: fc.constantFrom<Json>([], ['being'], ['target']) }),
  fc.record({ sum: fc.constant('times'), most: fc.integer({ min: 1, max: 6 }) }),
  fc.record({ each: fc.constant('times'), most: fc.integer({ min: 0, max: 3 }) }),
  fc.constant({ after: { do: TOUCH } }),
)
const rule: fc.Arbitrary<Json> = fc.oneof(
  fc.boolean(),
  fc.constant('malformed'),
  fc.record(
    {
      requires: standings,
      forbid: standings,
      counts: fc.array(count, { minLength: 1, maxLength: 2 }),
      ask: fc.record({ who: fc.constant(['operator']) }),
      outside: fc.constantFrom<Json>('forbid', { ask: { who: ['operator'] } }),
    },
    { requiredKeys: [] },
  ) as fc.Arbitrary<Json>,
)
const rules = fc.dictionary(fc.constantFrom(TOUCH, 'carrier:*', '*', 'set-space'), rule, { maxKeys: 3 })
const placed = fc.record({ '/': rules, '/hall': rules, '/hall/nook': rules })
const step = fc.record({
  who: fc.constantFrom('bob', 'cid', 'dot'),
  target: fc.constantFrom('/hall', '/hall/nook'),
  times: fc.integer({ min: 0, max: 3 }),
  fromOutside: fc.boolean(),
})

const set = (path: string, field: string, value: Json): FactDraft => ({
  reel: `space:${path}`,
  kind: 'quality:set',
  payload: { path: [field], value, merge: true },
})

function worldOf(own: JsonObject, shadow: JsonObject | null, marked: boolean): MemoryWorld {
  const world = new MemoryWorld()
  world.write('$reality', [
    spaceMade('/hall', 'operator'),
    spaceMade('/hall/nook', 'bob'),
    born('bob', 'operator', { home: '/hall' }),
    born('cid', 'bob', { home: '/hall', defaultRole: 'thief' }),
    born('dot', 'cid'),
  ])
  const write = (field: string, all: JsonObject) =>
    world.write(
      'operator',
      Object.entries(all).map(([path, value]) => set(path, field, { do: value })),
    )
  write('permissions', own)
  if (shadow !== null) write('shadow', shadow)
  if (marked) world.write('cid', [{ reel: 'being:cid', kind: 'origin:outside', payload: {} }])
  return world
}

/** Lives the steps one after the other. @returns what each came to, without dry runs */
async function lived(world: MemoryWorld, steps: readonly Step[]) {
  const all: Json[] = []
  let said = 0
  for (const [at, { who, target, times, fromOutside }] of steps.entries()) {
    const call: VerbCall = { verb: 'do', operation: TOUCH, target, args: { times } }
    const shadows: ShadowVerdict[] = []
    const reader = world.reader()
    const acting = { ...actingIn(world, who, SURFACE), reader, openedAt: at, fromOutside, shadows }
    const done = await decideCall(call, acting).catch(({ code, message, detail }) => ({
      code,
      message,
      detail,
    }))
    const facts: readonly FactDraft[] = 'facts' in done ? done.facts : []
    world.write(who, facts, at)
    const own = facts.filter(({ reel }) => !reel.includes(' shadow.'))
    const told = { ...done, ...('facts' in done ? { facts: own } : {}), outside: reader.hasOutside }
    all.push(JSON.parse(JSON.stringify(told)))
    said += shadows.length
  }
  return { all: canonicalJson(all), said }
}
type Step = {
  readonly who: string
  readonly target: string
  readonly times: number
  readonly fromOutside: boolean
}

it('dry-run rules change no decision, no fact of others and no mark', async () => {
  let said = 0
  const worlds = fc.tuple(placed, placed, fc.array(step, { minLength: 1, maxLength: 5 }), fc.boolean())
  await fc.assert(
    fc.asyncProperty(worlds, async ([own, shadow, steps, marked]) => {
      const without = await lived(worldOf(own, null, marked), steps)
      const beside = await lived(worldOf(own, shadow, marked), steps)
      expect(beside.all).toBe(without.all)
      expect(without.said).toBe(0)
      said += beside.said
    }),
    { numRuns },
  )
  expect(said).toBeGreaterThan(numRuns / 10) // they say something often enough for this to show anything
})

const FREE = { canSee: [], canDo: [], canSummon: [], canBe: [], see: ['me', 'place'], prompt: '' }
const ROLES = ['resident', 'birther', 'herald', 'gone']
const condition = fc.constantFrom<JsonObject>(
  { 'moment.outside': true },
  { 'world.town.bell': true },
  { 'space.quality.ambient.tone': 'calm' },
  { 'me.quality.mood.tone': { present: true } },
  { 'me.quality.shadow': { present: true } },
  { 'space.quality.shadow': { present: true } },
  { 'time.hour': { gte: 12 } },
)
const clause = fc.record(
  { when: condition, role: fc.constantFrom(...ROLES), stack: fc.boolean() },
  { requiredKeys: ['role'] },
)
const flow = fc.array(clause, { maxLength: 4 }) as unknown as fc.Arbitrary<JsonObject[]>
const registry = buildRegistry([seed])

/** What a being opens with. @param hidden it may not see its place */
async function opened(
  own: Json,
  shadow: Json | null,
  at: { hidden: boolean; marked: boolean; hour: number },
) {
  const mood = { mood: { tone: 'mild' } }
  const see = at.hidden ? { permissions: { see: { '*': { forbid: ['anyone'] } } } } : {}
  const world = new MemoryWorld([
    ...genesisFacts(),
    {
      reel: 'space:/hall',
      kind: 'space:created',
      payload: { path: '/hall', type: 'room', owner: 'operator' },
    },
    ...Object.entries({ ambient: { tone: 'calm' }, ...see }).map(([name, value]) =>
      set('/hall', name, value),
    ),
    {
      reel: 'world:town',
      kind: 'signal:published',
      payload: { namespace: 'town', key: ['bell'], value: true },
    },
    ...(at.marked ? [{ reel: 'world:town', kind: 'origin:outside', payload: {} }] : []),
    ...ROLES.slice(0, 3).map((name) => ({
      reel: 'registry',
      kind: 'role:set',
      payload: { name, digest: canonicalJson({ ...FREE, name }), origin: 'seed' },
    })),
    born('ann', 'operator', {
      home: '/hall',
      cognition: { kind: 'llm', script: null },
      defaultRole: 'resident',
      qualities: { roleFlow: own, ...mood, ...(shadow === null ? {} : { shadow }) },
    }),
  ])
  if (shadow !== null) world.write('operator', [set('/hall', 'shadow', { do: { '*': false } })])
  for (const name of ROLES) world.keep({ ...FREE, name })
  const time = { openedAt: 0, zone: 'UTC', hour: at.hour, dayOfWeek: 1, offset: 0 }
  const wake = { verb: 'summon', kind: 'message', trigger: null, lastSealed: null, asker: null } as const
  const opening = {
    me: world.being('ann'),
    cognition: 'llm',
    asked: null,
    caller: null,
    time,
    ...wake,
  } as const
  return readWorld(world.reader(), registry, opening)
}

it('a dry-run flow changes nothing that a moment opens with, and says what it would have worn', async () => {
  let said = 0
  const scene = fc.record({ hidden: fc.boolean(), marked: fc.boolean(), hour: fc.constantFrom(9, 15) })
  await fc.assert(
    fc.asyncProperty(flow, flow, scene, async (own, shadow, at) => {
      const [without, beside, as] = [
        await opened(own, null, at),
        await opened(own, shadow, at),
        await opened(shadow, null, at),
      ]
      const { shadow: worn, triedOutside: marks, basis: _more, ...same } = beside
      const { shadow: none, triedOutside: noMarks, basis: _basis, ...due } = without
      expect(canonicalJson(JSON.parse(JSON.stringify(same)))).toBe(
        canonicalJson(JSON.parse(JSON.stringify(due))),
      )
      expect(none).toBeNull()
      expect(noMarks).toEqual([])
      // A mark that only the dry-run flow would read is said apart, since the moment does not get it.
      expect(marks).toEqual(
        as.outside && !beside.outside && beside.result.skip === undefined ? ['world:town'] : [],
      )
      if (beside.result.skip !== undefined) return expect(worn).toBeNull()
      said += worn === null ? 0 : 1
      // Worn in earnest, it gives the same, unless what it reads marks the moment.
      if (as.outside !== beside.outside || as.result.skip !== undefined) return
      const names = [as.result.primary, ...as.result.stacked]
      expect(worn ?? [beside.result.primary, ...beside.result.stacked]).toEqual(names)
    }),
    { numRuns },
  )
  expect(said).toBeGreaterThan(numRuns / 10)
})
