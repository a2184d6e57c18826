import type { Json, VerbCall } from '@treeos/core'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { actingIn, TOUCH } from '../test/gate-inputs.ts'
import {
  type ActInputs,
  type BeingRow,
  decideCall,
  type SpaceRow,
  whyNotAllowed,
  wonderingOf,
} from '../test/inside.ts'
import { born, MemoryWorld, spaceMade } from '../test/memory-world.ts'

// A long run: FC_RUNS=20000 npx pnpm@12.21.0 exec vitest run packages/world/src/why-not
const numRuns = Number(process.env.FC_RUNS ?? (process.env.TREEOS_NIGHTLY === '1' ? 500 : 300))

const LISTS = { canSee: 'see', canDo: 'do', canSummon: 'summon' } as const
type List = keyof typeof LISTS

/** One generated question: who may do what, and a call that these gates are asked about. */
interface Scene {
  readonly call: VerbCall
  readonly list: List
  /** the one that the list gate compares */
  readonly target: string
  readonly world: MemoryWorld
  readonly holds: boolean
}

const property = fc.constantFrom<Json>(
  'anyone',
  'self',
  'ancestor',
  'owner',
  'contributor',
  'home',
  'operator',
  {
    role: 'clerk',
  },
)
const rule = fc.oneof(
  fc.constantFrom<Json>(true, false, {}, 'yes'),
  fc.record({ requires: fc.array(property, { maxLength: 2 }) }) as fc.Arbitrary<Json>,
  fc.record({ forbid: fc.array(property, { minLength: 1, maxLength: 2 }) }) as fc.Arbitrary<Json>,
  fc.record({
    requires: fc.array(property, { maxLength: 2 }),
    forbid: fc.array(property, { minLength: 1, maxLength: 2 }),
  }) as fc.Arbitrary<Json>,
)
const CALLS = {
  see: { call: { verb: 'see', address: '/hall/nook' }, list: 'canSee', target: '/hall/nook' },
  touch: {
    call: { verb: 'do', operation: TOUCH, target: '/hall/nook', args: {} },
    list: 'canDo',
    target: TOUCH,
  },
  pat: { call: { verb: 'do', operation: TOUCH, target: '@cid', args: {} }, list: 'canDo', target: TOUCH },
  speak: {
    call: { verb: 'summon', target: '@cid', content: 'hi', inReplyTo: null },
    list: 'canSummon',
    target: '@cid',
  },
} as const satisfies Record<string, { call: VerbCall; list: List; target: string }>

const bound = (target: string) => fc.constantFrom<readonly string[] | null>(null, [], [target], ['other'])

const scenes: fc.Arbitrary<Scene> = fc.constantFrom(...Object.values(CALLS)).chain(({ call, list, target }) =>
  fc
    .record({
      holds: fc.boolean(),
      ceilings: fc.tuple(bound(target), bound(target)),
      rules: fc.array(
        fc.tuple(fc.constantFrom('/', '/hall', '/hall/nook'), fc.constantFrom(target, '*'), rule),
        { maxLength: 4 },
      ),
      owner: fc.constantFrom('operator', 'bob', 'cid'),
    })
    .map(({ holds, ceilings, rules, owner }) => {
      const world = new MemoryWorld()
      const lists = (entries: readonly string[] | null) =>
        entries === null ? null : { canSee: [], canDo: [], canSummon: [], canBe: [], [list]: entries }
      world.write('$reality', [
        spaceMade('/hall', owner),
        spaceMade('/hall/nook', null),
        born('ann', 'operator', { ceiling: lists(ceilings[0]) }),
        born('bob', 'ann', { ceiling: lists(ceilings[1]), defaultRole: 'clerk', home: '/hall' }),
        born('cid', 'bob', { home: '/hall/nook' }),
      ])
      for (const [space, name, to] of rules) setRule(world, space, LISTS[list], name, to)
      return { call, list, target, world, holds }
    }),
)

function setRule(world: MemoryWorld, space: string, verb: string, name: string, to: Json | undefined): void {
  const row = world.space(space)
  const permissions = { ...(row.qualities.permissions as Record<string, Record<string, Json>> | undefined) }
  const { [name]: _, ...others } = permissions[verb] ?? {}
  permissions[verb] = to === undefined ? others : { ...others, [name]: to }
  world.rows.set(`space:${space}`, { ...row, qualities: { ...row.qualities, permissions } } as SpaceRow)
}

