import { MICROS, type MomentId } from '@treeos/core'
import { sql } from 'kysely'
import type { Db } from '../sql/database.ts'

/** What the model calls of one moment cost. An attempt whose cost never came back counts as its reservation. */
export interface MomentCost {
  readonly attempts: number
  readonly tokens: number
  /** in the currency of the price list */
  readonly money: number
}

/** @returns null for a moment that asked no model */
export async function costOf(db: Db, moment: MomentId): Promise<MomentCost | null> {
  const { rows } = await sql<{ attempts: number; tokens: number; micros: number }>`
    select count(*) as attempts, coalesce(sum(coalesce(settled_tokens, tokens)), 0)::bigint as tokens,
      coalesce(sum(coalesce(settled_micros, micros)), 0)::bigint as micros
    from treeos.reservation where moment = ${moment}`.execute(db)
  const [cost] = rows
  if (cost === undefined || cost.attempts === 0) return null
  return { attempts: cost.attempts, tokens: cost.tokens, money: cost.micros / MICROS }
}
