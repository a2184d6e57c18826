import { type BeingName, type MomentId, parseMomentId } from '@treeos/core'
import { sql } from 'kysely'
import type { Db } from '../sql/database.ts'

/**
 * Gives back the wake that a moment claimed and did not open.
 * @returns for how many seconds the wake has waited; null when the moment holds none, or is open
 */
export async function releaseClaim(db: Db, being: BeingName, moment: MomentId): Promise<number | null> {
  const { generation } = parseMomentId(moment)
  const { rows } = await sql<{ seconds: number | null }>`
    select treeos.release_claim(${being}, ${moment}, ${generation}) as seconds`.execute(db)
  return rows[0]?.seconds ?? null
}
