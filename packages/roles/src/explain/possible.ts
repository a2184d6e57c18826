import { COGNITIONS, type Json, VERBS } from '@treeos/core'
import { ORIGINS } from '../evaluate/context.ts'
import { OPAQUE } from '../evaluate/context-values.ts'
import { isMet, type Test } from '../parse/condition.ts'
import type { Node } from '../parse/parse-flow.ts'
import type { Scalar } from '../shape/when.ts'

/** A condition with the result that it should have. */
export interface Goal {
  readonly node: Node
  readonly holds: boolean
}
/** A test with the result that it should have. */
export interface Claim {
  readonly test: Test
  readonly holds: boolean
}

/**
 * Bounds of a search: goals and values tried for one flow (at most a tenth of a second), and open
 * alternatives. Beyond them the search gives up, and the answer is "possible".
 */
const STEPS_MAX = 500_000
const CHOICES_MAX = 256

/**
 * Finds whether conditions of a flow can hold in some moment. "Never" is certain. "Possible" may be wrong,
 * since paths are treated as independent of each other, and a long search gives up.
 */
export class Possibilities {
  readonly #values: ReadonlyMap<string, Values>
  #steps = 0

  /** @param whens every condition that goals will be made of */
  constructor(whens: readonly Node[]) {
    const expected = Map.groupBy(whens.flatMap(testsIn), ({ path }) => path)
    this.#values = new Map(
      [...expected].map(([path, tests]) => [
        path,
        valuesAt(path, new Set(tests.flatMap((test) => test.expected))),
      ]),
    )
  }

  /**
   * @returns null when the goals can all be reached in one moment, as far as can be told; else tests of one
   *   path which no value brings about together, or none when it takes alternatives to see
   */
  contradiction(goals: readonly Goal[]): readonly Claim[] | null {
    return this.#search(goals, [], new Map())
  }

  /** @param open alternatives that were put off @param before what is claimed of each path already */
  #search(
    goals: readonly Goal[],
    open: readonly Goal[],
    before: ReadonlyMap<string, ClaimedTests>,
  ): readonly Claim[] | null {
    const pending = [...goals]
    const choices = [...open]
    const claimed = new Map(before)
    for (let goal = pending.pop(); goal !== undefined; goal = pending.pop()) {
      const { node, holds } = goal
      this.#steps += 1
      if (this.#steps > STEPS_MAX) return null
      if (node.kind === 'test') {
        const narrowed = this.#narrow(claimed.get(node.path), node, holds)
        if (narrowed.values.length === 0) return narrowed.claims
        claimed.set(node.path, narrowed)
      } else if (node.kind === 'not') {
        pending.push({ node: node.nodes[0]!, holds: !holds })
      } else if ((node.kind === 'and') === holds || node.nodes.length === 1) {
        pending.push(...node.nodes.map((part) => ({ node: part, holds })).reverse())
      } else if (node.nodes.length === 0) {
        return []
      } else {
        choices.push(goal)
      }
    }
    const choice = choices.pop()
    if (choice === undefined || choices.length > CHOICES_MAX) return null
    const parts = choice.node.kind === 'test' ? [] : choice.node.nodes
    const isReached = parts.some(
      (node) => this.#search([{ node, holds: choice.holds }], choices, claimed) === null,
    )
    return isReached ? null : []
  }

  #narrow(before: ClaimedTests | undefined, test: Test, holds: boolean): ClaimedTests {
    const { claims, values } = before ?? { claims: [], values: this.#values.get(test.path)! }
    this.#steps += values.length
    return {
      claims: [...claims, { test, holds }],
      values: values.filter((value) => isMet(test.operator, value, test.expected) === holds),
    }
  }
}

export type Values = readonly (Json | undefined)[]

interface ClaimedTests {
  readonly claims: readonly Claim[]
  /** which bring all claims about */
  readonly values: Values
}

export function testsIn(node: Node): Test[] {
  return node.kind === 'test' ? [node] : node.nodes.flatMap(testsIn)
}

/**
 * Values of a path that stand for all it can have: no test of the flow tells any other value from each of
 * these. A value which equals nothing that is mentioned, such as one more string, is as good as
 * {@link OPAQUE}.
 * @param mentioned every value that a test compares the path with
 */
export function valuesAt(path: string, mentioned: ReadonlySet<Scalar>): Values {
  const strings = [...mentioned].filter((value) => typeof value === 'string')
  const numbers = numbersAmong([...mentioned].filter((value) => typeof value === 'number'))
  switch (path) {
    case 'verb':
      return VERBS
    case 'inHomeSpace':
    case 'moment.outside':
      return [false, true]
    case 'time.hour':
      return Array.from({ length: 24 }, (_, hour) => hour)
    case 'time.dayOfWeek':
      return Array.from({ length: 7 }, (_, day) => day)
    case 'time.sinceLastMoment':
      return [null, 0, ...numbers.filter((seconds) => seconds >= 0)]
    case 'caller':
      return [null, OPAQUE]
    case 'caller.cognition':
      return [undefined, ...COGNITIONS]
    case 'caller.role':
      return [undefined, null, OPAQUE, ...strings]
    case 'space.name':
    case 'wake.kind':
      return [OPAQUE, ...strings]
    case 'me.previousRole':
      return [null, OPAQUE, ...strings]
    case 'wake':
    case 'space':
    case 'time':
    case 'me':
    case 'moment':
    case 'moment.origins':
    case 'world':
    case 'space.quality':
    case 'me.quality':
      return [OPAQUE]
    default:
      if (ORIGINS.some((kind) => path === `moment.origins.${kind}`)) return [undefined, true]
      return [undefined, null, false, true, OPAQUE, ...strings, ...numbers]
  }
}

/**
 * Every given number, one beyond each end, and those next to each from within. Two neighbours that have no
 * whole number between them have their middle.
 */
function numbersAmong(given: readonly number[]): number[] {
  const sorted = given.toSorted((a, b) => a - b)
  const first = sorted[0]
  if (first === undefined) return [0]
  const numbers = [below(first)]
  for (const [i, number] of sorted.entries()) {
    const next = sorted[i + 1]
    numbers.push(number)
    if (next === undefined) numbers.push(-below(-number))
    else if (number + 1 < next) numbers.push(number + 1, next - 1)
    else numbers.push(number / 2 + next / 2)
  }
  return [...new Set(numbers)]
}

/** A number below: the next whole step, or the lowest of all where a step is too small to be seen. */
const below = (number: number): number => (number - 1 < number ? number - 1 : -Number.MAX_VALUE)
