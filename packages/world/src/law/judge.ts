/** What a call of a moment comes to: both gates, then what is beside them. */
import {
  askedBy,
  type Decision,
  type ErrorCode,
  FACT_ERASED,
  isErrorCode,
  LIMITS,
  MOMENT_ERASED,
  owedIn,
  quote,
  readPath,
  stanceOf,
  storableMessage,
  TreeosError,
  type VerbCall,
  type Wake,
} from '@treeos/core'
import type { EffectPending } from '../extend/effect.ts'
import type { BeingRow } from '../rows/rows.ts'
import { COUNTED_KIND } from '../rows/tallies.ts'
import { decideCall, isShownRefusal } from '../verbs/act.ts'
import type { Act } from '../verbs/act-inputs.ts'
import type { CallForConsent } from '../verbs/consent/call-for-consent.ts'
import { answeredWake } from './answered-wake.ts'
import type { Verdict } from './conclusion.ts'
import type { Sender } from './live.ts'
import { actingOf, type DecidedMoment, type LawInputs, type WornSurface } from './moment.ts'
import { requireDecider } from './person-act.ts'
import { isChainFull, stepsOf } from './self-continue.ts'

/** A moment whose mind decided for a call. */
export type CallingMoment = DecidedMoment & {
  readonly worn: WornSurface
  readonly decision: Extract<Decision, { kind: 'call' }>
}

/** A refusal of a gate or of the operation is a value, too. @throws the error of a read that failed */
export async function judge(moment: CallingMoment, at: LawInputs): Promise<Verdict | EffectPending> {
  try {
    return await judgeCall(moment, at)
  } catch (error) {
    if (!(error instanceof TreeosError)) throw error
    return refusedBy(error, moment.decision.call, moment)
  }
}

function refusedBy(refusal: TreeosError, call: VerbCall, { open }: DecidedMoment): Verdict {
  const by = readPath(refusal.detail, ['by'])
  const verdict: Verdict = {
    ...failed(refusal.code, refusal.message),
    refusal,
    ...(typeof by === 'string' ? { by: [by] } : {}),
  }
  if (!isShownRefusal(call, open.wake, refusal)) return verdict
  return { ...verdict, kind: 'see', shown: { code: refusal.code, message: storableMessage(refusal.message) } }
}

/** @throws {TreeosError} the refusal of a gate or of the operation */
async function judgeCall(moment: CallingMoment, at: LawInputs): Promise<Verdict | EffectPending> {
  const { being, open, content, decision } = moment
  const { questions } = at.asked
  const me = await at.reader.being(being)
  if (me === null) return failed('INTERNAL', 'the being is gone')
  requireDecider(me, open, content)
  const wake = await answeredWake(moment, questions)
  const cut = await questions.cut(wake.root)
  if (cut !== null) {
    const why = `its thread, ${cut.thread}, was cut by ${stanceOf(cut.cutBy)}`
    // Closes a summon that arrived together with the cut. Otherwise it would stay in a person's inbox for
    // ever.
    const closes = wake.closedBy === undefined ? [] : [wake.id]
    return { ...failed('RESOURCE_CONFLICT', why), beside: 'thread', sendsNoNotice: true, closes }
  }
  if (wake.closedBy != null)
    return refusedByInbox('RESOURCE_CONFLICT', `the summon ${quote(wake.id)} was answered before`)
  const act = await decideCall(decision.call, actingOf(moment, at, me, wake))
  if (await isCountTaken(act, at)) {
    const why = 'another act that the same rule counts waits for the outside: try again once it is over'
    return { ...failed('RESOURCE_CONFLICT', why), beside: 'count' }
  }
  if (act.kind === 'effect-pending') return act
  if (act.kind === 'waiting')
    return { ...(await waitingForYes(moment, at, me, act)), by: act.by, thread: wake.root }
  const why = await whyNotErasable(act, at)
  if (why !== null) return { ...failed('RESOURCE_CONFLICT', why), beside: 'erasing' }
  for (const sent of act.wakes) {
    const full = (await whyNoRoom(at, me, sent)) ?? (await whyAskedEnough(at, me, moment, sent))
    if (full !== null) return refusedByInbox('RATE_LIMITED', full)
  }
  const { reason, detail } = act.remark ?? { reason: null, detail: null }
  return { kind: isSilent(decision.call, act) ? 'see' : 'act', reason, detail, act, thread: wake.root }
}

/** A call that says and changes nothing. */
const isSilent = ({ verb }: VerbCall, { facts }: Act): boolean =>
  verb === 'see' || (verb === 'summon' && facts.length === 0)

/** Whether the effect of another moment is under way that the same count counts. */
async function isCountTaken(
  act: Act | EffectPending | CallForConsent,
  { asked }: LawInputs,
): Promise<boolean> {
  const counted =
    act.kind === 'effect-pending'
      ? (act.holds ?? [])
      : act.kind === 'act'
        ? act.facts.filter(({ kind }) => kind === COUNTED_KIND)
        : []
  if (counted.length === 0) return false
  return (await asked.questions.heldByOther(counted.map(({ reel }) => reel))) !== null
}

