import type { FactDraft, Json, JsonObject, PinnedStack, VerbCall } from '@treeos/core'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { actingIn, TOUCH } from '../test/gate-inputs.ts'
import { type ActInputs, type CallForConsent, type ConsentTerms, decideCall } from '../test/inside.ts'
import { born, MemoryWorld, spaceMade } from '../test/memory-world.ts'

// A long run: FC_RUNS=20000 npx pnpm@12.21.0 exec vitest run packages/world/src/consent
const numRuns = Number(process.env.FC_RUNS ?? 600)

const CALL: VerbCall = { verb: 'do', operation: TOUCH, target: '/hall/nook', args: { times: 1 } }
const STACK: PinnedStack = {
  primary: { name: 'clerk', digest: 'c1' },
  stacked: [{ name: 'calm', digest: 'm1' }],
}
const SURFACE = { canSee: [], canDo: [{ pattern: '*' }], canSummon: [], canBe: [] }
const ALL = ['canSee', 'canDo', 'canSummon', 'canBe'].map((list) => [list, [{ pattern: '*' }]] as const)
const WIDE = Object.fromEntries(ALL) as Json
const LEASE = { driver: 'bob', epoch: 3 }
const HOUR_MS = 3_600_000

const HALL: Json = { do: { [TOUCH]: { forbid: [{ role: 'guest' }] } } }
const nook = (ask: JsonObject = {}, more: JsonObject = {}): Json => ({
  do: { [TOUCH]: { requires: ['anyone'], ask: { who: ['@pat', '@quinn'], within: 3600, ...ask }, ...more } },
})
const rules = (path: string, value: Json): FactDraft => ({
  reel: `space:${path}`,
  kind: 'quality:set',
  payload: { path: ['permissions'], value, merge: false },
})

/**
 * One try to use a yes: the world and the moment as they were when it was asked for, until something changes
 * them.
 */
interface Use {
  readonly world: MemoryWorld
  call: VerbCall
  asking: Partial<ConsentTerms>
  at: number
  who: string
}

/** Each changes one thing that the yes rests on. */
const CHANGES: Readonly<Record<string, (use: Use) => unknown>> = {
  'another argument': (use) => Object.assign(use, { call: { ...CALL, args: { times: 2 } } }),
  'one argument more': (use) => Object.assign(use, { call: { ...CALL, args: { times: 1, twice: true } } }),
  'another target': (use) => Object.assign(use, { call: { ...CALL, target: '/hall' } }),
  'another text of a role': (use) =>
    Object.assign(use, { asking: { stack: { ...STACK, primary: { name: 'clerk', digest: 'c2' } } } }),
  'another role': (use) =>
    Object.assign(use, { asking: { stack: { ...STACK, primary: { name: 'boss', digest: 'c1' } } } }),
  'a role less': (use) => Object.assign(use, { asking: { stack: { ...STACK, stacked: [] } } }),
  'a role more': (use) =>
    Object.assign(use, {
      asking: { stack: { ...STACK, stacked: [...STACK.stacked, { name: 'bold', digest: 'b1' }] } },
    }),
  'a ceiling of its own': ({ world }) => world.write('bob', [bounded('cid', WIDE)]),
  'a ceiling of its maker': ({ world }) => world.write('operator', [bounded('bob', WIDE)]),
  'a ceiling that forbids it': ({ world }) =>
    world.write('bob', [bounded('cid', { ...(WIDE as JsonObject), canDo: [] })]),
  'another rule': ({ world }) =>
    world.write('operator', [rules('/hall/nook', nook({}, { requires: ['home', 'anyone'] }))]),
  'a rule that forbids others': ({ world }) =>
    world.write('operator', [rules('/hall/nook', nook({}, { forbid: [{ role: 'thief' }] }))]),
  'a rule that forbids it': ({ world }) =>
    world.write('operator', [rules('/hall', { do: { '*': { forbid: ['anyone'] } } })]),
  'a rule around it': ({ world }) => world.write('operator', [rules('/', { do: { '*': true } })]),
  'no rule that asks': ({ world }) =>
    world.write('operator', [rules('/hall/nook', { do: { [TOUCH]: true } })]),
  'a rule that asks others': ({ world }) =>
    world.write('operator', [rules('/hall/nook', nook({ who: ['@pat'] }))]),
  'a rule that asks more': ({ world }) => world.write('operator', [rules('/hall/nook', nook({ count: 2 }))]),
  'a rule that gives more time': ({ world }) =>
    world.write('operator', [rules('/hall/nook', nook({ within: 7200 }))]),
  'a second rule that asks': ({ world }) =>
    world.write('operator', [rules('/', { do: { '*': { ask: { who: ['@pat'] } } } })]),
  'another lease': (use) => Object.assign(use, { asking: { lease: { ...LEASE, epoch: 4 } } }),
  'another driver': (use) => Object.assign(use, { asking: { lease: { ...LEASE, driver: 'dot' } } }),
  'no lease': (use) => Object.assign(use, { asking: { lease: null } }),
  'too late': (use) => Object.assign(use, { at: HOUR_MS + 1 }),
  'another being': (use) => Object.assign(use, { who: 'dot' }),
  'used before': ({ world }) => world.write('cid', [fact('used')]),
  'voided before': ({ world }) => world.write('cid', [fact('voided')]),
  'a yes that was never given': (use) => Object.assign(use, { asking: { approval: 'cid/1/2' } }),
  'the end of a person who is asked': ({ world }) =>
    world.write('operator', [{ reel: 'being:quinn', kind: 'being:ended', payload: {} }]),
}

