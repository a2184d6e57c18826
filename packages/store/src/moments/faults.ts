import type { BeingName, MomentId } from '@treeos/core'
import { sql } from 'kysely'
import type { Db } from '../sql/database.ts'

/** Where in a moment an error happened; `stack`: its workflow gives another stack than its worker, or than its record. */
export type FaultPart = 'model' | 'script' | 'decide' | 'effect' | 'stack'

/** The error of one attempt, for the operator. It may quote contents, so it is in no history and in no hash. */
export interface Fault {
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

/** Stores the error of an attempt. The first error of each part and attempt counts. */
export async function recordFault(
  db: Db,
  moment: MomentId,
  { part, attempt, seconds, message, stack }: Omit<Fault, 'at' | 'agoSeconds'>,
): Promise<void> {
  await sql`
    select treeos.record_fault(${moment}, ${part}, ${attempt}::integer, ${seconds}::double precision, ${message}, ${stack})
  `.execute(db)
}

/** The errors of a moment, oldest first. */
export async function listFaults(db: Db, moment: MomentId): Promise<Fault[]> {
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

/** A moment about whose stack worker and workflow disagree. */
export interface DifferingStack {
  readonly being: BeingName
  readonly moment: MomentId
  /** names both digests */
  readonly message: string
}

/** The moments whose run failed because of such a difference, oldest first; those after which a later life of their being has lived are left out. */
export async function listDifferingStacks(db: Db): Promise<DifferingStack[]> {
  const { rows } = await sql<DifferingStack>`
    select o.being, f.moment, f.message
    from treeos.moment_fault f join treeos.moment_open o on o.moment = f.moment
    where f.part = 'stack' and not exists (
      select from treeos.moment_outcome e
      where e.being = o.being and e.n > o.n and e.reason is distinct from 'superseded'
        and split_part(e.moment, '/', 2)::integer > split_part(o.moment, '/', 2)::integer)
    order by f.at`.execute(db)
  return rows
}
