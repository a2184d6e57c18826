import type { Json } from '@treeos/core'
import { isMet } from '../parse/condition.ts'
import type { Node } from '../parse/parse-flow.ts'

/**
 * What the values of a context should be: a test of one path, or several parts of which all must hold, or
 * any.
 */
export type Aim = Literal | Aims

interface Aims {
  readonly kind: 'all' | 'any'
  readonly parts: readonly Aim[]
}

interface Literal {
  readonly kind: 'literal'
  readonly path: string
  readonly accepts: (value: Json | undefined) => boolean
}

/** By path: the value it has, then all other values that it may get, the preferred ones first. */
export type Candidates = ReadonlyMap<string, readonly (Json | undefined)[]>

/** Steps of one search, at most some tenths of a second. */
const STEPS_MAX = 200_000

export const literal = (path: string, accepts: Literal['accepts']): Aim => ({
  kind: 'literal',
  path,
  accepts,
})
export const all = (parts: readonly Aim[]): Aims => ({ kind: 'all', parts })
export const any = (parts: readonly Aim[]): Aims => ({ kind: 'any', parts })

/** A parsed condition with the result that it should have. */
export function aimOf(node: Node, holds: boolean): Aim {
  if (node.kind === 'test') {
    const { path, operator, expected } = node
    return literal(path, (value) => isMet(operator, value, expected) === holds)
  }
  if (node.kind === 'not') return aimOf(node.nodes[0]!, !holds)
  const parts = node.nodes.map((part) => aimOf(part, holds))
  return (node.kind === 'and') === holds ? all(parts) : any(parts)
}

/** `never`: no values reach the aim. `too-long`: the search was given up. */
export type Repair =
  | { readonly found: ReadonlyMap<string, Json | undefined> }
  | { readonly found: null; readonly why: 'never' | 'too-long' }

/**
 * Finds values that reach an aim, as few of them changed as possible. It tries with no change, then with one,
 * and so on. In each round it narrows the values of each path by what must hold, and branches where one part
 * of several must hold and none does.
 * @param candidates of every path that the aim tests
 * @returns the value of each path. Of several smallest answers, always the same one
 */
export function smallestRepair(aim: Aim, candidates: Candidates): Repair {
  const search = new Search(candidates)
  for (let limit = 0; limit <= candidates.size; limit++) {
    const found = search.within(limit, aim)
    if (found !== null) return { found }
    if (search.isOver) return { found: null, why: 'too-long' }
    if (!search.wasCut) break // no bound stopped it, so a greater one finds no more
  }
  return { found: null, why: 'never' }
}

/** Paths with the values that are left to them; a path that is not here has all. */
type AllowedValues = ReadonlyMap<string, readonly (Json | undefined)[]>

class Search {
  readonly #candidates: Candidates
  #limit = 0
  #steps = 0
  /** a branch was given up because it changes more paths than the limit */
  wasCut = false

  constructor(candidates: Candidates) {
    this.#candidates = candidates
  }

  get isOver(): boolean {
    return this.#steps > STEPS_MAX
  }

  within(limit: number, aim: Aim): ReadonlyMap<string, Json | undefined> | null {
    this.#limit = limit
    this.wasCut = false
    return this.#reach([aim], [], new Map())
  }

  /** @param choices parts of which any must hold */
  #reach(
    aims: readonly Aim[],
    choices: readonly Aims[],
    before: AllowedValues,
  ): ReadonlyMap<string, Json | undefined> | null {
    this.#steps += 1
    if (this.isOver) return null
    const narrowed = this.#narrow(aims, before)
    if (narrowed === null) return null
    const { allowed } = narrowed
    const open = [...choices, ...narrowed.choices]
    const changed = [...allowed].filter(
      ([path, values]) => !Object.is(values[0], this.#candidates.get(path)![0]),
    )
    if (changed.length > this.#limit) {
      this.wasCut = true
      return null
    }
    const best = (path: string) => (allowed.get(path) ?? this.#candidates.get(path)!)[0]
    const unmet = open.find((choice) => !this.#holds(choice, best))
    if (unmet === undefined) return new Map([...this.#candidates.keys()].map((path) => [path, best(path)]))
    const others = open.filter((choice) => choice !== unmet)
    for (const part of unmet.parts) {
      const found = this.#reach([part], others, allowed)
      if (found !== null) return found
    }
    return null
  }

  /** Takes what must hold apart. @returns null when a path is left without a value */
  #narrow(aims: readonly Aim[], before: AllowedValues): { allowed: AllowedValues; choices: Aims[] } | null {
    const pending = aims.toReversed()
    const choices: Aims[] = []
    const allowed = new Map(before)
    for (let aim = pending.pop(); aim !== undefined; aim = pending.pop()) {
      if (aim.kind === 'literal') {
        const { path, accepts } = aim
        const values = (allowed.get(path) ?? this.#candidates.get(path)!).filter(accepts)
        if (values.length === 0) return null
        allowed.set(path, values)
      } else if (aim.kind === 'all' || aim.parts.length === 1) {
        pending.push(...aim.parts.toReversed())
      } else if (aim.parts.length === 0) {
        return null
      } else {
        choices.push(aim)
      }
    }
    return { allowed, choices }
  }

  #holds(aim: Aim, at: (path: string) => Json | undefined): boolean {
    if (aim.kind === 'literal') return aim.accepts(at(aim.path))
    const holds = (part: Aim) => this.#holds(part, at)
    return aim.kind === 'all' ? aim.parts.every(holds) : aim.parts.some(holds)
  }
}
