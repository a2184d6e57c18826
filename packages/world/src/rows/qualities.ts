import {
  canonicalJson,
  isJsonObject,
  isKey,
  type Json,
  type JsonObject,
  LIMITS,
  quote,
  TreeosError,
  utf8Length,
} from '@treeos/core'

/**
 * Reads `ns.key.deeper` into its keys.
 * @throws {TreeosError} INVALID_INPUT naming the path and the segment
 */
export function parseKeyPath(text: unknown, what: string): [string, ...string[]] {
  const keys = typeof text === 'string' ? text.split('.') : []
  const [first, ...rest] = keys
  const wrong = keys.find((key) => !isKey(key))
  if (first === undefined || wrong !== undefined || keys.length > LIMITS.qualityDepthMax) {
    throw new TreeosError(
      'INVALID_INPUT',
      `${what} ${quote(text)} is not valid: kebab-case keys with dots between, at most ${LIMITS.qualityDepthMax}, as in ambient.tone`,
    )
  }
  return [first, ...rest]
}

/** Namespace of dry runs: rules of a space, or the clauses of a being, that are recorded and not followed. */
export const SHADOW = 'shadow'

/** Qualities without dry runs: no prompt shows it, no flow reads it, and nobody is woken by it. */
export function withoutShadow(qualities: JsonObject): JsonObject {
  return Object.hasOwn(qualities, SHADOW) ? withoutKey(qualities, SHADOW) : qualities
}

/**
 * Sets one path in a tree of qualities and returns the new tree. `null` unsets. With `merge`, the keys of an
 * object are merged into the object that is there. Only own properties count.
 */
export function setAtPath(
  tree: JsonObject,
  path: readonly string[],
  value: Json,
  merge: boolean,
): JsonObject {
  const [key, ...rest] = path
  if (key === undefined) return tree
  const old = Object.hasOwn(tree, key) ? tree[key] : undefined
  if (rest.length > 0) return withKey(tree, key, setAtPath(isJsonObject(old) ? old : {}, rest, value, merge))
  if (value === null) return withoutKey(tree, key)
  if (merge && isJsonObject(value) && isJsonObject(old)) {
    let merged: JsonObject = old
    for (const [inner, item] of Object.entries(value)) merged = setAtPath(merged, [inner], item, false)
    return withKey(tree, key, merged)
  }
  return withKey(tree, key, value)
}

function withKey(tree: JsonObject, key: string, value: Json): JsonObject {
  return { ...tree, [key]: value }
}

function withoutKey(tree: JsonObject, key: string): JsonObject {
  const { [key]: _gone, ...rest } = tree
  return rest
}

/** @throws {TreeosError} PAYLOAD_TOO_LARGE */
export function requireQualitySize(tree: JsonObject, what: string): void {
  const bytes = utf8Length(canonicalJson(tree))
  if (bytes > LIMITS.qualityBytesMax) {
    throw new TreeosError(
      'PAYLOAD_TOO_LARGE',
      `${what} would be ${bytes} bytes, at most ${LIMITS.qualityBytesMax} are kept`,
    )
  }
}
