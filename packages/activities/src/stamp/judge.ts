import {
  approvalOf,
  type BeingName,
  type Breach,
  type Decision,
  type FactDraft,
  isErrorCode,
  type Json,
  LIMITS,
  type OutcomeKind,
  quote,
  readPath,
  type SeenHead,
  stanceOf,
  TreeosError,
  type Wake,
} from '@treeos/core'
import type { StampInput } from '@treeos/protocol'
import { actingFor, type LoadedMoment, requireHands } from '@treeos/reality'
import {
  type BeforeStamp,
  countWaitingForYes,
  type Db,
  findEffect,
  findHeldByOther,
  listHeldFacts,
  measureRoom,
  type OtherRefusal,
  whyNotErasable,
} from '@treeos/store'
import {
  type Act,
  type BeingRow,
  COUNTED_KIND,
  decideCall,
  type EffectPending,
  FOLD,
  isShownRefusal,
  type Shadowed,
  tightest,
  voidedFact,
  type Waiting,
} from '@treeos/world'
import type { BeatDeps } from '../deps.ts'
import { messageOf } from '../guard/failure-decision.ts'
import { reportFault } from '../moments/fault.ts'
import { wakeToAnswer } from '../moments/wake-to-answer.ts'
import type { Proposal } from './propose.ts'
import { findThreadCut, isChainFull, type StampReading } from './read.ts'

/** The outcome of a moment after the gates. */
export interface Verdict {
  readonly kind: OutcomeKind
  readonly reason: string | null
  readonly detail: string | null
  readonly act: Act | null
  /** what is recorded beside an act: that the call waits for a yes, or that a yes is over */
  readonly notes?: readonly FactDraft[]
  /** entries in the inboxes of those whom a rule asks */
  readonly asks?: readonly Wake[]
  /** of a call that waits, for whoever made it */
  readonly result?: Json
  /** the rules by which a gate refused */
  readonly by?: readonly string[]
  /** the heads from which the gates decided; left out when no call was judged */
  readonly judged?: readonly SeenHead[]
  /** why a look was refused: its being sees that in its next moment */
  readonly refused?: { readonly code: string; readonly message: string }
  /** what refused the call, where no gate did */
  readonly beside?: OtherRefusal
  /** the budget limit that prevented the model call and parks the being */
  readonly breach?: Breach
  /** true when the failure sends no notices, because the being that caused it knows */
  readonly sendsNoNotice?: true
  /** the thread of the wake that a call answers; it must not be cut */
  readonly thread?: string
  /** wakes that it closes in addition to its own */
  readonly closes?: readonly string[]
  /** what rules that are tried would have said otherwise of the call; left out for nothing */
  readonly shadow?: readonly Shadowed[]
}

/** Turns a proposal into a verdict, which says from which heads. A call that a gate refuses becomes a failure without facts. */
export async function judge(
  db: Db,
  deps: BeatDeps,
  input: StampInput,
  proposal: Proposal,
  reading: StampReading,
  { effect }: Pick<BeforeStamp, 'effect'>,
): Promise<Verdict | EffectPending> {
  const shadows: Shadowed[] = []
  const found = await withVoided(await verdictOn(db, deps, input, proposal, reading, shadows), reading)
  const verdict = effect === null ? found : await withCounted(db, input, found, reading)
  const isJudged = proposal.kind === 'decided' && proposal.decision.kind === 'call'
  if (verdict.kind === 'effect-pending' || !isJudged) return verdict
  // What no gate refused is not judged again by a replay, so it says nothing of what is tried.
  const said = shadows.length === 0 || verdict.beside !== undefined ? {} : { shadow: shadows }
  return { ...verdict, ...said, judged: [...reading.reader.heads.values()] } // copied: a look reads more
}

/** A moment that brings a yes and ends without the act uses up the yes. */
async function withVoided(
  verdict: Verdict | EffectPending,
  { reader, current }: StampReading,
): Promise<Verdict | EffectPending> {
  const id = approvalOf(current.record.wake)
  if (id === null || verdict.kind === 'effect-pending' || verdict.kind === 'act') return verdict
  if ((await reader.approval(id))?.state !== 'given') return verdict
  return { ...verdict, notes: [voidedFact(id, { code: verdict.reason ?? verdict.kind })] }
}

/** What was done outside, or may have been, counts although the moment fails. */
async function withCounted(
  db: Db,
  { moment, effect: code }: StampInput,
  verdict: Verdict | EffectPending,
  { reader }: StampReading,
): Promise<Verdict | EffectPending> {
  if (verdict.kind === 'effect-pending' || verdict.kind === 'act') return verdict
  const result = (await findEffect(db, moment))?.result ?? null
  const ended = result !== null && 'error' in result ? result.error.code : code
  if (ended === 'FORBIDDEN' || ended === 'SERVICE_UNAVAILABLE') return verdict // nothing was done outside
  const facts = (await listHeldFacts(db, moment)).map(({ reel, payload }) => ({
    reel,
    kind: COUNTED_KIND,
    payload: { ...payload, failed: true },
  }))
  await reader.prefetch(facts.map(({ reel }) => reel))
  return facts.length === 0 ? verdict : { ...verdict, notes: [...(verdict.notes ?? []), ...facts] }
}

