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

  constructor(path: string, reason: string) {
    super(`${path}: ${reason}`)
    this.path = path
    this.reason = reason
  }
}

export interface JsonBounds {
  /** deepest nesting of arrays and objects */
  readonly depthMax: number
  /** length of the canonical form in UTF-8 bytes */
  readonly bytesMax: number
}

/** Keys that can reach a prototype. Every edge refuses them, as names too, so that inner code need not check. */
export const REFUSED_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])
const DEPTH_MAX = 128

/**
 * Writes a value in its one byte form, strictly by RFC 8785 (JCS): keys sorted by UTF-16 code unit, numbers as ECMAScript
 * writes them.
 * @throws {NotPlainJsonError} for anything that is not plain JSON (undefined, NaN, -0, a sparse array, a Map, a lone
 *   surrogate): nothing is dropped or repaired, since the result is hashed
 */
export function canonicalJson(value: unknown): string {
  return write(value, null, 0)
}

/** Position of a value. A linked list, since the path is only built to name a fault. */
interface Place {
  readonly within: Place | null
  readonly key: string | number
}

function pathOf(place: Place | null): string {
  if (place === null) return '$'
  return `${pathOf(place.within)}[${typeof place.key === 'number' ? place.key : JSON.stringify(place.key)}]`
}

const fault = (place: Place | null, reason: string) => new NotPlainJsonError(pathOf(place), reason)

function write(value: unknown, place: Place | null, depth: number): string {
  if (typeof value === 'string') return writeString(value, place)
  if (value === null || value === true || value === false) return String(value)
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw fault(place, `${value} is not a JSON number`)
    if (Object.is(value, -0)) throw fault(place, 'negative zero has no canonical form')
    return String(value)
  }
  if (typeof value !== 'object') throw fault(place, `a ${typeof value} is not JSON`)
  if (depth >= DEPTH_MAX) throw fault(place, `nested deeper than ${DEPTH_MAX}`)
  if (Array.isArray(value)) return writeArray(value, place, depth)
  return writeObject(value, place, depth)
}

function writeArray(value: readonly unknown[], place: Place | null, depth: number): string {
  let out = '['
  for (let i = 0; i < value.length; i++) {
    const at = { within: place, key: i }
    if (!Object.hasOwn(value, i)) throw fault(at, 'a hole in an array')
    out += (i === 0 ? '' : ',') + write(value[i], at, depth + 1)
  }
  if (Object.keys(value).length === value.length) return `${out}]`
  throw fault(place, 'an array with more than its items')
}

function writeObject(value: object, place: Place | null, depth: number): string {
  const prototype = Object.getPrototypeOf(value)
  // Values cross realms (the workflow sandbox), so plain means "its prototype is a root", not "is our Object.prototype".
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null)
    throw fault(place, 'only plain objects are JSON')
  if (Object.getOwnPropertySymbols(value).length > 0) throw fault(place, 'a symbol key is not JSON')
  const fields = value as Record<string, unknown>
  let out = '{'
  let separator = ''
  for (const key of Object.keys(fields).sort()) {
    const at = { within: place, key }
    out += `${separator}${writeString(key, at)}:${write(fields[key], at, depth + 1)}`
    separator = ','
  }
  return `${out}}`
}

function writeString(value: string, place: Place | null): string {
  if (!value.isWellFormed()) throw fault(place, 'a lone surrogate cannot be stored as UTF-8')
  return JSON.stringify(value)
}

/** Length in UTF-8 bytes; works in the workflow sandbox, which has no Buffer. */
export function utf8Length(text: string): number {
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
 * Checks a value from outside: plain JSON, no key that can reach a prototype, no NUL, depth and size within bounds.
 * @returns the canonical form, since every caller stores it
 * @throws {NotPlainJsonError} naming the path of the first fault
 */
export function guardJson(value: unknown, bounds: JsonBounds): string {
  guard(value, null, 0, bounds.depthMax)
  const text = canonicalJson(value)
  const bytes = utf8Length(text)
  if (bytes > bounds.bytesMax) {
    throw fault(null, `${bytes} bytes, at most ${bounds.bytesMax} are taken`)
  }
  return text
}

function guard(value: unknown, place: Place | null, depth: number, depthMax: number): void {
  if (typeof value === 'string' && value.includes('\0')) throw fault(place, 'a NUL character is refused')
  if (typeof value !== 'object' || value === null) return
  if (depth >= depthMax) throw fault(place, `nested deeper than ${depthMax}`)
  if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) guard(item, { within: place, key: i }, depth + 1, depthMax)
    return
  }
  for (const [key, item] of Object.entries(value)) {
    const at = { within: place, key }
    if (REFUSED_KEYS.has(key)) throw fault(at, 'this key is refused everywhere')
    if (key.includes('\0')) throw fault(at, 'a NUL character is refused')
    guard(item, at, depth + 1, depthMax)
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

/** `T` if all its fields are plain JSON, else never. An interface has no index signature, so it is no `Json` itself. */
type JsonShaped<T> = T extends Json | undefined
  ? T
  : T extends (...args: never[]) => unknown
    ? never
    : T extends object
      ? { readonly [K in keyof T]: JsonShaped<T[K]> }
      : never

/** An object type is a JSON object, anything else just JSON. */
type JsonOf<T> = T extends readonly unknown[] ? Json : T extends object ? JsonObject : Json

/** A typed value as JSON. The compiler refuses types with a function, a symbol, a bigint or an unknown field. */
export const asJson = <T>(value: T & JsonShaped<T>): JsonOf<T> => value as Json as JsonOf<T>

/** A stored value in the type it was written from: the inverse of {@link asJson}. It checks nothing, so read only what this code wrote. */
export const fromJson = <T>(value: Json): T => value as T

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
