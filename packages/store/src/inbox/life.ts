import { type BeingName, brandError, momentsReel } from '@treeos/core'
import { sql } from 'kysely'
import { genesisHash } from '../ledger/hash.ts'
import type { Db } from '../sql/database.ts'

/** A younger life of this being has begun. A retry cannot succeed; the younger life goes on. */
export class StaleGenerationError extends Error {
  // Temporal carries the name as the failure's type: do not rename it
  override readonly name = 'StaleGenerationError'

  static {
    brandError(StaleGenerationError, 'StaleGenerationError')
  }
}

/**
 * Turns the error by which Postgres refuses an older life into a StaleGenerationError; throws any other
 * unchanged.
 */
export function throwStaleGeneration(error: unknown): never {
  if (error instanceof Error && 'code' in error && error.code === 'TR003')
    throw new StaleGenerationError(error.message)
  throw error
}

/**
 * Takes a generation for a Temporal execution chain; the same chain always gets the same one. From then on
 * older generations cannot append, claim or open anything.
 * @param chain id of the chain's first run, which continue-as-new keeps
 */
export async function beginLife(db: Db, reality: string, being: BeingName, chain: string): Promise<number> {
  const genesis = genesisHash(reality, momentsReel(being)).toString('hex')
  const { rows } = await sql<{ generation: number }>`
    select treeos.begin_life(${being}, ${chain}, ${genesis}) as generation`.execute(db)
  const generation = rows[0]?.generation
  if (generation === undefined) throw new Error(`begin_life returned no generation for ${being}`)
  return generation
}
