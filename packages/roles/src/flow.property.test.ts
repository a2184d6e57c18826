import { isDeepStrictEqual } from 'node:util'
import type { JsonObject } from '@treeos/core'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { anyContext, anyFlow, anyInput, wellFormedFlow } from '../test/arbitraries.ts'
import { counted, poisoned } from '../test/poison.ts'
import { isWellFormed, referenceEvaluate } from '../test/reference.ts'
import type { Next } from './evaluate/compile.ts'
import { compileFlow, evaluateFlow, explainFlow, flowPaths, lintFlow, sliceContext } from './index.ts'
import type { Node } from './parse/parse-flow.ts'

// A long run: FC_RUNS=100000 npx pnpm@12.21.0 exec vitest run packages/roles
const numRuns = Number(process.env.FC_RUNS ?? (process.env.TREEOS_NIGHTLY === '1' ? 10_000 : 4000))
/** `expect` builds its message even when it passes, which is most of the time of a long run. */
function same(actual: unknown, wanted: unknown): void {
  if (!isDeepStrictEqual(actual, wanted)) expect(actual).toStrictEqual(wanted)
}

/** Whether a clause matches when nothing but its own condition matters. */
function matchesAlone(clause: unknown, context: JsonObject): boolean {
  const flow = compileFlow([clause])
  const roles = Object.fromEntries([...flow.roleNames].map((name) => [name, {}]))
  const { primary, stacked } = evaluateFlow(flow, { context, cognition: 'llm', roles })
  return primary !== null || stacked.length > 0
}

const asked = fc.constantFrom(null, null, 'judge', 'ghost', 'worker')

it('a flow evaluates as the plain reference says, malformed or not', {
  timeout: 600_000,
}, () => {
  const seen = { plain: 0, stacked: 0, default: 0, unresolved: 0, asked: 0, refused: 0 }
  fc.assert(
    fc.property(anyFlow, anyInput, asked, (flow, given, role) => {
      const input = { ...given, asked: role }
      const { primary, stacked, skip } = evaluateFlow(compileFlow(flow), input)
      same({ primary, stacked, skip }, referenceEvaluate(flow, input))
      if (stacked.length > 0) seen.stacked += 1
      if (role !== null) seen[skip === undefined ? 'asked' : 'refused'] += 1
      else if (primary === null) seen.unresolved += 1
      else seen[primary === given.defaultRole ? 'default' : 'plain'] += 1
    }),
    { numRuns },
  )
  // The generators earn their keep only while every kind of answer is common.
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(numRuns / 50)
})

it('lint finds an error in exactly the clauses that the reference calls malformed', {
  timeout: 600_000,
}, () => {
  fc.assert(
    fc.property(anyFlow, (flow) => {
      const { errors } = lintFlow(flow)
      const at = errors.map(({ path }) => (path === '' ? 'flow' : Number.parseInt(path.slice(1), 10)))
      if (!Array.isArray(flow)) return same(at, ['flow'])
      const broken = flow.flatMap((clause, i) => (isWellFormed(clause) ? [] : [i]))
      // A flow whose clauses are all well formed may still be too large as a whole.
      if (broken.length === 0)
        same(
          at.filter((where) => where !== 'flow'),
          [],
        )
      else same([...new Set(at)], broken)
    }),
    { numRuns: numRuns / 4 },
  )
})

it('explain and evaluate agree, clause by clause', { timeout: 600_000 }, () => {
  fc.assert(
    fc.property(anyFlow, anyInput, asked, (flow, given, role) => {
      const compiled = compileFlow(flow)
      const input = { ...given, asked: role }
      const { clauses, primary, source, stacked, skip } = explainFlow(compiled, input)
      same({ primary, stacked, skip }, { skip: undefined, ...evaluateFlow(compiled, input) })
      same(
        clauses.map(({ index }) => index),
        compiled.clauses.map(({ index }) => index),
      )
      same(
        clauses.filter(({ result }) => result === 'stacked').map((clause) => clause.role),
        stacked,
      )
      const winners = clauses.filter(({ result }) => result === 'primary')
      same(
        winners.map((clause) => clause.role),
        source === 'clause' ? [primary] : [],
      )
      for (const { index, result, tree } of clauses) {
        same(tree?.result ?? false, matchesAlone((flow as unknown[])[index], input.context))
        if (result === 'malformed') same(tree, null)
        else if (result !== 'skipped') same(tree!.result, result !== 'no-match')
      }
    }),
    { numRuns: numRuns / 4 },
  )
})

it('a slice gives the same result and explanation as the whole context', { timeout: 600_000 }, () => {
  fc.assert(
    fc.property(anyFlow, anyInput, asked, (flow, given, role) => {
      const compiled = compileFlow(flow)
      const whole = { ...given, asked: role }
      const slice = { ...whole, context: sliceContext(given.context, compiled.paths) }
      same(evaluateFlow(compiled, slice), evaluateFlow(compiled, whole))
      same(explainFlow(compiled, slice), explainFlow(compiled, whole))
    }),
    { numRuns: numRuns / 4 },
  )
})

