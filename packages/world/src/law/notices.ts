/** The wakes by which beings hear of failures, limits and parking. */
import {
  type BeingName,
  type Breach,
  beingReel,
  type FactDraft,
  type JsonObject,
  LIMITS,
  type Notice,
  newWake,
  type OwedAnswer,
  owedIn,
  PRIORITIES,
  stanceOf,
  type Wake,
  type WakeRecord,
} from '@treeos/core'
import { OPERATOR } from '../extend/substrate.ts'
import type { WorldReader } from '../read/reader.ts'
import { whyParked } from '../rows/budgets.ts'
import type { Verdict } from './conclusion.ts'
import type { DecidedMoment, LawInputs, OpenedMomentRecord } from './moment.ts'
import { isSignalledAct } from './person-act.ts'

/** A wake of kind `event`. It has no caller; its content names the event and its actor. */
export function eventWake(being: BeingName, id: string, content: JsonObject, after: WakeRecord): Wake {
  return newWake({
    id,
    being,
    kind: 'event',
    priority: PRIORITIES.background,
    content,
    root: after.root,
    hops: after.hops + 1,
  })
}

/** Id of the wake that the moment is about: of its own wake, or of the one that it goes on from. */
export const answeredBy = ({ wake, answers }: Pick<OpenedMomentRecord, 'wake' | 'answers'>): string =>
  wake.kind === 'act' ? wake.id : (answers ?? wake.id)

/**
 * Makes a wake a notice. Notices of one event, about one being and with one code are equal: a person gets
 * them as one entry.
 */
export function asNotice(wake: Wake): Notice {
  const { event, actor, code = '' } = wake.content as JsonObject
  return { ...wake, notice: `${event} ${actor} ${code}`.trimEnd() }
}

/**
 * Notices about a moment that failed, was skipped, or let a question go, for the asker and the operator. Nothing is retried automatically.
 * - No notice for a person's own act: the person sees the result. Of one that came by a signal the person
 *   gets one.
 * - No notice for a skip that a role or a cut intended, but to a being that waits for an answer.
 * - The asker gets one once nothing is to come of its question any more. A person gets none where its moment acted or saw: who waits for
 *   the answer is told, and who does not wait misses nothing.
 * - For a being that was ended only the asker gets one.
 * - The approver of a parked being gets none: the notice of the parking says the same. A being that asked gets both, since only this
 *   one ends its question.
 * @param approver who may approve that the being goes on; null when the being is not parked
 */
export async function noticesOfEnd(
  moment: Pick<DecidedMoment, 'being' | 'open' | 'content'>,
  verdict: Verdict,
  approver: BeingName | null,
  { questions }: LawInputs['asked'],
): Promise<Notice[]> {
  const { being: actor, open, content: heard } = moment
  const isIntended = verdict.reason === 'not-triggered'
  if (verdict.kind === 'waiting' || verdict.sendsNoNotice || verdict.reason === 'thread-cut') return []
  const isFailed = !isIntended && (verdict.kind === 'failure' || verdict.kind === 'skipped')
  const isSignalled = isSignalledAct(open.wake, heard)
  if (open.wake.kind === 'act' && !isSignalled) return []
  const owed = owedIn(open, actor)
  const waits =
    owed !== null && (isFailed || owed.caller.cognition !== 'human') && !isGoingOn(moment, owed, verdict)
  const asker = waits && !(await questions.isOpen(owed.id, open.wake.id)) ? owed : null
  const content = {
    event: isFailed ? verdict.kind : 'unanswered',
    actor: stanceOf(actor),
    correlation: owed?.id ?? answeredBy(open),
    code: verdict.reason,
    message: verdict.detail,
  }
  const isEnded = verdict.reason === 'being-ended' || verdict.reason === 'BEING_ENDED'
  const isTold = isFailed && approver === null && !isEnded && open.wake.hops < LIMITS.hopsMax
  const recipients = new Set<BeingName>(isTold ? [OPERATOR] : [])
  if (asker !== null) recipients.add(asker.caller.name)
  if (!isSignalled) recipients.delete(actor) // who signals is the operator
  const isAskingMind = asker?.caller.name === approver && asker?.caller.cognition !== 'human'
  if (approver !== null && !isAskingMind) recipients.delete(approver)
  return [...recipients].map((being) => {
    const wake = eventWake(being, `notice/${open.moment}/${being}`, content, open.wake)
    // It ends the question, and leads back to the being that asked as an answer does.
    return asNotice(being === asker?.caller.name ? { ...wake, inReplyTo: asker.id, hops: asker.hops } : wake)
  })
}

/** Whether a moment has answered what it owes, has left it to another one, or asks others for it. */
const isGoingOn = ({ being }: Pick<DecidedMoment, 'being'>, { id }: OwedAnswer, { act }: Verdict): boolean =>
  act?.wakes.some(
    ({ kind, being: to, inReplyTo, answers, expectReply }) =>
      inReplyTo === id ||
      answers === id ||
      (kind === 'summon' && to !== being && inReplyTo === null && expectReply !== false),
  ) === true

/**
 * The fact that parks a being at a limit, and the notice about it. A parked being opens no moments until
 * approval.
 */
export interface ParkingWrites {
  readonly fact: FactDraft
  /** for the approver; it replaces the notice of the failure */
  readonly notice: Notice
}

/**
 * Parks a being. The approver is the maker of the being that has the limit: the nearest being that can raise
 * it.
 */
export async function parking(
  reader: WorldReader,
  { being, open }: Pick<DecidedMoment, 'being' | 'open'>,
  breach: Breach,
): Promise<ParkingWrites> {
  const payload = { breach: breach as unknown as JsonObject }
  const approver = (await reader.being(breach.of))?.parent ?? OPERATOR
  const content = {
    event: 'parked',
    actor: stanceOf(being),
    correlation: answeredBy(open),
    code: 'BUDGET_EXCEEDED',
    message: whyParked(being, breach),
    budget: { ...breach, of: stanceOf(breach.of) },
  }
  const id = `parked/${open.moment}`
  return {
    fact: { reel: beingReel(being), kind: 'being:parked', payload },
    // The notice has a thread of its own: the parking affects all threads of the being.
    notice: asNotice({ ...eventWake(approver, id, content, open.wake), root: id }),
  }
}
