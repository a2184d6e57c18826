/**
 * The activities of a worker that lives several realities: one plugin each, and each activity goes to the one
 * whose reality its workflow is of.
 */

import { Context } from '@temporalio/activity'
import { ApplicationFailure } from '@temporalio/common'
import { type ErrorCode, quote } from '@treeos/core'
import { realityOfWorkflowId } from '@treeos/protocol'
import type { Runtime } from './runtime.ts'

// biome-ignore lint/suspicious/noExplicitAny: an activity takes and gives what its workflow says
type Activity = (...args: any[]) => Promise<unknown>

type LivedReality = Pick<Runtime, 'realityName' | 'databaseUrl'>

interface RealityActivity {
  readonly runtime: LivedReality
  readonly run: Activity
}

const LANES = Symbol('activities by reality')

/** @param lanes of one activity, one for each reality */
function dispatching(lanes: readonly RealityActivity[]): Activity {
  const run: Activity = (...args) => laneOf(lanes, args).run(...args)
  return Object.assign(run, { [LANES]: lanes })
}

/** The activities of one reality. */
export const activitiesOf = (runtime: LivedReality, activities: object): Record<string, Activity> =>
  Object.fromEntries(
    Object.entries(activities).map(([name, run]) => [name, dispatching([{ runtime, run: run as Activity }])]),
  )

const lanesOf = (activity: unknown): readonly RealityActivity[] | undefined =>
  (activity as { [LANES]?: readonly RealityActivity[] } | undefined)?.[LANES]

/** How many realities a worker with this activity lives. */
export const realitiesOf = (activity: unknown): number => lanesOf(activity)?.length ?? 0

/**
 * One activity for two of one name.
 * @throws {Error} where one of them is of the host, or both are of one reality
 */
export function joinActivities(name: string, known: unknown, added: unknown): unknown {
  const lanes = [known, added].map(lanesOf)
  const both = lanes.flatMap((some) => some ?? [])
  const databases = new Set(both.map(({ runtime }) => runtime.databaseUrl))
  if (lanes.includes(undefined) || databases.size < both.length)
    throw new Error(`activity ${name} is registered already`)
  return dispatching(both)
}

/**
 * A workflow of the host is of no reality: its activity names one, unless the worker lives one alone.
 * @throws {ApplicationFailure} for none, which no retry mends; {Error} for one that this worker does not live:
 *   another one takes the retry
 */
function laneOf(lanes: readonly RealityActivity[], args: readonly unknown[]): RealityActivity {
  const { workflowExecution } = Context.current().info
  const named = (args[0] as { readonly reality?: unknown } | undefined)?.reality
  const reality =
    realityOfWorkflowId(workflowExecution?.workflowId ?? '') ?? (typeof named === 'string' ? named : null)
  const [only, ...others] = lanes
  if (reality === null && only !== undefined && others.length === 0) return only
  const lane = lanes.find(({ runtime }) => runtime.realityName === reality)
  if (lane !== undefined) return lane
  const lived = lanes.map(({ runtime }) => quote(runtime.realityName ?? 'not yet known')).join(', ')
  if (reality === null)
    throw ApplicationFailure.nonRetryable(
      `this worker lives several realities: name one of ${lived} as reality`,
      'INVALID_INPUT' satisfies ErrorCode,
    )
  throw new Error(
    `this worker lives no beings of reality ${quote(reality)} (but of ${lived}): no worker of another reality may poll this task queue`,
  )
}
