import { type Json, type JsonObject, LIMITS, utf8Length } from '@treeos/core'

/** What stands in a slice for a value that is present but equals nothing. */
export const OPAQUE: JsonObject = Object.freeze({})

// Called as it is: Object.hasOwn is one more call.
const hasOwn = Object.prototype.hasOwnProperty

/**
 * What a test sees of a context: own properties of plain objects only, and nothing ever throws. Scalars are as they
 * are, `undefined` is missing, and {@link OPAQUE} stands for an object, an array or a string over
 * `comparableBytesMax`. A slice holds exactly this, so slice and context agree.
 */
export function lookUp(context: Json | undefined, keys: readonly string[]): Json | undefined {
  let value = context
  for (let i = 0; i < keys.length; i++) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
    if (!hasOwn.call(value, keys[i]!)) return undefined
    value = (value as JsonObject)[keys[i]!]
  }
  if (typeof value === 'string') return isLong(value) ? OPAQUE : value
  return typeof value === 'object' && value !== null ? OPAQUE : value
}

export function isLong(text: string): boolean {
  if (text.length > LIMITS.comparableBytesMax) return true
  return text.length * 3 > LIMITS.comparableBytesMax && utf8Length(text) > LIMITS.comparableBytesMax
}

const UNREAD = Symbol('unread')
type Slot = Json | undefined | typeof UNREAD

/** Paths that will be read of many contexts. */
export interface PathTable {
  /** of each path */
  readonly keys: readonly (readonly string[])[]
  /** what a reading begins with: to copy it costs less than to fill a new one */
  readonly unread: readonly Slot[]
}

export function tableOf(paths: readonly string[]): PathTable {
  return { keys: paths.map((path) => path.split('.')), unread: paths.map(() => UNREAD) }
}

/** What one context holds at the paths of a table. Each is looked up once, when the first test asks for it. */
export class Reading {
  readonly #context: Json
  readonly #keys: PathTable['keys']
  readonly #values: Slot[]

  constructor(context: Json, table: PathTable) {
    this.#context = context
    this.#keys = table.keys
    this.#values = table.unread.slice()
  }

  /** @param index of the path in its table */
  at(index: number): Json | undefined {
    const known = this.#values[index]
    if (known !== UNREAD) return known
    const value = lookUp(this.#context, this.#keys[index]!)
    this.#values[index] = value
    return value
  }
}
