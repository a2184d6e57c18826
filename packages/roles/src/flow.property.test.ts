import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { anyContext, anyFlow, anyInput, wellFormedFlow } from '../test/arbitraries.ts'
import { isWellFormed, referenceEvaluate } from '../test/reference.ts'
import { compileFlow, evaluateFlow, explainFlow, flowPaths, lintFlow, sliceContext } from './index.ts'

// A long run: FC_RUNS=100000 npx pnpm@12.21.0 exec vitest run packages/roles
const numRuns = Number(process.env.FC_RUNS ?? 20_000)
/** `expect` builds its message even when it passes, which is most of the time of a long run. */
function same(actual: unknown, wanted: unknown): void {
  if (!isDeepStrictEqual(actual, wanted)) expect(actual).toStrictEqual(wanted)
}

const asked = fc.constantFrom(null, null, 'judge', 'ghost', 'worker')

it('F7 F8 F9 F24–F28 a flow evaluates as the plain reference says, malformed or not', {
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

it('F28 lint finds an error in exactly the clauses that the reference calls malformed', {
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

it('F52 explain and evaluate agree, clause by clause', { timeout: 600_000 }, () => {
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
        same(tree?.result ?? false, compiled.clauses[index]!.matches(input.context))
        if (result === 'malformed') same(tree, null)
        else if (result !== 'skipped') same(tree!.result, result !== 'no-match')
      }
    }),
    { numRuns: numRuns / 4 },
  )
})

it('a slice answers as the whole context does, explanations included', { timeout: 600_000 }, () => {
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

it('evaluation never throws, whatever stands for flow and context', { timeout: 600_000 }, () => {
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