const TOMBSTONES: ReadonlySet<string> = new Set([FACT_ERASED, MOMENT_ERASED])

async function whyNotErasable({ facts }: Act, { asked }: LawInputs): Promise<string | null> {
  for (const fact of facts) {
    if (!TOMBSTONES.has(fact.kind)) continue
    const why = await asked.questions.whyNotErasable(fact)
    if (why !== null) return why
  }
  return null
}

async function waitingForYes(
  { open, worn }: CallingMoment,
  at: LawInputs,
  me: BeingRow,
  { facts, wakes, result, why, by, person }: CallForConsent,
): Promise<Verdict> {
  const full = await whyNoMoreAsks(at, me, person, { open, worn })
  if (full !== null) return refusedByInbox('RATE_LIMITED', full)
  for (const entry of wakes) {
    const noRoom = await whyNoRoom(at, me, { ...entry, root: entry.id })
    if (noRoom !== null) return refusedByInbox('RATE_LIMITED', noRoom)
  }
  return {
    kind: 'waiting',
    reason: null,
    detail: storableMessage(why),
    act: null,
    notes: facts,
    asks: wakes,
    result,
    by,
  }
}

/**
 * Why a being may ask persons no more for now: it goes on asking after each answer, or it and its like ask
 * too much at once.
 */
async function whyNoMoreAsks(
  { asked, reader }: LawInputs,
  { name }: BeingRow,
  person: string | null,
  { open, worn }: Pick<CallingMoment, 'open' | 'worn'>,
): Promise<string | null> {
  const { continues, root } = open.wake
  const { max } = await stepsOf(reader, name, worn.role)
  if (continues >= max)
    return `${stanceOf(name)} has gone on by itself as often as it may: nobody is asked once more`
  if (await isChainFull(asked, root)) return chainFull(root)
  const { ofAsker, ofPerson } = await asked.questions.waiting(name, person)
  if (ofAsker >= LIMITS.asksPerBeingMax)
    return `${ofAsker} calls of ${stanceOf(name)} wait for a yes; the limit is ${LIMITS.asksPerBeingMax}`
  if (ofPerson >= LIMITS.asksPerPersonMax)
    return `${ofPerson} calls of beings of ${stanceOf(person ?? '')} wait for a yes; the limit is ${LIMITS.asksPerPersonMax}`
  return null
}

/**
 * Why there is no room for a summon: in the inbox, among the sender's own entries there, or in its chain.
 * Only the operator may fill an inbox. @returns null when there is room
 */
async function whyNoRoom(
  { asked }: LawInputs,
  sender: Sender,
  { id, being, root }: Wake,
): Promise<string | null> {
  const { open, ofSender } = await asked.questions.room(being, sender.name)
  const isOperator = sender.parent === null
  const max = isOperator ? LIMITS.inboxLengthMax : LIMITS.inboxLengthMax - LIMITS.inboxForOperator
  if (open >= max) return `the inbox of ${stanceOf(being)} holds ${open} open wakes; the limit is ${max}`
  if (!isOperator && ofSender >= LIMITS.inboxPerSenderMax)
    return `the inbox of ${stanceOf(being)} holds ${ofSender} open wakes of ${stanceOf(sender.name)}; the limit for one sender is ${LIMITS.inboxPerSenderMax}`
  return root !== id && (await isChainFull(asked, root)) ? chainFull(root) : null
}

/** Why a being asks nobody more before it has heard from those that it asked. @returns null when it may */
async function whyAskedEnough(
  { asked }: LawInputs,
  { name }: BeingRow,
  { open }: DecidedMoment,
  sent: Wake,
): Promise<string | null> {
  if (owedIn(open, name) === null || askedBy(sent, sent.being) === null) return null
  const { all, open: unheard } = await asked.questions.asked(open.wake.id)
  const who = stanceOf(name)
  if (unheard >= LIMITS.questionsMax)
    return `${unheard} questions that ${who} asked for one answer are open: it asks more once it has heard`
  return all < LIMITS.questionsInAllMax
    ? null
    : `${who} has asked ${all} questions for one answer: it asks no more`
}

const chainFull = (root: string): string =>
  `the chain of ${quote(root)} has reached its limit of ${LIMITS.chainWakesMax} wakes`

const refusedByInbox = (code: ErrorCode, message: string): Verdict => ({
  ...failed(code, message),
  beside: 'inbox',
})

/** The verdict that a moment failed. A code that is not one of ours is an internal error. */
export const failed = (code: string, message: string): Verdict => ({
  kind: 'failure',
  reason: isErrorCode(code) ? code : 'INTERNAL',
  detail: storableMessage(message),
  act: null,
})
