import type { Digest, MomentId } from '@treeos/core'
import { sql } from 'kysely'
import type { Db } from '../sql/database.ts'

/**
 * Where in a moment an error happened; `stack`: its workflow gives another stack than its worker, or than its
 * record.
 */
export type FaultPart = 'model' | 'script' | 'decide' | 'effect' | 'stack'

/**
 * The error of one attempt, for the operator. It may quote contents, so it is in no history and in no hash.
 */
export interface AttemptFault {
  readonly part: FaultPart
  /** from 1 */
  readonly attempt: number
  readonly at: Date
  /** how long the attempt took */
  readonly seconds: number
  /** how long ago the attempt began */
  readonly agoSeconds: number
  readonly message: string
  readonly stack: string | null
}

/**
 * The stack of a moment as its record has it, and as its workflow gives it, by digest; null where it has
 * none.
 */
export interface StackDigests {
  readonly recorded: Digest | null
  readonly given: Digest | null
}

/**
 * Stores the error of an attempt. The first error of each part and attempt counts; of `stack` the last one.
 * @param differs of `stack`
 */
export async function recordFault(
  db: Db,
  moment: MomentId,
  { part, attempt, seconds, message, stack }: Omit<AttemptFault, 'at' | 'agoSeconds'>,
  differs: StackDigests | null = null,
): Promise<void> {
  const digests = differs === null ? null : JSON.stringify(differs)
  await sql`
    select treeos.record_fault(${moment}, ${part}, ${attempt}::integer, ${seconds}::double precision, ${message}, ${stack},
      ${digests}::jsonb)`.execute(db)
}

/** The errors of a moment, oldest first. */
export async function listFaults(db: Db, moment: MomentId): Promise<AttemptFault[]> {
  const rows = await db
    .selectFrom('moment_fault')
    .select(['part', 'attempt', 'at', 'seconds', 'message', 'stack'])
    .select(
      sql<number>`extract(epoch from pg_catalog.clock_timestamp() - at)::double precision + seconds`.as(
        'ago_seconds',
      ),
    )
    .where('moment', '=', moment)
    .orderBy('at')
    .orderBy('attempt')
    .execute()
  return rows.map(({ ago_seconds: agoSeconds, ...fault }) => ({ ...fault, agoSeconds }))
}
