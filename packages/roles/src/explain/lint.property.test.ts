import { isDeepStrictEqual } from 'node:util'
import { COGNITIONS, type JsonObject, VERBS } from '@treeos/core'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { compileFlow, evaluateFlow, explainFlow, lintFlow } from '../index.ts'

/**
 * What lint says never happens, held against every moment of a small world: all that each path can be, and
 * among the signals a value between and beyond all that flows compare with.
 */
const WORLD = {
  verb: VERBS,
  inHomeSpace: [true, false],
  'time.hour': Array.from({ length: 24 }, (_, hour) => hour),
  'me.previousRole': [null, 'worker', 'judge', 'other'],
  'world.a': [undefined, null, true, false, 'a', 'b', 'c', {}, -1, 0, 0.5, 1, 1.5],
} as const
type Path = keyof typeof WORLD

const test = fc.oneof(
  fc.record({ verb: fc.oneof(fc.constantFrom('do', 'see', { ne: 'do' }), fc.subarray([...VERBS])) }),
  fc.record({ inHomeSpace: fc.oneof(fc.boolean(), fc.record({ ne: fc.boolean() })) }),
  fc.record({ 'time.hour': range(6, 17) }),
  fc.record({
    'me.previousRole': fc.constantFrom<unknown>('worker', 'judge', null, { present: true }, ['worker', null]),
  }),
  fc.record({
    'world.a': fc.oneof(
      fc.constantFrom<unknown>('a', 0, true, null, ['a', 'b'], { notIn: ['a', 1] }, { present: false }),
      fc.constantFrom<unknown>(
        { ne: 'a' },
        { present: true },
        [],
        { ne: 0, gt: 0 },
        { ne: null },
        { ne: null, present: false },
      ),
      range(0, 1),
    ),
  }),
)
function range(a: number, b: number) {
  const operator = fc.constantFrom('gt', 'gte', 'lt', 'lte')
  return fc.dictionary(operator, fc.constantFrom(a, b), { minKeys: 1, maxKeys: 2 })
}
const when = fc.letrec((tie) => ({
  when: fc.oneof({ maxDepth: 3, depthSize: 'small' }, test, tie('both'), tie('composite')),
  both: fc.tuple(test, tie('when')).map(([a, b]) => ({ ...(b as object), ...a })),
  composite: fc.record(
    {
      and: fc.array(tie('when'), { maxLength: 3 }),
      or: fc.array(tie('when'), { maxLength: 3 }),
      not: tie('when'),
    },
    { requiredKeys: [] },
  ),
})).when as fc.Arbitrary<object>
const clause = fc.record(
  { when, stack: fc.boolean(), role: fc.constantFrom('worker', 'judge', 'alert') },
  { requiredKeys: ['role'] },
)
const flow = fc.array(clause, { minLength: 1, maxLength: 5 })

/** Every moment that differs in what the paths hold. */
function momentsOf(paths: readonly string[]): JsonObject[] {
  const choices = paths.map((path) => WORLD[path as Path].map((value) => [path, value] as const))
  const combined = choices.reduce<(readonly [string, unknown])[][]>(
    (all, some) => all.flatMap((chosen) => some.map((one) => [...chosen, one])),
    [[]],
  )
  return combined.map((chosen) => {
    const at = new Map(chosen)
    const a = at.get('world.a')
    return {
      verb: at.get('verb') ?? 'do',
      inHomeSpace: at.get('inHomeSpace') ?? true,
      time: { hour: at.get('time.hour') ?? 0 },
      me: { previousRole: at.get('me.previousRole') ?? null },
      world: a === undefined ? {} : { a },
    } as unknown as JsonObject
  })
}

/** Indexes of the clauses of which lint says that they never match, and that they are never reached. */
function neverSaid(written: unknown, options = {}) {
  const { errors, warnings } = lintFlow(written, options)
  // A role that nobody registered is an error, and its clause is skipped like any other that is never taken.
  expect(errors.filter(({ message }) => !message.includes('is not registered'))).toEqual([])
  const indexes = (kind: RegExp) =>
    warnings.filter(({ message }) => kind.test(message)).map(({ path }) => Number.parseInt(path.slice(1), 10))
  return { matches: indexes(/^it can never match/), isTaken: indexes(/^never (reached|adds)/) }
}

const numRuns = Number(process.env.FC_RUNS ?? 2000) / 10

