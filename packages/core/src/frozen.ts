/**
 * Freezes a JSON value and everything in it. What is frozen already is taken as frozen throughout.
 * @returns the same value
 */
export function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const part of Object.values(value)) frozen(part)
  return value
}
