import { type BeingName, momentsReel } from '@treeos/core'
import { sql } from 'kysely'
import { genesisHash } from '../ledger/hash.ts'
import type { Db } from '../sql/database.ts'

/** A younger life of this being has begun; retrying cannot mend it, the younger one goes on. */
export class StaleGenerationError extends Error {
  override readonly name = 'StaleGenerationError' // crosses the wire as the failure's type: do not rename
}

/** Gives the error by which Postgres fences older lives off its name; throws any other on. */
export function throwStaleGeneration(error: unknown): never {
  if (error instanceof Error && 'code' in error && error.code === 'TR003')
    throw new StaleGenerationError(error.message)
  throw error
}

/**
 * Takes a generation for a Temporal execution chain; the same chain always gets the same one. From here on nothing of an
 * older generation is appended, claimed or opened.
 * @param chain first run id, which continue-as-new keeps
 */
export async function beginLife(db: Db, reality: string, being: BeingName, chain: string): Promise<number> {
  const genesis = genesisHash(reality, momentsReel(being)).toString('hex')
  const { rows } = await sql<{ generation: number }>`
    select treeos.begin_life(${being}, ${chain}, ${genesis}) as generation`.execute(db)
  const generation = rows[0]?.generation
  if (generation === undefined) throw new Error(`no life was begun for ${being}`)
  return generation
}
