import { Context } from '@temporalio/activity'
import { asJson, momentId } from '@treeos/core'
import type {
  EndedMoment,
  EvaluatedMoment,
  LivedMoments,
  LiveInput,
  PendingEffect,
  RunHints,
  StampedMoment,
} from '@treeos/protocol'
import { assignStack } from '@treeos/world'
import type { BeatDeps } from './deps.ts'
import { MomentAllowance } from './live/allowance.ts'
import { decideSoon } from './live/decide.ts'
import { followsSoon } from './live/follow.ts'
import { type NextMoment, type OpeningOfMoment, openMoment } from './live/open.ts'
import { retellEnded } from './live/retell.ts'
import { leaveUnopened } from './moments/elsewhere.ts'
import { type HeldMoment, ReopenedError } from './moments/open-moments.ts'
import { wakeIdle } from './moments/wake-idle.ts'
import { stampHere } from './stamp/stamp-moment.ts'

/**
 * Lives the moments of a being, one after the other: claims a wake and reads the world, evaluates the flow,
 * lets the mind decide, and stamps. It stops when no wake waits, when its {@link MomentAllowance} is used up,
 * at a moment whose code is not loaded here, and at one that the workflow has to evaluate first: one whose
 * mind takes long, or that goes outside.
 * The workflow then evaluates all of them. A rerun that finds moments ended tells of these alone, so that
 * nothing new is lived before they are evaluated.
 * @param told not a part of what replay compares
 * @throws {StaleGenerationError} when a newer generation of the being has begun
 */
export async function liveMoments(deps: BeatDeps, input: LiveInput, told: RunHints): Promise<LivedMoments> {
  const { being, generation, n, program, room } = input
  await beginTask(deps, input, told)
  const allowance = new MomentAllowance(room)
  const lived: EndedMoment[] = []
  const first = { being, generation, n, moment: momentId(being, generation, n), program, mayHold: true }
  for (let next: NextMoment | null = first; next !== null; ) {
    const step: LivedStep | null = await (lived.length === 0 ? liveOne : liveUnlessLost)(
      deps,
      next,
      allowance,
    )
    if (step === null) break
    if ('stop' in step) return { lived, stop: step.stop }
    lived.push(...step.lived)
    next = step.next
  }
  return { lived }
}

/**
 * What was lived, and the moment after it; `next` is null where the workflow has to ask for it. Or what is
 * not lived here.
 */
type LivedStep =
  | { readonly lived: readonly EndedMoment[]; readonly next: NextMoment | null }
  | { readonly stop: NonNullable<LivedMoments['stop']> }

/** One moment, from wake to facts. @returns null when it does not belong into this activity any more */
async function liveOne(
  deps: BeatDeps,
  at: NextMoment,
  allowance: MomentAllowance,
): Promise<LivedStep | null> {
  const opening = await openMoment(deps, at)
  if (!('state' in opening)) {
    if ('outdated' in opening) ringOnceEnded(deps, at)
    return { stop: opening }
  }
  if (opening.state === 'ended') return { lived: await retellEnded(deps, at, allowance), next: null }
  const evaluated = evaluate(opening)
  if (opening.state !== 'held') return { stop: { ...evaluated, left: toDecide(opening.state) } }
  // this worker holds it, so the run opens it again for next to nothing
  if (!allowance.takes(opening.opened)) return null
  try {
    return await decideAndStamp(deps, at, { ...evaluated, held: opening.held }, allowance)
  } catch (error) {
    if (!(error instanceof ReopenedError)) throw error
    deps.memory.moments.drop(opening.held)
    // another process went on with it, and its records count
    return liveOne(deps, { ...at, mayHold: false }, allowance)
  } finally {
    deps.memory.nextWakes.leave(at.moment)
  }
}

/**
 * A moment after the first one. What was lived before it is told even if it fails: the workflow asks for it
 * again.
 */
