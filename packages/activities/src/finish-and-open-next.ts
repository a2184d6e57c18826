import { Context } from '@temporalio/activity'
import { type BeingName, type MomentId, parseMomentId } from '@treeos/core'
import type { Attested, Finished, FinishInput, OpenInput, OpenResult, RunHints } from '@treeos/protocol'
import type { BeatDeps } from './deps.ts'

interface Beats {
  readonly finish: (input: FinishInput) => Promise<Finished>
  readonly open: (input: OpenInput) => Promise<Attested<OpenResult>>
}

/**
 * Ends a moment, and opens the next one when a wake waits for the being or comes soon. One activity costs less than two.
 * @param input with `next` where the run may live another moment in this workflow task
 */
export async function finishAndOpenNext(
  deps: BeatDeps,
  { finish, open }: Beats,
  input: FinishInput,
  told: RunHints,
): Promise<Finished> {
  try {
    const finished = await finish(input)
    const { value } = finished
    if (input.next === undefined || !('waiting' in value)) return finished
    if (value.waiting === 0 && !(await followsSoon(deps, input.moment))) return finished
    const goesOn = { ...finished, value: { ...value, waiting: Math.max(1, value.waiting) } }
    try {
      const { value: next } = await open(input.next)
      return { ...goesOn, next: { ...told, value: next } }
    } catch {
      // The observer has the error. The run asks `openMoment` next. The ring is for a newer run, if this one was superseded.
      deps.ring([parseMomentId(input.moment).being])
      return goesOn
    }
  } finally {
    deps.memory.nextWakes.leave(input.moment)
  }
}

/** Whether the next wake comes soon, and this task still counts: its run was not terminated meanwhile, nor given to another worker. */
async function followsSoon(deps: BeatDeps, moment: MomentId): Promise<boolean> {
  if (!(await deps.memory.nextWakes.follows(moment, deps))) return false
  const { being } = parseMomentId(moment)
  if (!Context.current().cancellationSignal.aborted && (await isRunning(deps, being))) return true
  deps.ring([being]) // whoever wrote the wake may have left it to this run
  return false
}

/** A run hears that it was terminated only when its task ends. So it asks Temporal before it lives what came while it waited, once a second. */
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
