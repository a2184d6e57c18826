/** The same value with the keys of its objects in order, so that equal values have equal JSON. */
function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, below]): [string, unknown] => [key, ordered(below)])
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}

export const orderedJson = (value: unknown, space?: number): string =>
  JSON.stringify(ordered(value), null, space)