async function verdictOn(
  db: Db,
  deps: BeatDeps,
  input: StampInput,
  proposal: Proposal,
  reading: StampReading,
  shadows: Shadowed[],
): Promise<Verdict | EffectPending> {
  const { current } = reading
  if (proposal.kind === 'skipped')
    return { kind: 'skipped', reason: proposal.reason, detail: whySkipped(current, input.being), act: null }
  // It was ended while it thought. A head that was read has moved then, so no act of it is committed later either.
  if ((await reading.reader.being(input.being))?.ended !== undefined)
    return failed('BEING_ENDED', whyEnded(input.being))
  const { decision } = proposal
  const { missing } = proposal.composed
  if (missing !== null)
    return failed(
      'ROLE_UNAVAILABLE',
      `role ${missing} needs code that is not loaded in this worker: was its extension removed?`,
    )
  if (decision.kind === 'see') return { kind: 'see', reason: null, detail: null, act: null }
  if (decision.kind === 'failure')
    return { ...failed(decision.code, decision.message), ...breachOf(decision), ...besideOf(proposal) }
  try {
    return await judgeCall(db, deps, input, { ...proposal, decision }, reading, shadows)
  } catch (error) {
    if (!(error instanceof TreeosError)) throw error
    if (error.code === 'INTERNAL' && error.cause !== undefined && !reading.isKept)
      await reportFault(deps, input.moment, { part: 'decide', attempt: 1, seconds: 0, error: error.cause })
    const by = readPath(error.detail, ['by'])
    const verdict = { ...failed(error.code, error.message), ...(typeof by === 'string' ? { by: [by] } : {}) }
    if (!isShownRefusal(decision.call, current.record.wake, error)) return verdict
    return { ...verdict, kind: 'see', refused: { code: error.code, message: messageOf(error.message) } }
  }
}

type CallProposal = Extract<Proposal, { kind: 'decided' }> & {
  readonly decision: Extract<Decision, { kind: 'call' }>
}

/** @throws {TreeosError} the refusal of a gate or of the operation */
async function judgeCall(
  db: Db,
  deps: BeatDeps,
  input: StampInput,
  { decision, stack, composed }: CallProposal,
  { source, reader, current, tried }: StampReading,
  shadows: Shadowed[],
): Promise<Verdict | EffectPending> {
  const { record: open, face } = current
  const me = await reader.being(input.being)
  if (me === null || face === null) return failed('INTERNAL', 'the being or its face is gone')
  requireHands(me, open, current.content)
  const wake = await wakeToAnswer(db, input.being, current)
  const cut = await findThreadCut(source, wake.root)
  if (cut !== null) {
    const why = `its thread, ${cut.thread}, was cut by ${stanceOf(cut.cutBy)}`
    // Closes a summon that arrived together with the cut. Otherwise it would stay in a person's inbox for ever.
    return {
      ...failed('RESOURCE_CONFLICT', why),
      beside: 'thread',
      sendsNoNotice: true,
      closes: 'closedBy' in wake ? [wake.id] : [],
    }
  }
  if ('closedBy' in wake && wake.closedBy !== null)
    return refusedByInbox('RESOURCE_CONFLICT', `the summon ${quote(wake.id)} was answered before`)
  const moment = { reader, me, open, stack, surface: face.surface, role: composed.role, wake }
  const acting = () => ({ ...actingFor({ db, registry: deps.registry }, moment), shadows })
  const act = tried?.call === decision.call ? tried.act : await decideCall(decision.call, acting())
  const counted =
    act.kind === 'effect-pending'
      ? (act.holds ?? [])
      : act.kind === 'act'
        ? act.facts.filter(({ kind }) => kind === COUNTED_KIND)
        : []
  const taken =
    counted.length === 0
      ? null
      : await findHeldByOther(
          db,
          input.moment,
          counted.map(({ reel }) => reel),
        )
  if (taken !== null) {
    const why = 'another act that the same rule counts waits for the outside: try again once it is over'
    return { ...failed('RESOURCE_CONFLICT', why), beside: 'count' }
  }
  if (act.kind === 'effect-pending') return act
  if (act.kind === 'waiting') {
    const { max } = tightest(
      [me, ...(await reader.lineage(me.name))],
      'selfContinues',
      LIMITS.selfContinuesMax,
    )
    const isSpent = open.wake.continues >= max
    return { ...(await waitingFor(db, me, { isSpent, root: open.wake.root }, act)), thread: wake.root }
  }
  for (const fact of act.facts) {
    const why = await whyNotErasable(db, fact, FOLD)
    if (why !== null) return { ...failed('RESOURCE_CONFLICT', why), beside: 'erasing' }
  }
  for (const sent of act.wakes) {
    const full = await whyNoRoom(db, me, sent)
    if (full !== null) return refusedByInbox('RATE_LIMITED', full)
  }
  const { reason, detail } = act.remark ?? { reason: null, detail: null }
  const { verb } = decision.call
  const isSilent = verb === 'see' || (verb === 'summon' && act.facts.length === 0)
  return { kind: isSilent ? 'see' : 'act', reason, detail, act, thread: wake.root }
}

