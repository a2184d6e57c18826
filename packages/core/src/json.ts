import { brandError } from './error-brand.ts'

/** Any JSON value. Objects are plain: no prototypes, no `undefined`, no dates. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject
export interface JsonObject {
  readonly [key: string]: Json
}

/** A value is not plain JSON. The error names the path of the fault, e.g. `$.when["time.hour"]`. */
export class NotPlainJsonError extends Error {
  override readonly name = 'NotPlainJsonError'
  readonly path: string
  readonly reason: string
  /** it is plain, and takes more bytes than are allowed */
  readonly isTooLarge: boolean

  static {
    brandError(NotPlainJsonError, 'NotPlainJsonError')
  }

  constructor(path: string, reason: string, isTooLarge = false) {
    super(`${path}: ${reason}`)
    this.path = path
    this.reason = reason
    this.isTooLarge = isTooLarge
  }
}

export interface JsonBounds {
  /** deepest nesting of arrays and objects */
  readonly depthMax: number
  /** length of the canonical form in UTF-8 bytes */
  readonly bytesMax: number
  /** set where the value was read from text: integers that may have lost digits there are refused */
  readonly isFromText?: true
}

/**
 * Keys that can reach a prototype. Every edge refuses them, as names too, so that inner code need not check.
 */
export const REFUSED_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])
const DEPTH_MAX = 128

/**
 * Writes a value in its one byte form, strictly by RFC 8785 (JCS): keys sorted by UTF-16 code unit, numbers
 * as ECMAScript writes them.
 * @throws {NotPlainJsonError} for anything that is not plain JSON (undefined, NaN, -0, a sparse array, a Map,
 *   a lone surrogate): nothing is dropped or repaired, since the result is hashed
 */
export function canonicalJson(value: unknown): string {
  return naming(() => write(value, 0))
}

/**
 * A fault below the value that is written. Each object and array on its way adds where it stood, so that no
 * path is built without one.
 */
class Fault extends Error {
  override readonly name = 'Fault'
  /** the innermost first */
  readonly keys: (string | number)[] = []
  readonly isTooLarge: boolean

  constructor(message: string, isTooLarge = false) {
    super(message)
    this.isTooLarge = isTooLarge
  }
}

function naming<T>(check: () => T): T {
  try {
    return check()
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    const path = error.keys.toReversed().map((key) => `[${JSON.stringify(key)}]`)
    throw new NotPlainJsonError(`$${path.join('')}`, error.message, error.isTooLarge)
  }
}

function within(key: string | number, error: unknown): unknown {
  if (error instanceof Fault) error.keys.push(key)
  return error
}

function write(value: unknown, depth: number): string {
  if (typeof value === 'string') return writeString(value)
  if (value === null || value === true || value === false) return String(value)
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new Fault(`${value} is not a JSON number`)
    if (Object.is(value, -0)) throw new Fault('negative zero has no canonical form')
    return String(value)
  }
  if (typeof value !== 'object') throw new Fault(`a ${typeof value} is not JSON`)
  if (depth >= DEPTH_MAX) throw new Fault(`nested deeper than ${DEPTH_MAX}`)
  if (depth <= WHOLE_DEPTH_MAX && isInOrder(value, depth)) return JSON.stringify(value)
  return Array.isArray(value) ? writeArray(value, depth) : writeObject(value, depth)
}

/**
 * Values at this depth may be written whole. Deeper ones are not looked at for it: each look goes through all
 * that is inside.
 */
const WHOLE_DEPTH_MAX = 1

/**
 * Whether `JSON.stringify` writes a value exactly as RFC 8785 asks. It does when the value is plain JSON and
 * the keys of each object are sorted, as they are after canonical JSON was parsed. This look and one
 * `JSON.stringify` take half the time of writing part by part.
 */
function isInOrder(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return value.isWellFormed()
  if (value === null || value === true || value === false) return true
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0)
  if (typeof value !== 'object' || depth >= DEPTH_MAX) return false
  return Array.isArray(value) ? isListInOrder(value, depth) : isObjectInOrder(value, depth)
}

