import { at, isObject, type Json, type JsonObject } from './canonical.ts'

/** Sets one path in a tree of qualities: null unsets, and objects are merged where `merge` is true. */
export function setPath(
  tree: Json,
  [key, ...rest]: readonly string[],
  value: Json,
  merge: boolean,
): JsonObject {
  if (!isObject(tree)) return {}
  if (key === undefined) return tree
  const old = at(tree, key)
  if (rest.length > 0) return { ...tree, [key]: setPath(isObject(old) ? old : {}, rest, value, merge) }
  const { [key]: _gone, ...others } = tree
  if (value === null) return others
  if (!merge || !isObject(value) || !isObject(old)) return { ...tree, [key]: value }
  return {
    ...tree,
    [key]: Object.entries(value).reduce((sum, [inner, item]) => setPath(sum, [inner], item, false), old),
  }
}

/** Qualities as contexts have them: what is tried is no part of these. */
export function untried(qualities: Json): Json {
  if (!isObject(qualities)) return qualities
  const { shadow: _tried, ...others } = qualities
  return others
}