it('a slice depends on nothing but its paths, and slicing twice changes nothing', {
  timeout: 600_000,
}, () => {
  fc.assert(
    fc.property(wellFormedFlow, anyContext, (flow, context) => {
      const paths = flowPaths(flow)
      const slice = sliceContext(context, paths)
      same(sliceContext(slice, paths), slice)
      same(sliceContext(context, [...paths].reverse()), slice)
      same(sliceContext(structuredClone(context), paths), slice)
    }),
    { numRuns: numRuns / 4 },
  )
})

it('evaluation never throws, for any values as flow and context', { timeout: 600_000 }, () => {
  fc.assert(
    fc.property(fc.anything(), fc.jsonValue(), fc.string(), (flow, context, name) => {
      const input = {
        context: context as never,
        cognition: 'llm',
        roles: {},
        defaultRole: name,
        asked: null,
      } as const
      const flows = [
        flow,
        [flow],
        [{ role: 'worker', when: flow }],
        [{ role: 'worker', when: { verb: flow } }],
      ]
      for (const given of flows) {
        const compiled = compileFlow(given)
        evaluateFlow(compiled, input)
        explainFlow(compiled, { ...input, asked: name })
        lintFlow(given)
        sliceContext(context as never, compiled.paths)
      }
    }),
    { numRuns: numRuns / 4 },
  )
})

it('evaluation never changes a prototype, for any keys in flow and context', {
  timeout: 600_000,
}, () => {
  expect(() => Reflect.get(poisoned({}), 'x')).toThrow(/touched: get/)
  fc.assert(
    fc.property(anyFlow, anyInput, asked, (flow, given, role) => {
      const input = { ...given, asked: role }
      const [badFlow, badInput] = [poisoned(flow), { ...input, context: poisoned(given.context) }]
      const [compiled, badlyCompiled] = [compileFlow(flow), compileFlow(badFlow)]
      same(evaluateFlow(badlyCompiled, badInput), evaluateFlow(compiled, input))
      same(explainFlow(badlyCompiled, badInput), explainFlow(compiled, input))
      same(sliceContext(badInput.context, compiled.paths), sliceContext(given.context, compiled.paths))
    }),
    { numRuns: numRuns / 4 },
  )
})

/** How many tests and matches an evaluation may come to, at most: the longest way through. */
function longest(start: Next, known = new Map<Next, number>([[null, 0]])): number {
  const before = known.get(start)
  if (before !== undefined || start === null) return before ?? 0
  const ends =
    start.kind === 'step'
      ? [start.met, start.unmet]
      : start.kind === 'fork'
        ? [...start.cases.values(), start.otherwise]
        : [start.rest]
  const length = 1 + Math.max(...ends.map((end) => longest(end, known)))
  known.set(start, length)
  return length
}

const testsIn = (node: Node): number =>
  node.kind === 'test' ? 1 : node.nodes.reduce((tests, part) => tests + testsIn(part), 0)

function sameWork(flow: unknown, context: JsonObject): void {
  const compiled = compileFlow(flow)
  const wellFormed = compiled.clauses.filter(({ fault }) => fault === null)
  const size = wellFormed.reduce((sum, { when }) => sum + testsIn(when) + 1, 0)
  const steps = longest(compiled.plain) + longest(compiled.stacked)
  if (steps > size) expect(steps).toBeLessThanOrEqual(size)
  const { copy, looks } = counted(context)
  evaluateFlow(compiled, { context: copy, cognition: 'llm', roles: {} })
  const keys = compiled.paths.reduce((sum, path) => sum + path.split('.').length, 0)
  if (looks() > keys) expect(looks()).toBeLessThanOrEqual(keys)
}

it('an evaluation makes each test of the flow at most once, and looks each of its paths up at most once', {
  timeout: 600_000,
}, () => {
  fc.assert(fc.property(anyFlow, anyContext, sameWork), { numRuns: numRuns / 4 })
  const context = { verb: 'do', world: { x: { y: 7 } } }
  const not = (depth: number): object => (depth === 0 ? { verb: 'do' } : { not: not(depth - 1) })
  const many = (count: number, part: (i: number) => object) =>
    Array.from({ length: count }, (_, i) => part(i))
  const wide = (i: number) => ({ or: [{ 'world.x.y': i }, { and: [{ verb: 'be' }, { 'world.x.y': 7 }] }] })
  sameWork([{ role: 'worker', when: not(31) }], context)
  sameWork([{ role: 'worker', when: { or: many(100, wide) } }], context)
  sameWork([{ role: 'worker', when: { not: { and: many(100, wide) } } }], context)
  sameWork(
    many(500, (i) => ({ role: `r-${i}`, stack: i % 3 === 0, when: { 'world.x.y': i % 9, verb: 'do' } })),
    context,
  )
})
