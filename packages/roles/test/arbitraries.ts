import type { JsonObject } from '@treeos/core'
import fc from 'fast-check'

/** Few names and values, so that generated flows and contexts often meet. */
const scalar = fc.constantFrom<null | boolean | number | string>(
  null,
  true,
  false,
  0,
  1,
  -0.5,
  9,
  17,
  'a',
  'b',
  '',
  'x'.repeat(256),
  'x'.repeat(257),
  '€'.repeat(86),
)
const operator = fc.constantFrom('eq', 'ne', 'in', 'notIn', 'gt', 'gte', 'lt', 'lte', 'present')
const goodPath = fc.constantFrom(
  'verb',
  'wake.kind',
  'caller',
  'caller.role',
  'caller.cognition',
  'space.name',
  'space.quality.ambient',
  'space.quality.ambient.tone',
  'inHomeSpace',
  'time.hour',
  'time.sinceLastMoment',
  'me.previousRole',
  'world',
  'world.a',
  'world.a.x',
  'world.a.x.deep',
  'world.b.y',
  'world.__proto__',
  'world.__proto__.x',
  'world.a.constructor',
  'me.toString',
)
const badPath = fc.constantFrom(
  '',
  'x',
  'world.',
  '.world',
  'world..a',
  '__proto__',
  'constructor',
  'And',
  'time.',
)
const junk = fc.oneof(
  scalar,
  fc.constantFrom<unknown>(undefined, Number.NaN, Number.POSITIVE_INFINITY, [], {}, [[]], [{}], { a: 1 }),
  fc.constant(undefined).map(() => JSON.parse('{"__proto__":1}') as unknown),
)

const list = fc.array(scalar, { maxLength: 3 })
const operand: Record<string, fc.Arbitrary<unknown>> = {
  eq: scalar,
  ne: scalar,
  in: list,
  notIn: list,
  gt: fc.constantFrom(-1, 0, 1, 9, 17),
  gte: fc.constantFrom(0, 1, 9, 17),
  lt: fc.constantFrom(0, 1, 9, 17),
  lte: fc.constantFrom(-1, 0, 9, 17),
  present: fc.boolean(),
}
const goodOperators = fc
  .uniqueArray(operator, { maxLength: 3 })
  .chain((names) => fc.record(Object.fromEntries(names.map((name) => [name, operand[name]!]))))
const badOperators = fc.dictionary(
  fc.oneof(
    { weight: 3, arbitrary: operator },
    { weight: 1, arbitrary: fc.constantFrom('gtt', 'toString', 'role') },
  ),
  junk,
  { minKeys: 1, maxKeys: 2 },
)
const goodCondition = fc.oneof(scalar, list, goodOperators)
const badCondition = fc.oneof(badOperators, junk)

/** @param badness of 100 parts, how many are malformed, about */
function when(badness: number): fc.Arbitrary<unknown> {
  const good = 100 - badness
  const mixed = <T, U>(fine: fc.Arbitrary<T>, bad: fc.Arbitrary<U>) =>
    badness === 0
      ? fine
      : fc.oneof(
          { weight: good, arbitrary: fine },
          { weight: badness, arbitrary: bad as fc.Arbitrary<unknown> },
        )
  return fc.letrec((tie) => ({
    when: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      tie('leaf'),
      tie('leaf'),
      tie('composite'),
      tie('both'),
    ),
    leaf: fc.dictionary(
      mixed(goodPath, badPath) as fc.Arbitrary<string>,
      mixed(goodCondition, badCondition),
      {
        maxKeys: 3,
      },
    ),
    composite: fc.record(
      {
        and: mixed(fc.array(tie('when'), { maxLength: 2 }), junk),
        or: mixed(fc.array(tie('when'), { maxLength: 2 }), junk),
        not: mixed(tie('when'), junk),
      },
      { requiredKeys: [] },
    ),
    both: fc.tuple(tie('leaf'), tie('composite')).map(([a, b]) => ({ ...(a as object), ...(b as object) })),
  })).when
}

const roleName = fc.constantFrom('worker', 'judge', 'emotions:bored', 'alert', 'ghost', 'constructor')
const goodClause = fc.record(
  { when: when(0), role: roleName, stack: fc.boolean() },
  { requiredKeys: ['role'] },
)
const badClause = fc.oneof(
  fc.record(
    { when: when(10), role: fc.oneof(roleName, junk), stack: fc.oneof(fc.boolean(), junk) },
    { requiredKeys: [] },
  ),
  fc.record(
    { when: fc.oneof(when(10), junk), role: roleName, stack: fc.boolean() },
    { requiredKeys: ['role'] },
  ),
  fc.record({ when: when(0), role: roleName, use: junk }),
  junk,
)

/**
 * Clauses that begin by asking the same of a few paths, as those of one place do: an evaluator may take them
 * together.
 */
const likeClause = fc
  .tuple(
    fc.constantFrom('do', 'do', 'see'),
    fc.constantFrom('verb', 'verb', 'world.a'),
    goodClause,
    fc.boolean(),
  )
  .map(([value, path, clause, isMore]) => ({
    ...clause,
    when: { [path]: value, ...(isMore ? (clause as { when?: object }).when : {}) },
  }))

export const wellFormedFlow = fc.oneof(
  { weight: 3, arbitrary: fc.array(goodClause, { maxLength: 5 }) },
  { weight: 1, arbitrary: fc.array(likeClause, { maxLength: 8 }) },
)
export const anyFlow: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 6, arbitrary: wellFormedFlow },
  {
    weight: 6,
    arbitrary: fc.array(fc.oneof({ weight: 2, arbitrary: goodClause }, { weight: 1, arbitrary: badClause }), {
      maxLength: 5,
    }),
  },
  { weight: 1, arbitrary: junk },
)

const value = fc.oneof(
  { weight: 5, arbitrary: scalar },
  {
    weight: 1,
    arbitrary: fc.constantFrom<unknown>({}, [], ['a'], { x: 'a' }, { x: { deep: 1 } }, Number.NaN),
  },
)
const some = <T>(fields: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record<T>(fields, { requiredKeys: [] } as never) as fc.Arbitrary<unknown>

export const anyContext = some({
  verb: fc.oneof(fc.constantFrom('see', 'do', 'summon', 'be'), value),
  wake: fc.oneof(some({ kind: value }), value),
  caller: fc.oneof(some({ role: value, cognition: value }), value),
  space: fc.oneof(
    some({ name: value, quality: some({ ambient: fc.oneof(some({ tone: value }), value) }) }),
    value,
  ),
  inHomeSpace: fc.boolean(),
  time: some({ hour: value, dayOfWeek: value, sinceLastMoment: value }),
  me: some({ previousRole: value, quality: value }),
  world: some({
    a: fc.oneof(some({ x: value, constructor: value }), value),
    b: some({ y: value }),
    ['__proto__']: value,
  }),
}) as fc.Arbitrary<JsonObject>

const anyRoles = some({
  worker: fc.record({ requiredCognition: fc.constantFrom('llm', 'human', null) }, { requiredKeys: [] }),
  judge: fc.constant({}),
  'emotions:bored': fc.record(
    { requiredCognition: fc.constantFrom('llm', 'scripted') },
    { requiredKeys: [] },
  ),
  alert: fc.constant({}),
}) as fc.Arbitrary<Record<string, { requiredCognition?: 'llm' | 'human' | 'scripted' | null }>>

export const anyInput = fc.record({
  context: anyContext,
  cognition: fc.constantFrom('llm', 'human', 'scripted'),
  roles: anyRoles,
  defaultRole: fc.constantFrom(null, undefined, 'worker', 'ghost'),
})
