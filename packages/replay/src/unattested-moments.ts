/**
 * Moments in the chain that no history attests: Temporal learns of them when their workflow task ends, which
 * may be later or never.
 */

import { parseMomentId } from '@treeos/core'
import { MOMENTS_OF_TASK_MAX } from '@treeos/protocol'
import type { StoredOutcome } from '@treeos/store'
import { attestedMoments, generationOf, type WorkflowRun } from './temporal-history.ts'

/**
 * Whether the histories may yet come to hold the last outcome: a workflow task is under way, and they do not
 * hold it.
 */
export function mayStillCome(outcomes: readonly StoredOutcome[], runs: readonly WorkflowRun[]): boolean {
  const [last, run] = [outcomes.at(-1), runs.at(-1)]
  if (last === undefined || run === undefined || isTerminated(run) || !hasOpenTask(run)) return false
  return !attestedMoments(run.history).some(
    ({ opened, stamped }) => opened.moment === last.moment && stamped !== null,
  )
}

/**
 * The last moments of each generation that no history attests, where a workflow task of its run has not ended:
 * it is under way, was given up by a worker and waits for the next one, or was cut off when the run was
 * terminated. Also where the run failed: then only moments that the next generation closed, since an activity
 * that fails does not tell what it opened. They are at most as many as one task has; were there more, or were
 * the run at rest, something else is missing.
 * @param outcomes all of a being, in their order
 * @param runs oldest first
 */
export function leftByOpenTasks(
  outcomes: readonly StoredOutcome[],
  isAttested: (outcome: StoredOutcome) => boolean,
  runs: readonly WorkflowRun[],
): StoredOutcome[] {
  const lives = Map.groupBy(outcomes, ({ moment }) => parseMomentId(moment).generation)
  return [...lives].flatMap(([generation, moments]) => {
    const left = moments.slice(1 + moments.findLastIndex(isAttested))
    if (left.length > MOMENTS_OF_TASK_MAX) return []
    const last = runs.findLast((run) => generationOf(run.history) === generation)
    // A run whose first task has not ended does not say its generation.
    const mayBe = runs.filter((run) => run === last || generationOf(run.history) === null)
    const isClosed = left.every(({ record }) => record.reason === 'superseded')
    return mayBe.some((run) => hasOpenTask(run) || (isFailed(run) && isClosed)) ? left : []
  })
}

/**
 * The moments that no history attests because Temporal has deleted their run after the retention of its
 * namespace. The runs beside it say that there was one: they continue it, or are continued by it. A moment that
 * is younger than the retention cannot be one of these.
 * @param before ms since 1970 UTC: runs that closed earlier may be deleted
 */
export function ofDeletedRuns(
  outcomes: readonly StoredOutcome[],
  isAttested: (outcome: StoredOutcome) => boolean,
  runs: readonly WorkflowRun[],
  before: number,
): StoredOutcome[] {
  const known = new Set(runs.map(({ runId }) => runId))
  const lacks = (runId: string | null | undefined) => runId != null && runId !== '' && !known.has(runId)
  const lives = runs.map((run) => {
    const numbers = attestedMoments(run.history).map(({ opened }) => parseMomentId(opened.moment).n)
    const { events } = run.history
    const { continuedExecutionRunId: of } = events?.[0]?.workflowExecutionStartedEventAttributes ?? {}
    const { newExecutionRunId: by } = events?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes ?? {}
    const [first, last] = [numbers.at(0) ?? Infinity, numbers.at(-1) ?? -Infinity]
    return {
      generation: generationOf(run.history),
      first,
      last,
      lacksBefore: lacks(of),
      lacksAfter: lacks(by),
    }
  })
  return outcomes.filter((outcome) => {
    if (outcome.sealedAt >= before || isAttested(outcome)) return false
    const { generation, n } = parseMomentId(outcome.moment)
    const mine = lives.filter((life) => life.generation === generation)
    const next = mine.find(({ first }) => first > n)
    return next?.lacksBefore ?? mine.findLast(({ last }) => last < n)?.lacksAfter ?? mine.length === 0
  })
}

const isTerminated = ({ history }: WorkflowRun): boolean =>
  history.events?.at(-1)?.workflowExecutionTerminatedEventAttributes != null

const isFailed = ({ history }: WorkflowRun): boolean =>
  history.events?.at(-1)?.workflowExecutionFailedEventAttributes != null

/** Whether a workflow task began after the last one that completed. */
function hasOpenTask({ history }: WorkflowRun): boolean {
  const last = history.events?.findLast(
    (event) =>
      event.workflowTaskStartedEventAttributes != null || event.workflowTaskCompletedEventAttributes != null,
  )
  return last?.workflowTaskStartedEventAttributes != null
}
