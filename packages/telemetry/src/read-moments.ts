import { type Decision, type Json, type MomentId, STEP_PREFIXES } from '@treeos/core'
import {
  type Db,
  decodeJson,
  type FaultPart,
  listOutcomesOf,
  type OpenRecord,
  type StoredOutcome,
} from '@treeos/store'
import { sql } from 'kysely'

/** A finished moment with all that its trace tells. Times are in milliseconds since 1970 UTC. */
export interface FinishedMoment {
  readonly outcome: StoredOutcome
  /** null when a younger life closed it */
  readonly open: OpenRecord | null
  /** of its wake: the summon, by its correlation, that began it all; null without a wake */
  readonly thread: string | null
  /** the moment that caused it; null where none did, as at a schedule */
  readonly cause: MomentId | null
  /** what its wake says; null unless contents are asked for */
  readonly heard: Json
  /** null when it decided nothing, or when the decision was erased */
  readonly decision: Decision | null
  /** what its model call used and which model it was; null without one */
  readonly usage: ModelUsage | null
  readonly faults: readonly FailedAttempt[]
  /** the operation whose effect it asked for, and whether there is a result */
  readonly effect: { readonly operation: string; readonly hasResult: boolean } | null
}

export interface ModelUsage {
  readonly model?: string
  readonly promptTokens?: number
  readonly completionTokens?: number
  readonly cachedTokens?: number
  /** how long the call took */
  readonly seconds?: number
}

export interface FailedAttempt {
  readonly part: FaultPart
  readonly attempt: number
  /** when it failed */
  readonly at: number
  readonly seconds: number
  readonly message: string
}

interface TracedMomentRow {
  readonly moment: MomentId
  readonly open: Buffer | null
  readonly root: string | null
  readonly wake: string | null
  readonly content: Buffer | null
  readonly cause: MomentId | null
  readonly decision: Buffer | null
  readonly usage: ModelUsage | null
  readonly operation: string | null
  readonly has_result: boolean
  readonly faults: readonly FailedAttempt[] | null
}

/**
 * Reads finished moments, in the order in which they are asked for. Those that have no outcome are left out.
 * @param withContent reads what their wakes say, too
 */
export async function readMoments(
  db: Db,
  moments: readonly MomentId[],
  withContent: boolean,
): Promise<FinishedMoment[]> {
  if (moments.length === 0) return []
  const [outcomes, { rows }] = await Promise.all([
    listOutcomesOf(db, moments),
    sql<TracedMomentRow>`
      select m.moment, p.record as open, i.root, i.id as wake, case when ${withContent} then i.content end as content, f.moment as cause, d.bytes as decision, d.usage,
        e.operation, e.result is not null as has_result,
        (
          select json_agg(json_build_object('part', part, 'attempt', attempt, 'seconds', seconds, 'message', message,
            'at', extract(epoch from at) * 1000) order by at)
          from treeos.moment_fault where moment = m.moment
        ) as faults
      from unnest(${[...moments]}::text[]) as m (moment)
      left join treeos.moment_outcome o on o.moment = m.moment
      left join treeos.moment_open p on p.moment = m.moment
      left join treeos.inbox i on i.id = o.wake
      left join treeos.fact f on f.hash = i.cause
      left join treeos.moment_decision d on d.moment = m.moment
      left join treeos.moment_effect e on e.moment = m.moment`.execute(db),
  ])
  const ends = new Map(outcomes.map((outcome) => [outcome.moment, outcome]))
  return rows.flatMap((row) => {
    const outcome = ends.get(row.moment)
    return outcome === undefined ? [] : [finishedOf(row, outcome)]
  })
}

function finishedOf(row: TracedMomentRow, outcome: StoredOutcome): FinishedMoment {
  const { open, root, wake, content, cause, decision, usage, operation, has_result, faults } = row
  return {
    outcome,
    open: open === null ? null : decodeJson<OpenRecord>(open),
    thread: root,
    cause: goesOnFrom(wake) ?? cause,
    heard: content === null ? null : decodeJson<Json>(content),
    decision: decision === null ? null : decodeJson<Decision>(decision),
    usage,
    faults: faults ?? [],
    effect: operation === null ? null : { operation, hasResult: has_result },
  }
}

/** The moment from which a being goes on by this wake; a person's act carries the id of what it caused. */
function goesOnFrom(wake: string | null): MomentId | null {
  for (const prefix of STEP_PREFIXES) if (wake?.startsWith(prefix)) return wake.slice(prefix.length)
  return null
}
