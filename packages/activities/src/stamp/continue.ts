import {
  asJson,
  type BeingName,
  CONTINUE_PREFIX,
  type JsonObject,
  LIMITS,
  LOOK_PREFIX,
  questionOf,
  quote,
  stanceOf,
  type VerbCall,
  type Wake,
} from '@treeos/core'
import type { StampInput } from '@treeos/protocol'
import type { ComposedMoment, LoadedMoment } from '@treeos/reality'
import { countOwnWakes, type Db, type OpenRecord } from '@treeos/store'
import { actStep, begunIn, fitContent, OPERATOR, stepsIn, tightest, type WorldReader } from '@treeos/world'
import { answeredBy, eventWake } from './follow-up.ts'
import type { Verdict } from './judge.ts'
import type { Proposal } from './propose.ts'
import { isChainFull, type StampReading } from './read.ts'

/** Reason of an outcome: the being used up its self-continues in this chain. */
const CONTINUES_SPENT = 'self-continues-spent'
/** Reason of an outcome: the being looked as often in a row as it may. */
const LOOKS_SPENT = 'looks-spent'
/** Reason of an outcome: the chain reached its limit of wakes. */
const CHAIN_SPENT = 'chain-spent'

export interface Continued {
  readonly verdict: Verdict
  /** the being's next wake, if there is one */
  readonly wakes: readonly Wake[]
  /** for the operator, when a limit prevented the next wake */
  readonly notices: readonly Wake[]
}

/** Adds the wake with which a being goes on by itself: after a look, and after an act in a role that goes on. */
export async function continueAfter(
  db: Db,
  input: StampInput,
  proposal: Proposal,
  verdict: Verdict,
  reading: StampReading,
): Promise<Continued> {
  const unchanged = { verdict, wakes: [], notices: [] }
  if (proposal.kind !== 'decided' || reading.current.record.wake.kind === 'act') return unchanged
  const { decision } = proposal
  if (decision.kind !== 'call') return unchanged
  if (verdict.kind === 'see') {
    const shown = await lookOf(decision.call, verdict)
    if (shown === null) return unchanged
    const isOutside = reading.reader.hasOutside && reading.current.record.cognition.kind !== 'human'
    return afterLook(db, input, verdict, { shown, isOutside }, reading.current)
  }
  const { role } = proposal.composed
  const isLast = decision.prose === true || verdict.act?.rests === true // prose means that it called nothing more
  return verdict.kind === 'act' && !isLast && goesOn(role, reading.current.record, decision.call, verdict)
    ? continueItself(db, input, decision.call, verdict, reading)
    : unchanged
}

/**
 * Whether the role of a being lets it go on after this act. Until it has answered, it goes on after whatever it does for a being that
 * spoke to it. When it speaks, that is the answer, or a question whose answer wakes it.
 */
function goesOn(
  { selfContinue }: ComposedMoment['role'],
  { caller, wake }: OpenRecord,
  { verb }: VerbCall,
  { act }: Verdict,
): boolean {
  if (selfContinue !== 'until-answered') return selfContinue
  const hasSpoken = verb === 'summon' || act?.wakes.some(({ inReplyTo }) => inReplyTo !== null) === true
  return caller !== null && wake.expectReply !== false && !hasSpoken
}

/** What a look gave, or why it was refused; null where the being did not look. */
async function lookOf(call: VerbCall, { act, refused }: Verdict): Promise<JsonObject | null> {
  if (call.verb !== 'see') return null
  const { address } = call
  if (refused !== undefined) return { address, refused: { ...refused } }
  const seen = act?.seen ?? null
  return seen === null ? null : { address, seen: asJson(await seen()) }
}

/**
 * Shows a being what it looked at: its next wake holds the descriptor, or the refusal, and goes on for whoever asked. It goes on
 * until it acts or decides nothing, or has looked {@link LIMITS.looksMax} times in a row; that moment says so in its outcome.
 */
async function afterLook(
  db: Db,
  input: StampInput,
  verdict: Verdict,
  { shown, isOutside }: { readonly shown: JsonObject; readonly isOutside: boolean },
  current: LoadedMoment,
): Promise<Continued> {
  const { record: open } = current
  const { looks = 0 } = open.wake
  if (looks >= LIMITS.looksMax) return looksSpent(input, open, verdict)
  if (await isChainFull(db, open.wake.root)) return chainSpent(input, open, verdict)
  const content = fitContent({
    event: 'look',
    actor: stanceOf(input.being),
    prior: input.moment,
    step: looks + 1,
    of: LIMITS.looksMax,
    ...(open.wake.caller === null ? {} : { correlation: answeredBy(open) }),
    ...begunIn(current.record, current.content),
    earlier: stepsIn(current.record.wake, current.content),
    ...shown,
  })
  const wake = goingOn(
    input.being,
    LOOK_PREFIX + input.moment,
    content,
    current,
    questionOf(open.wake, open.answers),
  )
  const next = { ...wake, looks: looks + 1, ...(isOutside ? { outside: true as const } : {}) }
  return { verdict, wakes: [next], notices: [] }
}

