/**
 * One answer for all who ask within a short time. A failure is not kept.
 * @param forMs how long an answer is shared, from when it was asked for
 */
export function sharing<T>(forMs: number, make: () => Promise<T>): () => Promise<T> {
  let made: { readonly at: number; readonly value: Promise<T> } | null = null
  return () => {
    if (made !== null && performance.now() - made.at < forMs) return made.value
    const mine = { at: performance.now(), value: make() }
    made = mine
    mine.value.catch(() => {
      if (made === mine) made = null
    })
    return mine.value
  }
}
