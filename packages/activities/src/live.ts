import { Context } from '@temporalio/activity'
import { type BeingName, type MomentId, momentId, parseMomentId } from '@treeos/core'
import type {
  EndedMoment,
  Ending,
  EndingHints,
  Finished,
  FinishInput,
  NextMoments,
  OpenedMoment,
  OpenInput,
  OpenResult,
} from '@treeos/protocol'
import { digestOf } from '@treeos/store'
import { assignStack } from '@treeos/world'
import type { BeatDeps } from './deps.ts'

/** Each is guarded by itself. */
interface Beats {
  readonly decideAndStamp: (input: FinishInput) => Promise<Ending>
  readonly open: (input: OpenInput) => Promise<OpenResult>
}

/**
 * A worker lives no moment in this activity that would end later than this, in ms, if it took as long as the one before. The longest one that it
 * cannot foresee takes 4 s more, so the activity ends before the worker has to ask for more time for its task.
 */
const LIVES_MS = 3000
/** Most bytes, as JSON, of the moments that one activity opens after its first. History takes at most 160 KiB of its result. */
const LIVED_BYTES_MAX = 64 * 1024

/**
 * Finishes a moment: decides and stamps it. When a wake waits for the being or comes soon, it goes on with the moments after it, because one
 * activity costs less than two for each moment. The workflow then evaluates the flow of each of them, too.
 * @param input with `next` where the run may live another moment in this workflow task
 */
export async function finishMoment(
  deps: BeatDeps,
  beats: Beats,
  input: FinishInput,
  { room, ...told }: EndingHints,
): Promise<Finished> {
  const began = performance.now()
  const args = digestOf(input)
  const { ended: value, next } = await endAndWait(deps, beats, input)
  if (next === undefined) return { args, value }
  const following = await liveOn(deps, beats, next, { room, began })
  return { args, value, ...(following === null ? {} : { next: { ...told, ...following } }) }
}

/**
 * Opens the next moment, and lives it where it takes the short way; and so on.
 * @param room most moments that are lived
 * @param began `performance.now()` when the activity began with the moment before
 * @returns null when not one was opened
 */
async function liveOn(
  deps: BeatDeps,
  beats: Beats,
  first: OpenInput,
  { room, began }: { readonly room: number; readonly began: number },
): Promise<Pick<NextMoments, 'lived' | 'value'> | null> {
  const { cancellationSignal: cancelled } = Context.current()
  const lived: EndedMoment[] = []
  let bytes = 0
  let next: OpenInput | undefined = first
  let tookMs = performance.now() - began
  while (next !== undefined) {
    const startedAt = performance.now()
    const opened: OpenResult | null = cancelled.aborted ? null : await openNext(beats, next)
    if (opened === null) {
      deps.ring([next.being]) // for a newer run, if this one was superseded or its task was given to another worker
      break
    }
    bytes += Buffer.byteLength(JSON.stringify(opened))
    if (bytes > LIVED_BYTES_MAX && lived.length > 0) break // this worker holds it, so the run opens it again for next to nothing
    const mayLive = lived.length < room && startedAt + tookMs < began + LIVES_MS
    const roomAfter = room - lived.length - 1
    const done: Lived | null = mayLive ? await live(deps, beats, next, { opened, roomAfter }) : null
    if (done === null) return { ...(lived.length === 0 ? {} : { lived }), value: opened }
    lived.push(done.lived)
    next = done.next
    tookMs = performance.now() - startedAt
  }
  return lived.length === 0 ? null : { lived }
}

/** @property next left out as in {@link Done} */
interface Lived {
  readonly lived: EndedMoment
  readonly next?: OpenInput | undefined
}

/**
 * Lives a moment that was just opened.
 * @param roomAfter how many moments may be lived after it
 * @returns null when it does not take the short way, or cannot be ended now: the run ends it by an activity of its own
 */
async function live(
  deps: BeatDeps,
  beats: Beats,
  at: OpenInput,
  { opened, roomAfter }: { readonly opened: OpenResult; readonly roomAfter: number },
): Promise<Lived | null> {
  if (!('moment' in opened) || opened.state !== 'held') return null
  try {
    const input = inputFor(deps, at, opened, roomAfter)
    if (input === null) return null
    const { stack, skip } = input
    const { ended, next } = await endAndWait(deps, beats, input)
    return { lived: { opened, stack, ...(skip === null ? {} : { skip }), ended }, next }
  } catch {
    return null // the observer has the error; a flow that cannot be evaluated here fails the task of its workflow
  }
}

/** @returns null when it cannot be opened now: the run asks `openMoment` next */
async function openNext({ open }: Beats, next: OpenInput): Promise<OpenResult | null> {
  try {
    return await open(next)
  } catch {
    return null // the observer has the error
  }
}

/**
 * What the workflow would give `finishMoment` for a moment that was just opened.
 * @returns null when this worker no longer holds it
 */
function inputFor(
  { memory }: BeatDeps,
  { being, generation, n, moment, program: known }: OpenInput,
  opened: OpenedMoment,
  roomAfter: number,
): FinishInput | null {
  const held = memory.moments.held(moment)
  if (held === undefined) return null
  const { stack, skip } = assignStack(held.loaded.program, opened)
  const program = opened.programDigest ?? known
  const after = { being, generation, n: n + 1, moment: momentId(being, generation, n + 1), mayHold: true }
  return {
    being,
    generation,
    n,
    moment,
    stack,
    skip,
    asks: stack !== null && !opened.decided,
    open: opened.open,
    ...(roomAfter > 0 ? { next: { ...after, program } } : {}),
  }
}

/** @property next left out when no wake waits for the being, or the run may not go on with it in this task */
interface Done {
  readonly ended: Ending
  readonly next?: OpenInput
}

/** Ends a moment, and waits for the next wake where one comes soon. */
async function endAndWait(deps: BeatDeps, { decideAndStamp }: Beats, input: FinishInput): Promise<Done> {
  try {
    const ended = await decideAndStamp(input)
    const { next } = input
    if (next === undefined || !('waiting' in ended)) return { ended }
    if (ended.waiting === 0 && !(await followsSoon(deps, input.moment))) return { ended }
    return { ended: { ...ended, waiting: Math.max(1, ended.waiting) }, next }
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