/** Why a being may ask persons no more for now: it goes on asking after each answer, or it and its like ask too much at once. */
async function whyNoMoreAsks(
  db: Db,
  asker: BeingName,
  person: BeingName | null,
  { isSpent, root }: { readonly isSpent: boolean; readonly root: string },
): Promise<string | null> {
  if (isSpent) return `${stanceOf(asker)} has gone on by itself as often as it may: nobody is asked once more`
  if (await isChainFull(db, root))
    return `the chain of ${quote(root)} has reached its limit of ${LIMITS.chainWakesMax} wakes`
  const { ofAsker, ofPerson } = await countWaitingForYes(db, asker, person)
  if (ofAsker >= LIMITS.asksPerBeingMax)
    return `${ofAsker} calls of ${stanceOf(asker)} wait for a yes; the limit is ${LIMITS.asksPerBeingMax}`
  if (ofPerson >= LIMITS.asksPerPersonMax)
    return `${ofPerson} calls of beings of ${stanceOf(person ?? '')} wait for a yes; the limit is ${LIMITS.asksPerPersonMax}`
  return null
}

async function waitingFor(
  db: Db,
  me: BeingRow,
  chain: { readonly isSpent: boolean; readonly root: string },
  { facts, wakes, result, why, by, person }: Waiting,
): Promise<Verdict> {
  const full = await whyNoMoreAsks(db, me.name, person, chain)
  if (full !== null) return refusedByInbox('RATE_LIMITED', full)
  for (const entry of wakes) {
    const noRoom = await whyNoRoom(db, me, { ...entry, root: entry.id })
    if (noRoom !== null) return refusedByInbox('RATE_LIMITED', noRoom)
  }
  return {
    kind: 'waiting',
    reason: null,
    detail: messageOf(why),
    act: null,
    notes: facts,
    asks: wakes,
    result,
    by,
  }
}

const breachOf = ({ breach }: Extract<Decision, { kind: 'failure' }>) =>
  breach === undefined ? {} : { breach }

const besideOf = ({ beside }: Extract<Proposal, { kind: 'decided' }>) =>
  beside === undefined ? {} : { beside }

const refusedByInbox = (code: string, message: string): Verdict => ({
  ...failed(code, message),
  beside: 'inbox',
})

const failed = (code: string, message: string): Verdict => ({
  kind: 'failure',
  reason: isErrorCode(code) ? code : 'INTERNAL',
  detail: messageOf(message),
  act: null,
})

const whyEnded = (being: BeingName): string => `${stanceOf(being)} was ended: it answers nobody any more`

/** Names roles of the flow that are not registered: their extension may be removed, or not loaded yet. */
function whySkipped({ program, record }: LoadedMoment, being: BeingName): string | null {
  if (record.ended === true) return whyEnded(being)
  const named = new Set(program.flow.map(({ role }) => role).concat(program.defaultRole ?? []))
  const gone = [...named].filter((role) => typeof role === 'string' && !Object.hasOwn(program.roles, role))
  return gone.length === 0
    ? null
    : `the flow names ${gone.join(', ')}, which is not registered: was its extension removed?`
}

/**
 * Why there is no room for a summon: in the inbox, among the sender's own entries there, or in its chain. Only the operator may
 * fill an inbox. @returns null when there is room
 */
async function whyNoRoom(db: Db, sender: BeingRow, { id, being, root }: Wake): Promise<string | null> {
  const { open, ofSender } = await measureRoom(db, being, sender.name)
  const isOperator = sender.parent === null
  const max = isOperator ? LIMITS.inboxLengthMax : LIMITS.inboxLengthMax - LIMITS.inboxForOperator
  if (open >= max) return `the inbox of ${stanceOf(being)} holds ${open} open wakes; the limit is ${max}`
  if (!isOperator && ofSender >= LIMITS.inboxPerSenderMax)
    return `the inbox of ${stanceOf(being)} holds ${ofSender} open wakes of ${stanceOf(sender.name)}; the limit for one sender is ${LIMITS.inboxPerSenderMax}`
  if (root !== id && (await isChainFull(db, root)))
    return `the chain of ${quote(root)} has reached its limit of ${LIMITS.chainWakesMax} wakes`
  return null
}
