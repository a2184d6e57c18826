import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  flowOf,
  moved,
  OPERATORS,
  operandFor,
  type SentenceTest,
  sentencesOf,
  takesList,
  unsayable,
} from './sentences.ts'
import { textOfValue, valueOfText } from './values.ts'

const scalar = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).filter((n) => !Object.is(n, -0)),
  fc.string(),
  fc.constantFrom('true', 'null', '7', '"x"', '[]', '{"a":1}', ' 7'),
)
const list = fc.array(scalar, { maxLength: 4 })
const field = fc.oneof(
  fc.constantFrom('verb', 'caller.role', 'time.hour', 'world.court.in-session', 'and', '__proto__', ''),
  fc.string(),
)
const operators = fc
  .uniqueArray(fc.constantFrom(...OPERATORS), { maxLength: 3 })
  .chain((names) =>
    fc
      .tuple(...names.map((name) => (takesList(name) ? list : scalar)))
      .map((values) => Object.fromEntries(names.map((name, i) => [name, values[i]]))),
  )
/** Objects whose keys may be `__proto__`, as JSON has them. */
const objectOf = <T>(key: fc.Arbitrary<string>, value: fc.Arbitrary<T>) =>
  fc.array(fc.tuple(key, value), { maxLength: 4 }).map((entries) => Object.fromEntries(entries))
const tests = objectOf(
  field,
  fc.oneof(scalar, list, operators, fc.constantFrom<unknown>({}, [[]], { a: { b: 1 } }, { gt: [] })),
)
const together = (within: fc.Arbitrary<unknown>) =>
  fc.record(
    { and: fc.array(within, { maxLength: 2 }), or: fc.array(within, { maxLength: 2 }), not: within },
    { requiredKeys: [] },
  )
/** A group within a group, as deep as is edited and deeper. */
const wrapped = fc.constantFrom<(within: unknown) => object>(
  (within) => ({ not: within }),
  (within) => ({ or: [within] }),
  (within) => ({ and: [{ verb: 'do' }, within] }),
)
const deep = fc
  .tuple(tests, fc.array(wrapped, { minLength: 1, maxLength: 7 }))
  .map(([within, wraps]) => wraps.reduce<object>((inner, wrap) => wrap(inner), within))
const when = fc
  .tuple(tests, fc.oneof(fc.constant({}), together(tests), deep))
  .map(([all, more]) => ({ ...all, ...more }))
const clause = fc.record(
  { when, role: fc.oneof(fc.constantFrom('guard', 'court:judge'), fc.string()), stack: fc.boolean() },
  { requiredKeys: ['role'], noNullPrototype: true },
)
const flow = fc
  .array(clause, { maxLength: 5 })
  .map((clauses) => JSON.parse(JSON.stringify(clauses)) as unknown)

describe('flows as sentences', () => {
  it('a flow → sentences → the same flow, whatever it holds', () => {
    const seen = { rows: 0, groups: 0, rest: 0 }
    fc.assert(
      fc.property(flow, (written) => {
        expect(unsayable(written)).toBeNull()
        const sentences = sentencesOf(written)
        for (const { tests, groups, rest } of sentences) {
          seen.rows += tests?.length ?? 0
          seen.groups += groups.length
          seen.rest += Object.keys(rest).length
        }
        expect(flowOf(sentences)).toEqual(written)
      }),
      { numRuns: 1000 },
    )
    expect(Math.min(seen.rows, seen.groups, seen.rest)).toBeGreaterThan(500) // no form was left out
  })

  it('no test is lost when a field is asked twice, and the flow that comes of it is read again as itself', () => {
    const test: fc.Arbitrary<SentenceTest> = fc.constantFrom(...OPERATORS).chain((operator) =>
      fc.record({
        field: fc.constantFrom('time.hour', 'verb'),
        operator: fc.constant(operator),
        value: takesList(operator) ? list : scalar,
        isBare: fc.boolean(),
      }),
    )
    fc.assert(
      fc.property(fc.array(test, { maxLength: 6 }), (tests) => {
        const made = flowOf([{ tests, groups: [], rest: {}, role: 'guard' }])
        expect(flowOf(sentencesOf(made))).toEqual(made)
        const said = JSON.stringify(made)
        for (const { value } of tests) expect(said).toContain(JSON.stringify(value))
      }),
    )
  })

  it('moving one up and down again changes nothing, and the ends stay', () => {
    const numbers = [1, 2, 3]
    expect(moved(numbers, 0, 1)).toEqual([2, 1, 3])
    expect(moved(numbers, 0, 2)).toEqual([2, 3, 1])
    expect(moved(numbers, 2, 0)).toEqual([3, 1, 2])
    for (const [at, to] of [
      [0, -1],
      [2, 3],
      [1, 1],
    ] as const)
      expect(moved(numbers, at, to)).toBe(numbers)
  })

  it('a value → its text → the same value', () => {
    fc.assert(
      fc.property(scalar, (value) => {
        expect(valueOfText(textOfValue(value))).toBe(value)
      }),
    )
  })

  it('an operand always fits its operator', () => {
    fc.assert(
      fc.property(fc.constantFrom(...OPERATORS), fc.oneof(scalar, list), (operator, value) => {
        expect(Array.isArray(operandFor(operator, value))).toBe(takesList(operator))
      }),
    )
  })

  it.each([
    {},
    null,
    [7],
    [{ role: 7 }],
    [{ role: 'x', wen: {} }],
    [{ role: 'x', stack: 'yes' }],
    [{ role: 'x', when: [] }],
  ])('%j is left to the JSON view', (malformed) => expect(unsayable(malformed)).not.toBeNull())
})
