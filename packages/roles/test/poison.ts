/** Throws at whatever is asked of it. */
const POISON = new Proxy(
  {},
  new Proxy(
    {},
    {
      get: (_, trap) => () => {
        throw new Error(`the prototype was touched: ${String(trap)}`)
      },
    },
  ),
)

/**
 * A copy in which every object inherits from a prototype that throws when it is touched. Arrays stay arrays.
 */
export function poisoned<T>(value: T): T {
  if (Array.isArray(value)) return value.map(poisoned) as T
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).map(([key, field]) => [
    key,
    { value: poisoned(field), enumerable: true, writable: true, configurable: true },
  ])
  return Object.create(POISON, Object.fromEntries(fields)) as T
}

/** A copy that counts how often a property of any object in it is looked for. */
export function counted<T>(value: T): { readonly copy: T; readonly looks: () => number } {
  let looks = 0
  const copy = (part: unknown): unknown => {
    if (typeof part !== 'object' || part === null) return part
    const inner = Array.isArray(part)
      ? part.map(copy)
      : Object.fromEntries(Object.entries(part).map(([key, field]) => [key, copy(field)]))
    return new Proxy(inner, {
      getOwnPropertyDescriptor(target, key) {
        looks += 1
        return Reflect.getOwnPropertyDescriptor(target, key)
      },
    })
  }
  return { copy: copy(value) as T, looks: () => looks }
}
