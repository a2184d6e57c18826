import type { BeingName, Digest, ReelId } from '@treeos/core'
import { sql } from 'kysely'
import type { Db } from '../sql/database.ts'
import { StatementBatcher } from '../sql/statement-batcher.ts'
import type { Batch } from './batch.ts'
import { encodeBatch } from './encode-batch.ts'

/**
 * - `appended`: all was written
 * - `done`: the moment already has its outcome, so nothing was written
 * - `stale`: a head that the decision relied on has moved, or its thread was cut; the caller reads and
 *   decides again
 * - `superseded`: a younger generation of the being lives
 * - `unleased`: the lease under which the driver acts has ended
 * - `reopened`: another open record or another decision of the moment is stored than the batch brings, or a
 *   decision was stored at the same time, perhaps an equal one; nothing was written
 */
export type AppendResult =
  | {
      readonly status: 'appended'
      /** wakes that wait for this being, counted up to 1000 */
      readonly waiting: number
      readonly recordHash: Digest | null
      /**
       * the being listened when its moment was closed: a wake may have come without a doorbell after
       * `waiting` was counted
       */
      readonly listened: boolean
      /** beings that the changes woke */
      readonly woken: readonly BeingName[]
      /** in how many ms the first of those is due whom they wake later; null or left out for nobody */
      readonly heldMs?: number | null
    }
  | { readonly status: 'done' }
  | { readonly status: 'stale'; readonly reel: ReelId }
  | { readonly status: 'superseded'; readonly generation: number }
  | { readonly status: 'unleased' }
  | { readonly status: 'reopened' }

/**
 * Writes a batch in one statement, all or nothing, perhaps together with those of other beings: it locks the
 * heads, checks that the batch may still be written, then writes facts, rows, inbox and outcome. A retried
 * stamp is harmless, because a moment with an outcome answers `done`.
 */
export async function append(db: Db, batch: Batch): Promise<AppendResult> {
  const message = encodeBatch(batch)
  const answer = await appends.ask(db, JSON.stringify(message)).catch(reopenedOf)
  if (answer.status === 'appended') return { ...answer, recordHash: message.outcome?.hash ?? null }
  return answer
}

/** Of messages as JSON. */
const appends = new StatementBatcher<string, AppendAnswer>({
  async one(db, message) {
    const { rows } = await sql<{ answer: AppendAnswer }>`
      select treeos.append(${message}::jsonb) as answer`.execute(db)
    const [row] = rows
    if (row === undefined) throw new Error('the SQL function append returned no row')
    return row.answer
  },
  async many(db, messages) {
    // Each as a value of its own: `pg` would escape each quote of each item of an array, and Postgres undo
    // that.
    const batches = sql.join(messages.map((message) => sql`${message}::jsonb`))
    const { rows } = await sql<{ answer: AppendAnswer }>`
      select * from treeos.append_together(array[${batches}]) as answer`.execute(db)
    return rows.map(({ answer }) => answer)
  },
  lengthOf: (message) => message.length,
})

/**
 * The answer in place of the error by which Postgres takes back what the function wrote; throws any other
 * error.
 */
function reopenedOf(error: unknown): AppendAnswer {
  const { code, constraint } = error as { code?: unknown; constraint?: unknown }
  if (code !== 'TR004' && constraint !== 'moment_decision_pkey') throw error
  return { status: 'reopened' }
}

type AppendAnswer =
  | Exclude<AppendResult, { status: 'appended' }>
  | Omit<Extract<AppendResult, { status: 'appended' }>, 'recordHash'>

/**
 * Locks heads before anything is read, so that a decision that was stale before cannot become stale again.
 */
export async function lockHeads(tx: Db, reels: readonly ReelId[]): Promise<void> {
  await sql`select treeos.lock_heads(${reels}::text[])`.execute(tx)
}
