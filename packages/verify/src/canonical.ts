/** Any JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject
export interface JsonObject {
  readonly [key: string]: Json
}

const DEPTH_MAX = 128

/**
 * The one byte form of a JSON value by RFC 8785.
 * @throws {Error} for a lone surrogate, negative zero, or a value nested too deep
 */
export function canonical(value: Json, depth = 0): string {
  if (typeof value === 'string') {
    if (!value.isWellFormed()) throw new Error('a lone surrogate')
    return JSON.stringify(value)
  }
  if (typeof value === 'number') {
    if (!Number.isFinite(value) || Object.is(value, -0)) throw new Error(`${value} has no canonical form`)
    return String(value)
  }
  if (value === null || typeof value === 'boolean') return String(value)
  if (depth >= DEPTH_MAX) throw new Error(`nested deeper than ${DEPTH_MAX}`)
  if (isArray(value)) return `[${value.map((item) => canonical(item, depth + 1)).join(',')}]`
  const fields = Object.keys(value)
    .sort() // by UTF-16 code unit, as the RFC says
    .map((key) => `${canonical(key)}:${canonical(value[key] as Json, depth + 1)}`)
  return `{${fields.join(',')}}`
}

/**
 * Reads canonical JSON.
 * @throws {Error} for any other text, so for doubled keys and for white space too
 */
export function parseCanonical(text: string): Json {
  const value = JSON.parse(text) as Json
  if (canonical(value) !== text) throw new Error('it is not in canonical form (RFC 8785)')
  return value
}

export const isArray = (value: unknown): value is readonly Json[] => Array.isArray(value)
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Reads along own keys; undefined where there is none. */
export function at(value: unknown, ...keys: readonly string[]): Json | undefined {
  let found: unknown = value
  for (const key of keys) {
    if (!isObject(found) || !Object.hasOwn(found, key)) return undefined
    found = found[key]
  }
  return found as Json | undefined
}

export const same = (a: Json | undefined, b: Json | undefined): boolean =>
  a === undefined || b === undefined ? a === b : canonical(a) === canonical(b)
