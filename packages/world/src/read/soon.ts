/**
 * A value at once where nothing has to be read for it. A face asks the gates about each being around, and
 * each promise costs more than most answers.
 */
export type Soon<T> = T | Promise<T>

/** Goes on with a value: at once where it is there, else when it comes. */
export const once = <T, U>(value: Soon<T>, next: (value: T) => Soon<U>): Soon<U> =>
  value instanceof Promise ? value.then(next) : next(value)

/** The first item of which something holds; the later ones are not asked. */
export function firstOf<T>(items: readonly T[], holds: (item: T) => Soon<boolean>): Soon<T | undefined> {
  for (let i = 0; i < items.length; i++) {
    const item = items[i] as T
    const held = holds(item)
    if (held instanceof Promise) return held.then((is) => (is ? item : firstOf(items.slice(i + 1), holds)))
    if (held) return item
  }
  return undefined
}
