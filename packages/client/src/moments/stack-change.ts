import type { BeingName } from '@treeos/core'
import { type Db, listNewestOutcomes, listOutcomes, type StoredOutcome } from '@treeos/store'

/** Moments that are read at once. */
const PAGE = 100

/** Number of the newest finished moment of a being; 0 without one. */
export async function newestMoment(db: Db, being: BeingName): Promise<number> {
  return (await listNewestOutcomes(db, [being]))[0]?.n ?? 0
}

/**
 * The next moment, or the one before, whose stack is another than that of the moment before it. The first
 * moment counts too.
 * @returns null when there is none
 */
export async function stackChange(db: Db, being: BeingName, n: number, by: 1 | -1): Promise<number | null> {
  let passed: StoredOutcome | null = null
  for await (const outcome of by === 1 ? forwards(db, being, n) : backwards(db, being, n)) {
    if (passed !== null && passed.record.stackDigest !== outcome.record.stackDigest)
      return by === 1 ? outcome.n : passed.n
    passed = outcome
  }
  return by === 1 ? null : (passed?.n ?? null)
}

/** From this moment on. */
async function* forwards(db: Db, being: BeingName, n: number): AsyncGenerator<StoredOutcome> {
  for (let before = n + PAGE; ; before += PAGE) {
    const page = await listOutcomes(db, being, PAGE, before)
    yield* page.filter((outcome) => outcome.n >= before - PAGE)
    if (page.at(-1)?.n !== before - 1) return
  }
}

/** The moments before this one, the newest first. */
async function* backwards(db: Db, being: BeingName, n: number): AsyncGenerator<StoredOutcome> {
  for (let before = n; before > 1; before -= PAGE) {
    const page = await listOutcomes(db, being, PAGE, before)
    yield* page.reverse()
    if (page.length < PAGE) return
  }
}
