import type { Load, Wakes } from './vitals.ts'

/**
 * What keeps wakes waiting:
 * - `workers`: none lives
 * - `budgets`: all of them wait for a budget of moments a minute
 * - `processors`: a worker has no time left
 * - `postgres`: workers have time, and steps of moments wait for Postgres
 * - `minds`: their beings wait for their minds
 */
export type WakeLimit = 'workers' | 'budgets' | 'processors' | 'postgres' | 'minds'

interface Crowd {
  readonly wakes: Wakes | null
  /** how many of them wait for a budget; null while Postgres does not tell */
  readonly paced: number | null
  /** workers that live; null while Postgres does not tell */
  readonly living: number | null
  readonly load: Load | null
}

/** A wake that has waited for less than this has just come. */
const JUST_CAME_SECONDS = 1
/** An event loop that works for this share of its time delays all that it does. */
const BUSY = 0.9

/** Names what keeps wakes waiting. @returns null where none has waited for long, or nothing tells */
export function wakeLimit({ wakes, paced, living, load }: Crowd): WakeLimit | null {
  if (wakes === null || wakes.waiting === 0 || wakes.oldestSeconds < JUST_CAME_SECONDS) return null
  if (living === 0) return 'workers'
  if (paced !== null && paced >= wakes.waiting) return 'budgets'
  if (load === null) return null
  if (load.busy >= BUSY) return 'processors'
  if (load.stepsWaiting > 0) return 'postgres'
  return load.mindsAsked > 0 ? 'minds' : null
}
