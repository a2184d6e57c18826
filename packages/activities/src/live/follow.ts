import { Context } from '@temporalio/activity'
import { type BeingName, type MomentId, parseMomentId } from '@treeos/core'
import type { BeatDeps } from '../deps.ts'

/**
 * Whether the next wake comes soon, and this task still counts: its run was not terminated meanwhile, nor
 * given to another worker.
 */
export async function followsSoon(deps: BeatDeps, moment: MomentId): Promise<boolean> {
  if (!(await deps.memory.nextWakes.follows(moment, deps))) return false
  const { being } = parseMomentId(moment)
  if (!Context.current().cancellationSignal.aborted && (await isRunning(deps, being))) return true
  deps.ring([being]) // whoever wrote the wake may have left it to this run
  return false
}

/**
 * A run hears that it was terminated only when its task ends. So it asks Temporal before it lives what came
 * while it waited, once a second.
 */
async function isRunning({ memory, runs, observe }: BeatDeps, being: BeingName): Promise<boolean> {
  if (memory.knownRuns.has(being)) return true
  const run = Context.current().info.workflowExecution
  if (run === undefined) return false
  try {
    const isRunning = await runs(run)
    if (isRunning) memory.knownRuns.note(being)
    return isRunning
  } catch (error) {
    observe.error('whether a run goes on', error)
    return false
  }
}
