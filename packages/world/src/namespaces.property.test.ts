import { type Json, TreeosError, type VerbCall } from '@treeos/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { actingIn } from '../test/gate-inputs.ts'
import {
  type ActInputs,
  buildRegistry,
  decideCall,
  type Extension,
  genesisFacts,
  type Operation,
  seed,
} from '../test/inside.ts'
import { born, MemoryWorld } from '../test/memory-world.ts'

const EMPTY: Omit<Extension, 'name' | 'operations'> = {
  version: '0.0.0',
  roles: [],
  clauses: [],
  beOperations: [],
  relations: {},
  patterns: {},
  resolvers: {},
  see: {},
  scripts: {},
  spaceTypes: {},
  matterTypes: {},
  signals: {},
  schedules: {},
  hooks: {},
  scene: [],
}

/** Sets a quality in any namespace, on anything. */
const scribbling = (name: string): Operation => ({
  name: `${name}:scribble`,
  description: 'Writes.',
  targets: ['being', 'space', 'matter'],
  allow: ['anyone'],
  args: {},
  decide: ({ args, target }) => {
    const [reel] = target.kind === 'being' ? [`being:${target.being.name}`] : ['space:/']
    return {
      facts: [{ reel, kind: 'quality:set', payload: { path: args.path ?? null, value: 1, merge: true } }],
      result: null,
    }
  },
})

/** Carries out an operation of TreeOS for its actor. */
const carrying = (name: string): Operation => ({
  name: `${name}:carry`,
  description: 'Carries out.',
  targets: ['being'],
  allow: ['anyone'],
  args: {},
  decide: async ({ args, carryOut, actor }) => ({
    facts: [],
    result: await carryOut({
      operation: String(args.action),
      target: `@${actor.name}`,
      args: args.given as never,
    }),
  }),
})

const extension = (name: string): Extension => ({
  ...EMPTY,
  name,
  operations: [scribbling(name), carrying(name)],
  carriesOut: ['set-being', 'set-roleflow', 'set-schedule', 'subscribe'],
})
const REGISTRY = buildRegistry([seed, extension('panel'), extension('court')])

const NAMESPACES = [
  'panel',
  'court',
  'mood',
  'wake',
  'a2a',
  'chat',
  'llm',
  'schedule',
  'subscription',
  'permissions',
  'roleFlow',
  ...'being space world role thread live'.split(' '),
]
const path = fc
  .tuple(fc.constantFrom(...NAMESPACES), fc.constantFrom('to', 'verdict', 'idle'))
  .map((keys) => keys.join('.'))
const field = fc.record({
  field: fc.oneof(path, fc.constantFrom(...NAMESPACES)),
  value: fc.constantFrom<Json>(60, { to: 'bo' }),
})
const target = fc.constantFrom('@ann', '@bo', '/', '/hall', 'matter:globe')
const setting = fc
  .tuple(fc.constantFrom('set-being', 'set-space', 'set-matter'), target, field)
  .map(([operation, on, args]): VerbCall => ({ verb: 'do', operation, target: on, args }))
const scribble = fc.tuple(fc.constantFrom('panel:scribble', 'court:scribble'), target, path).map(
  ([operation, on, dotted]): VerbCall => ({
    verb: 'do',
    operation,
    target: on,
    args: { path: dotted.split('.') },
  }),
)
const carried = fc
  .tuple(
    fc.constantFrom('panel:carry', 'court:carry'),
    fc.constantFrom('set-being', 'set-schedule', 'subscribe', 'set-roleflow'),
    fc.oneof(
      field,
      fc.constant({ name: 'x', everySeconds: 5 }),
      fc.constant({ name: 'x', scope: 'everywhere', field: 'world.a' }),
      fc.constant({ flow: [{ role: 'resident' }] }),
    ),
  )
  .map(
    ([operation, does, given]): VerbCall => ({
      verb: 'do',
      operation,
      target: '@ann',
      args: { action: does, given } as never,
    }),
  )
const own = fc.constantFrom<VerbCall>(
  { verb: 'do', operation: 'set-schedule', target: '@ann', args: { name: 'x', everySeconds: 5 } },
  {
    verb: 'do',
    operation: 'subscribe',
    target: '@ann',
    args: { name: 'x', scope: 'everywhere', field: 'world.a' },
  },
  { verb: 'do', operation: 'set-roleflow', target: '@ann', args: { flow: [{ role: 'resident' }] } },
)

