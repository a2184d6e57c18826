import { canonicalJson, type FactDraft, type Json, type JsonObject, type VerbCall } from '@treeos/core'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { actingIn, TOUCH } from '../test/gate-asking.ts'
import { born, MemoryWorld, spaceMade } from '../test/memory-world.ts'
import { decideCall, type Shadowed } from './index.ts'

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

/** Lives the steps one after the other. @returns what each came to, without what is tried */
async function lived(world: MemoryWorld, steps: readonly Step[]) {
  const all: Json[] = []
  let said = 0
  for (const [at, { who, target, times, fromOutside }] of steps.entries()) {
    const call: VerbCall = { verb: 'do', action: TOUCH, target, args: { times } }
    const shadows: Shadowed[] = []
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

it('rules that are tried change no decision, no fact of others and no mark', async () => {
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
