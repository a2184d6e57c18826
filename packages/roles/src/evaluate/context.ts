import type { Cognition, Json, JsonObject, RoleName, Verb } from '@treeos/core'
import { lookUp } from './context-values.ts'

/** What a roleFlow may read of one moment: nested JSON. A path of a `when` names a value by its keys. */
export type OpenContext = {
  readonly verb: Verb
  /** why the moment began: `message`, `answer`, `continue`, `look`, `change`, … */
  readonly wake: { readonly kind: string }
  /** null when no being called: a change, a schedule, an idle timer, a free act */
  readonly caller: {
    /** the sender's primary role when it spoke; null when it had none */
    readonly role: RoleName | null
    readonly cognition: Cognition
  } | null
  readonly space: { readonly name: string; readonly quality: JsonObject }
  readonly inHomeSpace: boolean
  /** the moment's recorded open time, in the reality's time zone */
  readonly time: {
    /** 0–23 */
    readonly hour: number
    /** 0 is Sunday, 6 Saturday */
    readonly dayOfWeek: number
    /** whole seconds since the last sealed moment; null on the first */
    readonly sinceLastMoment: number | null
  }
  readonly me: {
    /** primary role of the last sealed moment; null on the first */
    readonly previousRole: RoleName | null
    readonly quality: JsonObject
  }
  readonly moment: {
    /** it holds words from outside of the reality */
    readonly outside: boolean
    /** whose words it holds, by kind: those that are there are true */
    readonly origins: { readonly [Kind in OriginKind]?: true }
  }
  /** signals by namespace */
  readonly world: JsonObject
}

/**
 * Whose words a moment can hold: the being's own, those of a maker, of a person, of another being, and words
 * from outside.
 */
export const ORIGINS = ['self', 'maker', 'person', 'being', 'outside'] as const
export type OriginKind = (typeof ORIGINS)[number]

/** Fields of the open context under each root, `null` where any field is allowed. Only lint uses it. */
export const KNOWN_FIELDS: ReadonlyMap<string, readonly string[] | null> = new Map<
  string,
  readonly string[] | null
>([
  ['verb', []],
  ['wake', ['kind']],
  ['caller', ['role', 'cognition']],
  ['space', ['name', 'quality']],
  ['inHomeSpace', []],
  ['time', ['hour', 'dayOfWeek', 'sinceLastMoment']],
  ['me', ['previousRole', 'quality']],
  ['moment', ['outside', 'origins']],
  ['world', null],
])

/**
 * The part of an open context that a flow reads. It is small enough for history and gives the same result as
 * the whole.
 */
export type ContextSlice = JsonObject

/**
 * Cuts a context to the given paths. Scalars stay as they are; an object, an array or a string over
 * `comparableBytesMax` becomes `{}`, present and equal to nothing; a missing path stays missing.
 * @param paths as {@link flowPaths} returns them; one may be a prefix of another
 */
export function sliceContext(context: OpenContext | JsonObject, paths: readonly string[]): ContextSlice {
  const root: Branch = new Map()
  for (const path of paths) {
    const keys = path.split('.')
    const value = lookUp(context, keys)
    if (value !== undefined) graft(root, keys, value)
  }
  return toObject(root)
}

type Branch = Map<string, Branch | Json>

function graft(root: Branch, keys: readonly string[], value: Json): void {
  const last = keys.length - 1
  let branch = root
  for (const [i, key] of keys.entries()) {
    if (i === last && (typeof value !== 'object' || value === null)) {
      branch.set(key, value)
      return
    }
    const below = branch.get(key)
    const next: Branch = below instanceof Map ? below : new Map()
    branch.set(key, next)
    branch = next
  }
}

/** `fromEntries` defines properties; an assignment to `__proto__` would set the prototype. */
function toObject(branch: Branch): JsonObject {
  return Object.fromEntries(
    [...branch].map(([key, value]) => [key, value instanceof Map ? toObject(value) : value]),
  )
}

/**
 * Namespaces of world signals that the paths read, sorted. The path `world` alone reads none: it is always
 * present.
 */
export function worldNamespaces(paths: readonly string[]): string[] {
  const namespaces = new Set<string>()
  for (const path of paths) {
    const [root, namespace] = path.split('.', 2)
    if (root === 'world' && namespace !== undefined) namespaces.add(namespace)
  }
  return [...namespaces].sort()
}