/**
 * Who writes which namespace, told again: the operations of TreeOS by name, else the extension and the
 * operator.
 */
const OURS: Readonly<Record<string, RegExp>> = {
  wake: /^set-being$/,
  a2a: /^set-being$/,
  chat: /^set-being$/,
  llm: /^set-being$/,
  permissions: /^set-space$/,
  schedule: /^set-schedule$/,
  subscription: /^subscribe$/,
  roleFlow: /^set-roleflow$/,
}
function mayWrite(namespace: string, call: VerbCall, who: string): boolean {
  if (call.verb !== 'do') return false
  const [origin, part] = call.operation.includes(':') ? call.operation.split(':') : ['seed', call.operation]
  const by = part === 'carry' ? String(call.args.action) : call.operation
  if (Object.hasOwn(OURS, namespace)) return OURS[namespace]?.test(by) === true
  if (namespace === 'mood') return part !== 'scribble'
  if (!['panel', 'court'].includes(namespace)) return false
  return (part === 'scribble' && origin === namespace) || (part !== 'scribble' && who === 'operator')
}

function worldOf(): MemoryWorld {
  const world = new MemoryWorld(genesisFacts())
  world.write('operator', [
    born('ann', 'operator'),
    born('bo', 'ann'),
    {
      reel: 'space:/hall',
      kind: 'space:created',
      payload: { path: '/hall', type: 'room', owner: 'ann', qualities: {} },
    },
    {
      reel: 'matter:globe',
      kind: 'matter:created',
      payload: { id: 'globe', type: 'thing', owner: 'ann', place: '/hall', content: 1, qualities: {} },
    },
  ])
  return world
}

const SURFACE = { canSee: [{ pattern: '*' }], canDo: [{ pattern: '*' }], canSummon: [], canBe: [] }

/** Namespaces that one call wrote; none when it was refused. */
async function writtenBy(call: VerbCall, who: string, registry: ActInputs['registry']): Promise<string[]> {
  const world = worldOf()
  const role = { name: 'resident', canSee: [], canDo: [], canSummon: [], canBe: [], see: [], prompt: '' }
  const digest = world.keep(role as never)
  world.write('operator', [
    {
      reel: 'registry',
      kind: 'role:set',
      payload: { name: 'resident', digest, origin: 'seed', spec: role as never },
    },
  ])
  try {
    const act = await decideCall(call, { ...actingIn(world, who, SURFACE), registry })
    if (act.kind !== 'act') return []
    return act.facts.flatMap(({ kind, payload }) =>
      kind === 'quality:set' && Array.isArray(payload.path) ? [String(payload.path[0])] : [],
    )
  } catch (error) {
    if (error instanceof TreeosError) return []
    throw error
  }
}

describe('a namespace of qualities is of those that it belongs to', () => {
  it('over all operations that write qualities, by whoever calls them, directly or carried out', async () => {
    const tried = { calls: 0, written: 0 }
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(setting, scribble, carried, own),
        fc.constantFrom('ann', 'bo', 'operator'),
        async (call, who) => {
          tried.calls += 1
          for (const namespace of await writtenBy(call, who, REGISTRY)) {
            tried.written += 1
            expect(
              mayWrite(namespace, call, who),
              `${who} wrote ${namespace} by ${JSON.stringify(call)}`,
            ).toBe(true)
          }
        },
      ),
      { numRuns: Number(process.env.FC_RUNS ?? 3000) },
    )
    expect(tried.written, JSON.stringify(tried)).toBeGreaterThan(200)
  })

  it.each([
    ['panel.verdict.to', 'ann', []],
    ['panel.verdict.to', 'operator', ['panel']],
    ['mood.tone', 'ann', ['mood']],
    ['wake.idle', 'ann', ['wake']],
    ['world.tick', 'operator', []],
  ])('%s is set by hand by @%s: %j', async (field, who, written) => {
    const call: VerbCall = { verb: 'do', operation: 'set-being', target: '@ann', args: { field, value: 5 } }
    expect(await writtenBy(call, who, REGISTRY)).toEqual(written)
  })

  it('control: where the registry does not know an extension, a being writes in its namespace', async () => {
    const call: VerbCall = {
      verb: 'do',
      operation: 'set-being',
      target: '@ann',
      args: { field: 'panel.verdict.to', value: 'bo' },
    }
    expect(await writtenBy(call, 'ann', buildRegistry([seed]))).toEqual(['panel'])
  })
})
