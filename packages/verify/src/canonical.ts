import { canonicalJson as canonical, isSameJson, type Json, type JsonObject } from '@treeos/core'

export { canonical, type Json, type JsonObject }

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
  a === undefined || b === undefined ? a === b : isSameJson(a, b)