const acting = ({ world, holds, list, target }: Scene): ActInputs =>
  actingIn(world, 'bob', { canSee: [], canDo: [], canSummon: [], canBe: [], [list]: holds ? [target] : [] })

async function isAllowed(scene: Scene): Promise<boolean> {
  try {
    await decideCall(scene.call, acting(scene))
    return true
  } catch (error) {
    if (error instanceof Error && error.name === 'TreeosError') return false
    throw error
  }
}

/** One permission changed in a way that allows most. */
type Change = (scene: Scene) => Scene

function changesOf(scene: Scene): Change[][] {
  const { list, target } = scene
  const inWorld =
    (change: (world: MemoryWorld) => void): Change =>
    (before) => {
      const world = before.world.fork()
      change(world)
      return { ...before, world }
    }
  const raised = (name: string) =>
    inWorld((world) => {
      world.rows.set(`being:${name}`, { ...world.being(name), ceiling: null } as BeingRow)
    })
  const rules = ['/', '/hall', '/hall/nook'].flatMap((space) =>
    [target, '*'].map((name) =>
      [undefined, true].map((to) => inWorld((world) => setRule(world, space, LISTS[list], name, to))),
    ),
  )
  return [[(before: Scene) => ({ ...before, holds: true })], [raised('ann')], [raised('bob')], ...rules]
}

/** Whether fewer than `size` changed permissions would do. */
async function hasSmaller(scene: Scene, size: number, left = changesOf(scene)): Promise<boolean> {
  if (size <= 0) return false
  if (await isAllowed(scene)) return true
  for (const [i, ways] of left.entries())
    for (const way of ways) if (await hasSmaller(way(scene), size - 1, left.slice(i + 1))) return true
  return false
}

/** The scene with an answer applied. */
function applied(scene: Scene, changes: readonly { path: string; to?: Json }[]): Scene {
  const world = scene.world.fork()
  let { holds } = scene
  for (const { path, to } of changes) {
    const [place = '', what = ''] = path.split(' ')
    if (what === '') holds = (to as string[]).includes(scene.target)
    else if (place.startsWith('@')) {
      const row = world.being(place.slice(1))
      world.rows.set(`being:${row.name}`, {
        ...row,
        ceiling: { ...row.ceiling!, [scene.list]: to },
      } as BeingRow)
    } else {
      const [, verb = '', ...name] = what.split('.')
      setRule(world, place, verb, name.join('.'), to)
    }
  }
  return { ...scene, world, holds }
}

it('the change of permissions that allows an act allows it, and no smaller one does', {
  timeout: 600_000,
}, async () => {
  const sizes = new Map<string, number>()
  await fc.assert(
    fc.asyncProperty(scenes, async (scene) => {
      const answer = await whyNotAllowed(scene.call, wonderingOf(acting(scene), scene.world.source))
      const size = answer.changes === null ? answer.code : String(answer.changes.length)
      sizes.set(size, (sizes.get(size) ?? 0) + 1)
      if (answer.changes === null) expect(await hasSmaller(scene, 4)).toBe(false)
      else {
        expect(await isAllowed(applied(scene, answer.changes)), JSON.stringify(answer)).toBe(true)
        expect(await hasSmaller(scene, answer.changes.length), JSON.stringify(answer)).toBe(false)
      }
    }),
    { numRuns, seed: 18 },
  )
  for (const size of ['0', '1', '2', '3', '4', 'FORBIDDEN'])
    expect(sizes.get(size) ?? 0, `${size} of ${JSON.stringify([...sizes])}`).toBeGreaterThan(numRuns / 200)
})

it('the same tries see an answer that is one change too large', { timeout: 600_000 }, async () => {
  let seen = 0
  await fc.assert(
    fc.asyncProperty(scenes, async (scene) => {
      const { changes } = await whyNotAllowed(scene.call, wonderingOf(acting(scene), scene.world.source))
      if (changes === null || changes.length > 2) return
      seen += 1
      expect(await hasSmaller(scene, changes.length + 1)).toBe(true)
    }),
    { numRuns: 100, seed: 18 },
  )
  expect(seen).toBeGreaterThan(20)
})