/** Each changes something that the yes does not rest on. */
const OTHERS: Readonly<Record<string, (use: Use) => unknown>> = {
  nothing: () => undefined,
  'a quality of the place': ({ world }) =>
    world.write('operator', [
      {
        reel: 'space:/hall/nook',
        kind: 'quality:set',
        payload: { path: ['ambient', 'tone'], value: 'warm' },
      },
    ]),
  'a rule about something else': ({ world }) =>
    world.write('operator', [
      {
        reel: 'space:/hall/nook',
        kind: 'quality:set',
        payload: { path: ['permissions', 'see'], value: { '*': true } },
      },
    ]),
  'another being that is born': ({ world }) => world.write('operator', [born('eve', 'operator')]),
  'just in time': (use) => Object.assign(use, { at: HOUR_MS }),
  'a no that comes too late': ({ world }) => world.write('pat', [fact('denied')]),
  'a second question under its id': ({ world }) => world.write('cid', [fact('asked')]),
}

const bounded = (being: string, ceiling: Json): FactDraft => ({
  reel: `being:${being}`,
  kind: 'being:bounded',
  payload: { ceiling },
})
const fact = (kind: string, payload: JsonObject = {}): FactDraft => ({
  reel: 'approval:cid/1/1',
  kind: `approval:${kind}`,
  payload,
})

function worldOf(): MemoryWorld {
  const world = new MemoryWorld()
  const human = { cognition: { kind: 'human', script: null } } as const
  world.write('$reality', [
    spaceMade('/hall', 'operator', HALL),
    spaceMade('/hall/nook', 'operator', nook()),
    born('bob', 'operator', human),
    born('pat', 'operator', human),
    born('quinn', 'operator', human),
    born('cid', 'bob', { home: '/hall' }),
    born('dot', 'bob', { home: '/hall' }),
  ])
  return world
}

const actingAs = ({ world, who, at, asking }: Pick<Use, 'world' | 'who' | 'at' | 'asking'>): ActInputs => ({
  ...actingIn(world, who, SURFACE),
  openedAt: at,
  asking: {
    stack: STACK,
    wake: 'w',
    caller: null,
    root: 'w',
    question: null,
    askedRole: null,
    lease: LEASE,
    approval: null,
    ...asking,
  },
})

/** A call that was asked about at time 0, and to which a person said yes. */
async function approved(): Promise<MemoryWorld> {
  const world = worldOf()
  const asked = await decideCall(CALL, actingAs({ world, who: 'cid', at: 0, asking: {} }))
  if (asked.kind !== 'waiting') throw new Error(`it is ${asked.kind}`)
  expect(asked.wakes.map(({ being }) => being)).toEqual(['pat', 'quinn'])
  world.write('cid', asked.facts)
  world.write('pat', [
    fact('given', { call: CALL as unknown as Json, digest: world.keep(CALL as unknown as Json) }),
  ])
  return world
}

