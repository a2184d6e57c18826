import type { RoleName } from '@treeos/core'

/** First segments of paths: the parts of the open context. A path with another root is malformed. */
export const ROOTS = [
  'verb',
  'wake',
  'caller',
  'space',
  'inHomeSpace',
  'time',
  'me',
  'moment',
  'world',
] as const
export type Root = (typeof ROOTS)[number]

/** A dotted path into the open context, as in `world.court.in-session`. */
export type Path = Root | `${Root}.${string}`
export type Scalar = null | boolean | number | string

/**
 * All given operators must hold; `{}` holds. A missing path equals nothing, so `ne` and `notIn` hold on it.
 */
export interface Operators {
  readonly eq?: Scalar
  readonly ne?: Scalar
  readonly in?: readonly Scalar[]
  readonly notIn?: readonly Scalar[]
  /** comparisons need two numbers, else they do not hold */
  readonly gt?: number
  readonly gte?: number
  readonly lt?: number
  readonly lte?: number
  /** true: neither missing nor null */
  readonly present?: boolean
}

/** A bare scalar is strict equality, an array is `in`. */
export type Condition = Scalar | readonly Scalar[] | Operators

/** All keys must hold, composites included. `{}` holds, `or: []` does not, `and: []` does. */
export type When = { readonly [P in Path]?: Condition } & {
  readonly and?: readonly When[]
  readonly or?: readonly When[]
  readonly not?: When
}

/**
 * The first plain clause that matches gives the primary role; every stacked clause that matches adds its
 * role.
 */
export interface Clause {
  /** absent: always */
  readonly when?: When
  readonly role: RoleName
  readonly stack?: boolean
}
export type RoleFlow = readonly Clause[]