async function liveUnlessLost(
  deps: BeatDeps,
  at: NextMoment,
  allowance: MomentAllowance,
): Promise<LivedStep | null> {
  try {
    if (!Context.current().cancellationSignal.aborted) return await liveOne(deps, at, allowance)
  } catch (error) {
    deps.observe.error('liveMoments', error)
  }
  deps.ring([at.being]) // for a newer run, if this one was superseded or its task was given to another worker
  return null
}

/** The run ends, and a new life takes its wakes. A ring that comes before the end would be lost. */
function ringOnceEnded(deps: BeatDeps, { being }: NextMoment): void {
  setTimeout(() => deps.ring([being]), ENDS_AFTER_MS).unref()
}
const ENDS_AFTER_MS = 500

/** Pure: the workflow evaluates the same, and fails when it gives another stack. */
function evaluate({ opened, program }: Extract<OpeningOfMoment, { opened: unknown }>): EvaluatedMoment {
  const { stack, skip } = assignStack(program, opened)
  return { opened, stack, ...(skip === null ? {} : { skip }) }
}

const toDecide = (state: 'stored' | 'again') =>
  ({ decides: true, ...(state === 'again' ? { begun: {} } : {}) }) as const

/** The short way: open record, decision and outcome are stored by one append. */
async function decideAndStamp(
  deps: BeatDeps,
  at: NextMoment,
  { held, ...evaluated }: EvaluatedMoment & { readonly held: HeldMoment },
  allowance: MomentAllowance,
): Promise<LivedStep> {
  const { being, generation, n, moment } = at
  const { memory } = deps
  const { opened, stack, skip = null } = evaluated
  const asks = stack !== null && !opened.decided
  const undecided = asks ? await decideSoon(deps, held, stack, allowance.mindMs(memory.pace.shortMs)) : null
  if (undecided !== null) return { stop: { ...evaluated, left: undecided } }
  const call = held.decision?.decision.kind === 'call' ? asJson(held.decision.decision.call) : null
  const left =
    call === null ? null : await leaveUnopened(deps, held.loaded, stack, { call, wakeAt: held.wakeAt })
  if (left !== null) {
    memory.moments.drop(held)
    return { stop: left }
  }
  held.listens = allowance.hasRoomAfter && memory.nextWakes.takePlace(moment)
  const decision = asks ? (held.decision?.digest ?? null) : null
  const input = { being, generation, n, moment, stack, skip, decision, failed: null }
  const ended = await deps.memory.turns.stamp(() => stampHere(deps, input, held))
  memory.moments.drop(held)
  if ('recorded' in ended) throw new ReopenedError(`another process ended ${moment} with another stack`)
  if ('effect' in ended) return { stop: { ...evaluated, left: withDecision(ended, decision) } }
  return followed(deps, at, { ...evaluated, ended }, allowance)
}

const withDecision = (pending: PendingEffect, decision: string | null): PendingEffect =>
  decision === null ? pending : { ...pending, decision }

/** Waits for the next wake where one comes soon. */
async function followed(
  deps: BeatDeps,
  at: NextMoment,
  lived: EndedMoment & { readonly ended: StampedMoment },
  allowance: MomentAllowance,
): Promise<LivedStep> {
  const { being, generation, moment } = at
  const { ended, opened } = lived
  const mayFollow = allowance.hasRoomAfter && (ended.waiting > 0 || (await followsSoon(deps, moment)))
  if (!mayFollow) return { lived: [lived], next: null }
  const waits = { ...lived, ended: { ...ended, waiting: Math.max(1, ended.waiting) } }
  if (!allowance.end()) return { lived: [waits], next: null }
  const n = at.n + 1
  const next = {
    ...at,
    n,
    moment: momentId(being, generation, n),
    program: opened.programDigest,
    mayHold: true,
  }
  return { lived: [waits], next }
}

/** The activity began just now, and mostly its workflow task. */
async function beginTask(
  deps: BeatDeps,
  { being, generation, n }: LiveInput,
  { idleSeconds: seconds }: RunHints,
): Promise<void> {
  deps.memory.knownRuns.note(being)
  deps.memory.nextWakes.begun(being)
  if (seconds !== undefined) await wakeIdle(deps, { being, generation, n, seconds })
}