async function useOf(changes: readonly ((use: Use) => unknown)[]): Promise<unknown> {
  const use: Use = { world: await approved(), call: CALL, asking: {}, at: 0, who: 'cid' }
  for (const change of changes) change(use)
  const asking = { approval: 'cid/1/1', ...use.asking }
  return decideCall(use.call, actingAs({ ...use, asking }))
}

const isUsed = { kind: 'act', facts: [{ kind: 'approval:used', reel: 'approval:cid/1/1' }] }

it.each(Object.entries(CHANGES))('a yes does not hold after %s', async (_what, change) => {
  await expect(useOf([change])).rejects.toMatchObject({ code: 'FORBIDDEN' })
})

it.each(Object.entries(OTHERS))('a yes holds after %s', async (_what, change) => {
  expect(await useOf([change])).toMatchObject(isUsed)
})

it('asks no person that who makes the call has made, and none that the operator made is kept from answering', async () => {
  const world = worldOf()
  world.write('cid', [born('sock', 'cid', { cognition: { kind: 'human', script: null } })])
  world.write('operator', [rules('/hall/nook', nook({ who: ['@sock'] }))])
  const asking = () => decideCall(CALL, actingAs({ world, who: 'cid', at: 0, asking: {} }))
  await expect(asking()).rejects.toMatchObject({ code: 'FORBIDDEN' })
  world.write('operator', [rules('/hall/nook', nook({ who: ['@sock', '@pat'] }))])
  expect(await asking()).toMatchObject({ wakes: [{ being: 'pat' }] })
})

it('counts persons of whom one made the other as one, and asks nobody whom the person of the asker made', async () => {
  const world = worldOf()
  const human = { cognition: { kind: 'human', script: null } } as const
  world.write('pat', [born('paul', 'pat', human)])
  world.write('bob', [born('bea', 'bob', human)])
  const asking = async (ask: JsonObject) => {
    world.write('operator', [rules('/hall/nook', nook(ask))])
    const asked = await decideCall(CALL, actingAs({ world, who: 'cid', at: 0, asking: {} }))
    return (asked as CallForConsent).wakes.map(({ being }) => being)
  }
  await expect(asking({ who: ['@pat', '@paul'], count: 2 })).rejects.toMatchObject({ code: 'FORBIDDEN' })
  expect(await asking({ who: ['@pat', '@paul', '@quinn'], count: 2 })).toEqual(['pat', 'quinn'])
  expect(await asking({ who: ['@pat', '@paul'] })).toEqual(['pat', 'paul'])
  await expect(asking({ who: ['@bea'] })).rejects.toMatchObject({ code: 'FORBIDDEN' }) // @bob made both
  expect(await asking({ who: ['@bob'] })).toEqual(['bob'])
})

it('asks the owner of the space that has the rule, and not of a space inside', async () => {
  const world = worldOf()
  world.write('$reality', [spaceMade('/hall/nook/den', 'bob')])
  world.write('operator', [
    rules('/hall', { do: { [TOUCH]: { requires: ['anyone'], ask: { who: ['owner'] } } } }),
  ])
  const call = { ...CALL, target: '/hall/nook/den' }
  const asked = await decideCall(call, actingAs({ world, who: 'dot', at: 0, asking: {} }))
  expect((asked as CallForConsent).wakes.map(({ being }) => being)).not.toContain('bob')
})

it('whatever else changes, a yes holds exactly while nothing changes that it rests on', async () => {
  const some = fc.subarray(Object.entries(CHANGES), { maxLength: 3 })
  const others = fc.shuffledSubarray(Object.entries(OTHERS))
  await fc.assert(
    fc.asyncProperty(some, others, async (voiding, harmless) => {
      const [first = null] = voiding
      const changes = [...harmless, ...voiding].filter(([what]) => first === null || what !== 'just in time')
      const used = await useOf(changes.map(([, change]) => change)).catch(
        (error: { code?: string }) => error.code,
      )
      if (first === null) expect(used).toMatchObject(isUsed)
      else expect(used).toBe('FORBIDDEN')
    }),
    { numRuns, seed: 33 },
  )
})