function isListInOrder(value: readonly unknown[], depth: number): boolean {
  // A hole is `undefined`, which is not JSON.
  for (let i = 0; i < value.length; i++) if (!isInOrder(value[i], depth + 1)) return false
  return hasOnlyItems(value)
}

function isObjectInOrder(value: object, depth: number): boolean {
  if (!hasPlainPrototype(value) || Object.getOwnPropertySymbols(value).length > 0) return false
  const fields = value as Record<string, unknown>
  let before = ''
  for (const key of Object.keys(fields)) {
    if (key < before || !key.isWellFormed() || !isInOrder(fields[key], depth + 1)) return false
    before = key
  }
  return true
}

function writeArray(value: readonly unknown[], depth: number): string {
  if (value.length >= STRINGS_MIN && isOfStrings(value)) return JSON.stringify(value)
  let out = '['
  let i = 0
  try {
    for (; i < value.length; i++) {
      if (!Object.hasOwn(value, i)) throw new Fault('a hole in an array')
      out += (i === 0 ? '' : ',') + write(value[i], depth + 1)
    }
  } catch (error) {
    throw within(i, error)
  }
  if (hasOnlyItems(value)) return `${out}]`
  throw new Fault('an array with more than its items')
}

/** For arrays with fewer items, `JSON.stringify` is slower than writing item by item. */
const STRINGS_MIN = 5

/**
 * Whether all items are well-formed strings. `JSON.stringify` writes such an array as RFC 8785 asks, and
 * faster than we do.
 */
function isOfStrings(value: readonly unknown[]): boolean {
  for (const item of value) if (typeof item !== 'string' || !item.isWellFormed()) return false
  return hasOnlyItems(value)
}

/**
 * Whether an array has no holes, and no fields beside its items. `Object.keys` would tell the same, but makes
 * a string of each index.
 */
const hasOnlyItems = (value: readonly unknown[]): boolean => Object.values(value).length === value.length

function writeObject(value: object, depth: number): string {
  if (!hasPlainPrototype(value)) throw new Fault('only plain objects are JSON')
  if (Object.getOwnPropertySymbols(value).length > 0) throw new Fault('a symbol key is not JSON')
  const fields = value as Record<string, unknown>
  let out = '{'
  let at = ''
  try {
    for (const key of sortedKeys(fields)) {
      at = key
      out += `${out === '{' ? '' : ','}${writeString(key)}:${write(fields[key], depth + 1)}`
    }
  } catch (error) {
    throw within(at, error)
  }
  return `${out}}`
}

/**
 * Values cross realms (the workflow sandbox), so this means "its prototype is a root", not "is our
 * Object.prototype".
 */
function hasPlainPrototype(value: object): boolean {
  const prototype = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/** Stored values were read from canonical JSON, so most keys are in order already. */
function sortedKeys(fields: object): string[] {
  const keys = Object.keys(fields)
  for (let i = 1; i < keys.length; i++) if ((keys[i] as string) < (keys[i - 1] as string)) return keys.sort()
  return keys
}

/** Printable ASCII that needs no escape. */
const PLAIN = /^[ !#-[\]-~]*$/

function writeString(value: string): string {
  if (PLAIN.test(value)) return `"${value}"`
  if (!value.isWellFormed()) throw new Fault('a lone surrogate cannot be stored as UTF-8')
  return JSON.stringify(value)
}

/**
 * Whether another value has the same canonical form as one of plain JSON. None is written, so this is faster
 * than to compare the two.
 * @param other anything; what is not plain JSON equals nothing
 */
export function isSameJson(json: Json, other: unknown): boolean {
  if (typeof json !== 'object' || json === null) return json === other && !Object.is(other, -0)
  if (typeof other !== 'object' || other === null) return false
  if (Array.isArray(json)) return Array.isArray(other) && isSameArray(json, other)
  if (Array.isArray(other) || !hasPlainPrototype(other)) return false
  const keys = Object.keys(json)
  const [a, b] = [json as JsonObject, other as JsonObject]
  if (keys.length !== Object.keys(b).length || Object.getOwnPropertySymbols(b).length > 0) return false
  for (const key of keys) if (!Object.hasOwn(b, key) || !isSameJson(a[key] as Json, b[key])) return false
  return true
}

function isSameArray(a: readonly Json[], b: readonly unknown[]): boolean {
  if (a.length !== b.length || !hasOnlyItems(b)) return false
  for (let i = 0; i < a.length; i++) if (!isSameJson(a[i] as Json, b[i])) return false
  return true
}

const BEYOND_ASCII = /[\u0080-\uffff]/

/** Length in UTF-8 bytes; works in the workflow sandbox, which has no Buffer. */
export function utf8Length(text: string): number {
  if (!BEYOND_ASCII.test(text)) return text.length
  let bytes = 0
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit < 0x80) bytes += 1
    else if (unit < 0x800) bytes += 2
    else if (unit >= 0xd800 && unit < 0xdc00) {
      bytes += 4
      i += 1
    } else bytes += 3
  }
  return bytes
}

