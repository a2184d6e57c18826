import { isJsonObject, type Json, type JsonObject } from '@treeos/core'
import { isLong, lookUp, OPAQUE } from '../evaluate/context-values.ts'
import type { Test } from '../parse/condition.ts'
import { valuesAt } from './possible.ts'
import { type Aim, any, type Candidates, literal } from './repair.ts'

/**
 * A change of one path of a context. A side that is left out is missing; `{}` is a value that equals nothing.
 */
export type ContextChange = { readonly path: string; readonly from?: Json; readonly to?: Json }

/** The values that each path has and could have. @param tests every test of them */
export function candidatesFor(context: Json, paths: readonly string[], tests: readonly Test[]): Candidates {
  const expected = Map.groupBy(tests, ({ path }) => path)
  return new Map(
    paths.map((path) => {
      const now = lookUp(context, path.split('.'))
      const mentioned = new Set((expected.get(path) ?? []).flatMap((test) => test.expected))
      const others = valuesAt(path, mentioned).filter(
        (value) => value !== now && !(typeof value === 'string' && isLong(value)),
      )
      return [path, [now, ...others.toSorted((a, b) => rank(a, now) - rank(b, now))]]
    }),
  )
}

/** Values of the same type come first, of numbers the nearest; then what somebody would most likely set. */
function rank(value: Json | undefined, now: Json | undefined): number {
  if (typeof value === 'number' && typeof now === 'number') return -1 / (1 + Math.abs(value - now))
  if (typeof value === typeof now && typeof value !== 'object') return -1
  return value === undefined
    ? 0
    : value === null
      ? 4
      : ['string', 'number', 'boolean'].indexOf(typeof value) + 1 || 5
}

/**
 * What keeps values apart that cannot be together: below a path there is something only while its value is an
 * object.
 */
export function coherent(paths: readonly string[]): Aim[] {
  return paths.flatMap((path) => {
    const around = paths.filter((other) => path.startsWith(`${other}.`)).at(-1) // sorted, so the closest is last
    if (around === undefined) return []
    return [
      any([literal(path, (value) => value === undefined), literal(around, (value) => value === OPAQUE)]),
    ]
  })
}

export function changesTo(
  found: ReadonlyMap<string, Json | undefined>,
  candidates: Candidates,
): ContextChange[] {
  return [...found].flatMap(([path, to]) => {
    const from = candidates.get(path)![0]
    if (Object.is(to, from)) return []
    return [{ path, ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }]
  })
}

/** A context with some paths changed. What lay in the way of a path gives way. */
export function withChanges(context: JsonObject, changes: readonly ContextChange[]): JsonObject {
  return changes.reduce((changed, { path, to }) => withValue(changed, path.split('.'), to), context)
}

function withValue(around: Json | undefined, [key, ...below]: string[], value: Json | undefined): JsonObject {
  const object = isJsonObject(around) ? around : {}
  const { [key!]: before, ...others } = object
  if (below.length === 0) return value === undefined ? others : { ...object, [key!]: value }
  if (value === undefined && !isJsonObject(before)) return object
  return { ...object, [key!]: withValue(before, below, value) }
}
