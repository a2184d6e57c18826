import {
  APPROVED_PREFIX,
  type BeingName,
  CONTINUE_PREFIX,
  DENIED_PREFIX,
  EXPIRED_PREFIX,
  LOOK_PREFIX,
  type MomentId,
  READ_PREFIX,
  REFUSED_PREFIX,
} from '@treeos/core'
import { type Selectable, sql } from 'kysely'
import type { Db } from '../sql/database.ts'
import type { MomentOutcomeTable } from '../sql/schema.ts'
import { outcomeOf, type StoredOutcome } from './outcome.ts'

/** How far a wake has come. */
export interface WakeState {
  /** the outcome of the moment that it opened, superseded ones aside; null while there is none */
  readonly outcome: StoredOutcome | null
  /** the wake with which its being goes on after a look, an act or a refusal, while it has not answered; null when there is none */
  readonly goesOn: string | null
  /** whose wake it is */
  readonly being: BeingName
  /**
   * the summon by which its moment asked another being; null when it asked none, or when no answer to this
   * wake is wanted
   */
  readonly asked: string | null
  /** the first answer to it; null while there is none */
  readonly answered: string | null
  /** the moment that closed it, or a word for how a person closed it; null while it is open */
  readonly closedBy: string | null
  /** the being that cut its thread; null when it was not cut */
  readonly cutBy: BeingName | null
}

/** @returns null when there is no such wake */
export async function findWakeState(db: Db, wake: string): Promise<WakeState | null> {
  const { rows } = await sql<
    Selectable<MomentOutcomeTable> & {
      goes_on: string | null
      whose: BeingName
      asked: string | null
      answered: string | null
      closed_by: string | null
      cut: string | null
    }
  >`
    select o.*, l.id as goes_on, i.being as whose, q.id as asked, i.closed_by, p.state as cut,
      (select r.id from treeos.inbox r where r.in_reply_to = i.id and r.being = i.caller order by r.age limit 1) as answered
    from treeos.inbox i
      left join treeos.moment_outcome o on o.wake = i.id and o.reason is distinct from 'superseded'
      left join treeos.inbox l on (l.answers is not null or o.kind = 'waiting') and l.id in (${LOOK_PREFIX} || o.moment, ${CONTINUE_PREFIX} || o.moment, ${REFUSED_PREFIX} || o.moment, ${READ_PREFIX} || o.moment,
        ${APPROVED_PREFIX} || o.moment, ${DENIED_PREFIX} || o.moment, ${EXPIRED_PREFIX} || o.moment, o.moment) and l.being = i.being
      left join treeos.inbox q on i.expect_reply and q.id = o.moment and q.kind = 'summon' and q.expect_reply and q.in_reply_to is null
      left join treeos.projection p on p.key = 'thread:' || i.root
    where i.id = ${wake}`.execute(db)
  const [row] = rows
  if (row === undefined) return null
  return {
    outcome: row.moment === null ? null : outcomeOf(row),
    goesOn: row.goes_on,
    being: row.whose,
    asked: row.asked,
    answered: row.answered,
    closedBy: row.closed_by,
    cutBy: row.cut === null ? null : (JSON.parse(row.cut) as { cutBy: BeingName }).cutBy,
  }
}

/**
 * Of moments that were refused those whose model decides again, with the numbers of the moments in which it did; null while such a moment
 * is not over.
 */
export async function listDecidedAgain(
  db: Db,
  moments: readonly MomentId[],
): Promise<ReadonlyMap<MomentId, number | null>> {
  if (moments.length === 0) return new Map()
  const { rows } = await sql<{ moment: MomentId; n: number | null }>`
    select m.moment, o.n from unnest(${[...moments]}::text[]) as m (moment)
    join treeos.inbox i on i.id = ${REFUSED_PREFIX} || m.moment
    left join treeos.moment_outcome o on o.wake = i.id and o.reason is distinct from 'superseded'`.execute(db)
  return new Map(rows.map(({ moment, n }) => [moment, n]))
}