/**
 * Checks a value from outside: plain JSON, no key that can reach a prototype, no NUL, depth and size within
 * bounds.
 * @returns the canonical form, since every caller stores it
 * @throws {NotPlainJsonError} naming the path of the first fault
 */
export function guardJson(value: unknown, bounds: JsonBounds): string {
  return naming(() => {
    guard(value, 0, bounds)
    const text = write(value, 0)
    const bytes = utf8Length(text)
    if (bytes > bounds.bytesMax) throw new Fault(`${bytes} bytes, at most ${bounds.bytesMax} are taken`, true)
    return text
  })
}

/**
 * Why a number that was read from JSON may be another one than was written; null where it is the same.
 * `JSON.parse` rounds integers beyond 2^53 and does not say so, and reads `1e400` as infinity.
 */
export function faultOfNumber(value: number): string | null {
  if (Math.abs(value) === Number.POSITIVE_INFINITY) return 'it is too large for a number of JSON'
  if (!Number.isInteger(value) || Number.isSafeInteger(value)) return null
  return 'an integer beyond 2^53 loses digits when JSON is read: give it as text, in quotes'
}

function guard(value: unknown, depth: number, bounds: JsonBounds): void {
  if (typeof value === 'string' && value.includes('\0')) throw new Fault('a NUL character is refused')
  if (typeof value === 'number' && bounds.isFromText === true) {
    const fault = faultOfNumber(value)
    if (fault !== null) throw new Fault(fault)
  }
  if (typeof value !== 'object' || value === null) return
  if (depth >= bounds.depthMax) throw new Fault(`nested deeper than ${bounds.depthMax}`)
  const items: Iterable<[string | number, unknown]> = Array.isArray(value)
    ? value.entries()
    : Object.entries(value)
  for (const [key, item] of items)
    try {
      if (typeof key === 'string' && REFUSED_KEYS.has(key)) throw new Fault('this key is refused everywhere')
      if (typeof key === 'string' && key.includes('\0')) throw new Fault('a NUL character is refused')
      guard(item, depth + 1, bounds)
    } catch (error) {
      throw within(key, error)
    }
}

/** Reads along a path of keys, own properties of objects only. `undefined` when missing. */
export function readPath(root: Json | undefined, keys: readonly string[]): Json | undefined {
  let value: Json | undefined = root
  for (const key of keys) {
    if (!isJsonObject(value) || !Object.hasOwn(value, key)) return undefined
    value = value[key]
  }
  return value
}

/**
 * `T` if all its fields are plain JSON, else never. An interface has no index signature, so it is not a
 * `Json` itself.
 */
type JsonShaped<T> = T extends Json | undefined
  ? T
  : T extends (...args: never[]) => unknown
    ? never
    : T extends object
      ? { readonly [K in keyof T]: JsonShaped<T[K]> }
      : never

/** An object type is a JSON object, anything else just JSON. */
type JsonOf<T> = T extends readonly unknown[] ? Json : T extends object ? JsonObject : Json

/**
 * A typed value as JSON. The compiler refuses types with a function, a symbol, a bigint or an unknown field.
 */
export const asJson = <T>(value: T & JsonShaped<T>): JsonOf<T> => value as Json as JsonOf<T>

/**
 * A stored value in the type it was written from: the inverse of {@link asJson}. It checks nothing, so read
 * only what this code wrote.
 */
export const fromJson = <T>(value: Json): T => value as T

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