/**
 * A wake with which a being goes on by itself. It keeps asker, correlation, thread, hops and priority of the wake that it goes on from,
 * so whoever asked gets the answer.
 * @param question the wake that is still to be answered; null once it is
 */
function goingOn(
  being: BeingName,
  id: string,
  content: JsonObject,
  { record: open, overlays }: LoadedMoment,
  question: string | null,
): Wake {
  const { caller, priority, hops, continues, inReplyTo, expectReply } = open.wake
  return {
    ...eventWake(being, id, content, open.wake),
    caller,
    priority,
    hops,
    continues,
    inReplyTo,
    askedRole: open.asked,
    ...(question === null ? {} : { answers: question }),
    ...(expectReply === undefined ? {} : { expectReply }),
    // The calls of one answer have the same overlay.
    ...(question === null || overlays?.call == null ? {} : { overlay: overlays.call }),
  }
}

async function continueItself(
  db: Db,
  input: StampInput,
  call: VerbCall,
  verdict: Verdict,
  { reader, current }: StampReading,
): Promise<Continued> {
  const { record: open } = current
  // Counted over the whole cause chain, so that an answer on the way does not start a new count.
  const gone = await countOwnWakes(db, input.being, open.wake.root, CONTINUE_PREFIX)
  const { max, of } = await selfContinuesMaxOf(reader, input.being)
  if (gone >= max) return selfContinuesSpent(input, open, verdict, { gone, of })
  if (await isChainFull(db, open.wake.root)) return chainSpent(input, open, verdict)
  const step = gone + 1
  const own = { actor: stanceOf(input.being), prior: input.moment, step, of: max }
  const question = questionOf(open.wake, open.answers)
  const isAnswered =
    question !== null && verdict.act?.wakes.some(({ inReplyTo }) => inReplyTo === question) === true
  const earlier = isAnswered ? [] : stepsIn(open.wake, current.content) // they were for the answer
  const content = fitContent({
    event: 'self-continue',
    ...own,
    ...begunIn(open, current.content),
    ...(earlier.length === 0 ? {} : { earlier }),
    ...actStep(call, verdict.act?.result ?? null),
  })
  const next = isAnswered ? null : question
  const wake = goingOn(input.being, CONTINUE_PREFIX + input.moment, content, current, next)
  return {
    verdict,
    wakes: [{ ...wake, continues: step }],
    notices: [],
  }
}

async function selfContinuesMaxOf(reader: WorldReader, being: BeingName) {
  const me = await reader.being(being)
  const line = me === null ? [] : [me, ...(await reader.lineage(being))]
  return tightest(line, 'selfContinues', LIMITS.selfContinuesMax)
}

function selfContinuesSpent(
  input: StampInput,
  open: OpenRecord,
  verdict: Verdict,
  { gone, of }: { gone: number; of: BeingName | null },
): Continued {
  const content = {
    event: CONTINUES_SPENT,
    actor: stanceOf(input.being),
    moment: input.moment,
    continues: gone,
  }
  const notices =
    input.being === OPERATOR
      ? []
      : [eventWake(OPERATOR, `spent/${input.being}/${open.wake.root}`, content, open.wake)]
  const whose = of === null ? '' : ` that the budget of ${stanceOf(of)} allows`
  const detail = `the being has used all ${gone} self-continues${whose}`
  return { verdict: { ...verdict, reason: CONTINUES_SPENT, detail }, wakes: [], notices }
}

function chainSpent(input: StampInput, open: OpenRecord, verdict: Verdict): Continued {
  const { root } = open.wake
  const content = { event: CHAIN_SPENT, actor: stanceOf(input.being), moment: input.moment, root }
  const detail = `the chain of ${quote(root)} has reached its limit of ${LIMITS.chainWakesMax} wakes`
  return {
    verdict: verdict.refused === undefined ? { ...verdict, reason: CHAIN_SPENT, detail } : verdict,
    wakes: [],
    notices: input.being === OPERATOR ? [] : [eventWake(OPERATOR, `chain-spent/${root}`, content, open.wake)],
  }
}

function looksSpent(input: StampInput, open: OpenRecord, verdict: Verdict): Continued {
  const looks = LIMITS.looksMax
  const content = { event: LOOKS_SPENT, actor: stanceOf(input.being), moment: input.moment, looks }
  const id = `looked/${input.being}/${answeredBy(open)}`
  const detail = `the being looked ${looks} times in a row before this look, and ${looks} are allowed: it sees no more until a new wake`
  return {
    verdict: verdict.refused === undefined ? { ...verdict, reason: LOOKS_SPENT, detail } : verdict,
    wakes: [],
    notices: input.being === OPERATOR ? [] : [eventWake(OPERATOR, id, content, open.wake)],
  }
}
