import { CONTINUE_PREFIX, type OutcomeKind, READ_PREFIX, REFUSED_PREFIX } from '@treeos/core'
import { sql } from 'kysely'
import type { Db } from '../sql/database.ts'

/** How many of the latest moments ended in one way. */
export interface EndCount {
  readonly kind: OutcomeKind
  /** code of a failure, or the reason of a skip; null where the kind says all */
  readonly reason: string | null
  readonly count: number
}

/**
 * Counts how moments ended lately, all beings together. Goes back along the journal, whose newest entries are at hand, so that it
 * costs the same in a long record. Failures with which the being goes on are left out.
 * @param most looks at so many of the latest moments only
 * @returns isAll false: more moments than that ended within the time
 */
export async function countEnds(
  db: Db,
  { seconds, most }: { readonly seconds: number; readonly most: number },
): Promise<{ readonly counts: readonly EndCount[]; readonly isAll: boolean }> {
  const { rows } = await sql<EndCount & { readonly isRecent: boolean }>`
    select o.kind, o.reason, count(*) as count,
      o.sealed_at >= extract(epoch from clock_timestamp() - make_interval(secs => ${seconds})) * 1000 as "isRecent"
    from (select moment from treeos.journal where moment is not null order by entry desc limit ${most}) latest
    join treeos.moment_outcome o on o.moment = latest.moment
    where not (o.kind = 'failure' and exists (select from treeos.inbox where id in (${REFUSED_PREFIX} || o.moment, ${READ_PREFIX} || o.moment, ${CONTINUE_PREFIX} || o.moment)))
    group by 1, 2, 4 order by 3 desc, 1, 2`.execute(db)
  const all = rows.reduce((sum, { count }) => sum + count, 0)
  return {
    counts: rows.flatMap(({ isRecent, ...count }) => (isRecent ? [count] : [])),
    isAll: all < most || rows.some(({ isRecent }) => !isRecent),
  }
}
