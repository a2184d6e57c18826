import type { BeingName, Digest, ReelId } from '@treeos/core'
import { sql } from 'kysely'
import type { Db } from '../sql/database.ts'
import type { Batch } from './batch.ts'
import { encodeBatch } from './encode-batch.ts'

/** `unleased`: the lease under which a driver acts holds no longer. `stale`: a head the decision rested on has moved, so the caller reads and decides again. */
export type Appended =
  | {
      readonly status: 'appended'
      readonly waiting: number
      readonly recordHash: Digest | null
      /** beings that what was changed wakes */
      readonly woken: readonly BeingName[]
    }
  | { readonly status: 'done' }
  | { readonly status: 'stale'; readonly reel: ReelId }
  | { readonly status: 'superseded'; readonly generation: number }
  | { readonly status: 'unleased' }

/**
 * One statement, one transaction: locks, fences, facts, rows, inbox, outcome; all or none. A moment that already has its
 * outcome answers `done`, so a retried stamp is harmless.
 */
export async function append(db: Db, batch: Batch): Promise<Appended> {
  const message = encodeBatch(batch)
  const { rows } = await sql<{ answer: SqlAnswer }>`
    select treeos.append(${JSON.stringify(message)}::jsonb) as answer`.execute(db)
  const answer = rows[0]?.answer
  if (answer === undefined) throw new Error('append gave no answer')
  if (answer.status === 'appended') return { ...answer, recordHash: message.outcome?.hash ?? null }
  return answer
}

type SqlAnswer =
  | Exclude<Appended, { status: 'appended' }>
  | Omit<Extract<Appended, { status: 'appended' }>, 'recordHash'>

/** Locks heads before anything is read, so that a decision that was overtaken before is not overtaken again. */
export async function lockHeads(tx: Db, reels: readonly ReelId[]): Promise<void> {
  await sql`select treeos.lock_heads(${reels}::text[])`.execute(tx)
}
