import {
  isJsonObject,
  isKey,
  type Json,
  type JsonObject,
  LIMITS,
  PRIORITIES,
  type Priority,
  type SpacePath,
  spaceAncestry,
  utf8Length,
  type Watch,
  worldReel,
} from '@treeos/core'
import { type Entry, textPattern } from '@treeos/roles'
import { coversEntry } from './lists.ts'
import { type BeingRow, type Row, withKind } from './rows.ts'
import { isPriority } from './schedules.ts'

/** Namespace of the qualities that hold a being's subscriptions, one key a subscription. */
export const SUBSCRIPTIONS = 'subscription'
/** Of one being. Each takes up to two rows of the index that every change searches. */
export const SUBSCRIPTIONS_MAX = 16
export const COALESCE_SECONDS_MAX = 3600
export const EQUALS_LENGTH_MAX = 16
export const EVERYWHERE = 'everywhere'

/** A change that wakes a being, wherever the being is and whatever its flow reads. */
export interface Subscription {
  readonly name: string
  readonly scope: typeof EVERYWHERE | SpacePath
  /** spaces inside the scope count too */
  readonly below: boolean
  /** dotted path of a quality, or of a signal when it begins with `world.` */
  readonly field: string
  /** only a change to one of these values wakes; null: any change */
  readonly equals: readonly Scalar[] | null
  readonly priority: Priority
  /** how long the wake waits for more changes; 0: not at all */
  readonly coalesceSeconds: number
  /** changes of beings count, as well as changes of spaces */
  readonly beings: boolean
}

export type Scalar = string | number | boolean | null

/** The subscriptions of a being; a person has none. Malformed entries are skipped. */
export function subscriptionsOf({
  qualities,
  cognition,
}: Pick<BeingRow, 'qualities' | 'cognition'>): Subscription[] {
  const kept = qualities[SUBSCRIPTIONS]
  if (cognition.kind === 'human' || !isJsonObject(kept)) return []
  return Object.entries(kept).flatMap(([name, value]): Subscription[] => {
    if (!isKey(name) || !isJsonObject(value)) return []
    const { scope, below, field, equals, priority, coalesceSeconds, beings } = value
    if (typeof scope !== 'string' || typeof field !== 'string' || !isPriority(priority)) return []
    return [
      {
        name,
        scope,
        below: below === true,
        field,
        equals: Array.isArray(equals) ? equals.filter(isComparable) : null,
        priority,
        coalesceSeconds: Number.isInteger(coalesceSeconds) ? Number(coalesceSeconds) : 0,
        beings: beings === true,
      },
    ]
  })
}

/** Whether a value can be compared: a scalar that jsonb in Postgres takes, and no long text. */
export function isComparable(value: Json | undefined): value is Scalar {
  if (typeof value === 'string')
    return utf8Length(value) <= LIMITS.comparableBytesMax && value.isWellFormed() && !value.includes('\0')
  return value === null || typeof value === 'boolean' || typeof value === 'number'
}

/**
 * The index rows of a subscription: a signal is watched by its reel, a quality by the scopes of the row that
 * has it.
 */
export function watchesOfSubscription(subscription: Subscription): Watch[] {
  const { name, scope, field, equals, coalesceSeconds } = subscription
  const hook = { name, equals, coalesceSeconds, priority: PRIORITIES[subscription.priority] }
  const [root, namespace = '', ...rest] = field.split('.')
  if (root === 'world') return [{ reel: worldReel(namespace), path: rest.join('.'), subscription: hook }]
  const below = subscription.below || scope === EVERYWHERE
  const where = `${below ? 'below' : 'at'}:${scope === EVERYWHERE ? '/' : scope}`
  const scopes = subscription.beings ? [where, `beings-${where}`] : [where]
  return scopes.map((reel) => ({ reel, path: field, subscription: hook }))
}

/** The scopes that a change of this row lies in: at its own space, and below every space around it. */
export function scopesOf(key: string, row: Row): string[] {
  const found = withKind(key, row)
  if (found.kind === 'space') return scopesAt('', found.row.path)
  return found.kind === 'being' ? scopesAt('beings-', found.row.space) : []
}

const scopesAt = (prefix: string, path: SpacePath): string[] => [
  `${prefix}at:${path}`,
  ...spaceAncestry(path).map((around) => `${prefix}below:${around}`),
]

/** Values at the paths, where they can be compared. A missing value is null. */
export function comparablesAt(values: JsonObject, paths: readonly string[]): JsonObject {
  const found: [string, Scalar][] = []
  for (const path of paths) {
    let at: Json | undefined = values
    for (const key of path === '' ? [] : path.split('.'))
      at = isJsonObject(at) && Object.hasOwn(at, key) ? at[key] : undefined
    const value = at ?? null
    if (isComparable(value)) found.push([path, value])
  }
  return Object.fromEntries(found)
}

/** Whether a canSee list covers everything in a scope: its spaces, and its beings. */
export function seesScope(
  canSee: readonly Entry[],
  { scope, below }: Pick<Subscription, 'scope' | 'below'>,
  home: SpacePath,
): { spaces: boolean; beings: boolean } {
  const beings = coversPrefix(canSee, '@')
  if (scope === EVERYWHERE) return { spaces: coversPrefix(canSee, '/'), beings }
  const itself = coversEntry('canSee', canSee, scope, home) || (scope === home && canSee.includes('~'))
  return { spaces: itself && (!below || coversPrefix(canSee, scope === '/' ? '/' : `${scope}/`)), beings }
}

/** Whether a pattern of the list covers every text with this prefix. */
function coversPrefix(entries: readonly Entry[], prefix: string): boolean {
  return entries.some((entry) => {
    const pattern = textPattern(entry)
    if (pattern === null) return false
    return pattern === '*' || (/^[^*]+\*$/.test(pattern) && prefix.startsWith(pattern.slice(0, -1)))
  })
}