it('clauses that never match or are never reached are exactly those that no moment matches or reaches', {
  timeout: 600_000,
}, () => {
  const seen = { never: 0, behind: 0, fine: 0 }
  fc.assert(
    fc.property(flow, (written) => {
      const roles = { worker: {}, judge: {}, alert: {} }
      const alone = written.map((one) => compileFlow([{ ...one, stack: false }]))
      const matched = new Set<number>()
      const taken = new Set<number>()
      for (const context of momentsOf(compileFlow(written).paths)) {
        let isSettled = false
        const stacked = new Set<string>()
        for (const [i, { role, stack }] of written.entries()) {
          if (evaluateFlow(alone[i]!, { context, cognition: 'llm', roles }).primary === null) continue
          matched.add(i)
          if (stack ? !stacked.has(role) : !isSettled) taken.add(i)
          if (stack) stacked.add(role)
          else isSettled = true
        }
      }
      const indexes = written.map((_, i) => i)
      const never = {
        matches: indexes.filter((i) => !matched.has(i)),
        isTaken: indexes.filter((i) => matched.has(i) && !taken.has(i)),
      }
      for (const said of [neverSaid(written), neverSaid(written, { roles })]) {
        if (!isDeepStrictEqual(said, never)) expect(said).toEqual(never)
      }
      seen.never += never.matches.length
      seen.behind += never.isTaken.length
      seen.fine += taken.size
    }),
    { numRuns },
  )
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(numRuns / 10)
})

/** Paths which are not independent of each other, of moments as they are opened. */
const wideTest = fc.oneof(
  test,
  fc.record({ caller: fc.constantFrom<unknown>(null, { present: true }, { present: false }, 'a') }),
  fc.record({
    'caller.role': fc.constantFrom<unknown>('worker', null, { present: false }, { ne: 'worker' }),
  }),
  fc.record({
    'caller.cognition': fc.constantFrom<unknown>('llm', ['llm', 'human'], { present: false }, null),
  }),
  fc.record({ 'time.sinceLastMoment': fc.oneof(fc.constant(null), range(0, 60)) }),
  fc.record({
    'space.name': fc.constantFrom<unknown>('court', { ne: 'court' }, ['court', 'nook'], { present: true }),
  }),
  fc.record({
    'world.a.x': fc.oneof(fc.constantFrom<unknown>(1, { present: true }, { present: false }), range(0, 1)),
  }),
)
const wideFlow = fc.array(
  fc.record(
    {
      when: fc
        .tuple(wideTest, wideTest, when, fc.boolean())
        .map(([a, b, c, isEither]) => (isEither ? { or: [a, b], and: [c] } : { ...a, and: [b] })),
      stack: fc.boolean(),
      role: fc.constantFrom('worker', 'judge', 'alert'),
    },
    { requiredKeys: ['role'] },
  ),
  { minLength: 1, maxLength: 5 },
)
const wideMoment = fc.record({
  verb: fc.constantFrom(...VERBS),
  caller: fc.oneof(
    fc.constant(null),
    fc.record({ role: fc.constantFrom('worker', 'other', null), cognition: fc.constantFrom(...COGNITIONS) }),
  ),
  space: fc.record({ name: fc.constantFrom('court', 'nook', 'plaza'), quality: fc.constant({}) }),
  inHomeSpace: fc.boolean(),
  time: fc.record({
    hour: fc.nat(23),
    dayOfWeek: fc.nat(6),
    sinceLastMoment: fc.constantFrom(null, 0, 1, 59, 60, 61),
  }),
  me: fc.record({
    previousRole: fc.constantFrom(null, 'worker', 'judge', 'other'),
    quality: fc.constant({}),
  }),
  world: fc.record(
    { a: fc.constantFrom<unknown>(null, 'a', 0, 1, {}, { x: 0 }, { x: 1 }, { x: 'a' }) },
    { requiredKeys: [] },
  ),
})

it('no clause that lint calls never matched or never reached is taken in any moment, whoever may wear what', {
  timeout: 600_000,
}, () => {
  const needs = fc.constantFrom({}, {}, { requiredCognition: 'human' }, { requiredCognition: 'llm' })
  const someRoles = fc.record({ worker: needs, judge: needs, alert: needs }, { requiredKeys: [] })
  const moments = fc.array(wideMoment, { minLength: 25, maxLength: 25 })
  let warned = 0
  fc.assert(
    fc.property(wideFlow, someRoles, moments, (written, registered, contexts) => {
      const roles = registered as Parameters<typeof explainFlow>[1]['roles']
      const { matches, isTaken } = neverSaid(written, { roles })
      const never = new Set([...matches, ...isTaken])
      warned += never.size
      if (never.size === 0) return
      const compiled = compileFlow(written)
      for (const context of contexts as unknown as JsonObject[]) {
        for (const cognition of COGNITIONS) {
          const { clauses } = explainFlow(compiled, { context, cognition, roles })
          const alarm = clauses.find(
            ({ index, result }) => never.has(index) && ['primary', 'stacked'].includes(result),
          )
          if (alarm !== undefined) expect([alarm, context]).toBeUndefined()
        }
      }
    }),
    { numRuns: numRuns * 2 },
  )
  expect(warned).toBeGreaterThan(numRuns / 10)
})
