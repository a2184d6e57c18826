/** How a being goes on by itself: after a look, after an act in a role that goes on, and after a refusal. */
import {
  asJson,
  type BeingName,
  CONTINUE_PREFIX,
  type ErrorCode,
  holdsCall,
  isChosen,
  isToSelf,
  type JsonObject,
  LIMITS,
  LOOK_PREFIX,
  type Notice,
  owedIn,
  questionOf,
  quote,
  REFUSED_PREFIX,
  stanceOf,
  type VerbCall,
  type Wake,
} from '@treeos/core'
import { OPERATOR } from '../extend/substrate.ts'
import { firstWake, type RefusedCall, refusedCalls } from '../moment/first-wake.ts'
import { actStep, begunIn, fitContent, refusedCall, stepsIn } from '../moment/steps.ts'
import type { WorldReader } from '../read/reader.ts'
import { tightest } from '../rows/budgets.ts'
import type { Verdict } from './conclusion.ts'
import type { DecidedMoment, LawInputs } from './moment.ts'
import { answeredBy, asNotice, eventWake } from './notices.ts'

/** Reason of an outcome: the being used up its self-continues in this chain. */
const CONTINUES_SPENT = 'self-continues-spent'
/** Reason of an outcome: the being looked as often in a row as it may. */
const LOOKS_SPENT = 'looks-spent'
/** Reason of an outcome: the chain reached its limit of wakes. */
const CHAIN_SPENT = 'chain-spent'

/** Another call of the same model would fare no better. */
const FINAL_REFUSALS: ReadonlySet<string | null> = new Set<ErrorCode>([
  'INTERNAL',
  'RATE_LIMITED',
  'BEING_ENDED',
  'SERVICE_UNAVAILABLE',
])

export interface GoingOn {
  readonly verdict: Verdict
  /** the being's next wake, if there is one */
  readonly wakes: readonly Wake[]
  /** for the operator, when a limit prevented the next wake */
  readonly notices: readonly Notice[]
}

type GoingOnInputs = Pick<LawInputs, 'reader' | 'asked'>

/** Adds the wake with which a being goes on by itself. */
export async function goingOn(moment: DecidedMoment, verdict: Verdict, at: GoingOnInputs): Promise<GoingOn> {
  const unchanged = { verdict, wakes: [], notices: [] }
  const { decision, worn, open } = moment
  if (worn === null || decision === null || isChosen(open)) return unchanged
  // What a person said yes to is not tried again: no mind decided it now.
  if (verdict.kind === 'failure')
    return holdsCall(open.wake) ? unchanged : { ...unchanged, wakes: await afterRefusal(moment, verdict, at) }
  if (decision.kind !== 'call') return unchanged
  if (verdict.kind === 'see') {
    const shown = await lookOf(decision.call, verdict)
    return shown === null ? unchanged : afterLook(moment, verdict, { ...shown, ...ignoredIn(decision) }, at)
  }
  // prose means that it called nothing more
  const isLast = decision.prose === true || verdict.act?.rests === true
  return verdict.kind === 'act' && !isLast && goesOn(moment, decision.call, verdict)
    ? continueItself(moment, decision, verdict, at)
    : unchanged
}

type CallDecision = Extract<DecidedMoment['decision'], { kind: 'call' }>

/** Tells a model of its further calls, which it may take for made. */
const ignoredIn = ({ ignoredCalls }: CallDecision): { ignoredCalls?: number } =>
  ignoredCalls === undefined ? {} : { ignoredCalls }

/**
 * Whether the role of a being lets it go on after this act. Until it has answered, it goes on after whatever
 * it does for a being that spoke to it. When it speaks, that is the answer, or a question whose answer wakes
 * it.
 */
function goesOn({ being, worn, open }: DecidedMoment, { verb }: VerbCall, { act }: Verdict): boolean {
  const selfContinue = worn?.role.selfContinue ?? false
  if (selfContinue !== 'until-answered') return selfContinue
  const hasSpoken = verb === 'summon' || act?.wakes.some(({ inReplyTo }) => inReplyTo !== null) === true
  return owedIn(open, being) !== null && !hasSpoken
}

/** What a look gave, or why it was refused; null where the being did not look. */
async function lookOf(call: VerbCall, { act, shown }: Verdict): Promise<JsonObject | null> {
  if (call.verb !== 'see') return null
  const { address } = call
  if (shown !== undefined) return { address, refused: { ...shown } }
  const seen = act?.seen ?? null
  return seen === null ? null : { address, seen: asJson(await seen()) }
}

/**
 * Shows a being what it looked at: its next wake holds the descriptor, or the refusal, and goes on for
 * whoever asked. It goes on until it acts or decides nothing, or has looked {@link LIMITS.looksMax} times in
 * a row; that moment says so in its outcome.
 */
async function afterLook(
  moment: DecidedMoment,
  verdict: Verdict,
  shown: JsonObject,
  { reader, asked }: GoingOnInputs,
): Promise<GoingOn> {
  const { being, open, content: heard } = moment
  const isOutside = reader.hasOutside && open.cognition.kind !== 'human'
  const { looks = 0 } = open.wake
  if (looks >= LIMITS.looksMax) return looksSpent(moment, verdict)
  if (await isChainFull(asked, open.wake.root)) return chainSpent(moment, verdict)
  const content = fitContent({
    event: 'look',
    actor: stanceOf(being),
    prior: open.moment,
    step: looks + 1,
    of: LIMITS.looksMax,
    ...(open.caller === null ? {} : { correlation: answeredBy(open) }),
    ...begunIn(open, heard),
    earlier: stepsIn(open.wake, heard),
    ...shown,
  })
  const wake = nextWake(moment, LOOK_PREFIX + open.moment, content, questionOf(open.wake, open.answers))
  const next = { ...wake, looks: looks + 1, ...(isOutside ? { outside: true as const } : {}) }
  return { verdict, wakes: [next], notices: [] }
}

/**
 * A wake with which a being goes on by itself. It keeps asker, correlation, thread, hops and priority of the
 * wake that it goes on from, so whoever asked gets the answer.
 * @param question the wake that is still to be answered; null once it is
 */
function nextWake(
  { being, open, overlay = null }: DecidedMoment,
  id: string,
  content: JsonObject,
  question: string | null,
): Wake {
  const { priority, hops, continues, inReplyTo, expectReply } = open.wake
  return {
    ...eventWake(being, id, content, open.wake),
    caller: open.caller,
    priority,
    hops,
    continues,
    inReplyTo,
    askedRole: open.asked,
    ...(question === null ? {} : { answers: question }),
    ...(expectReply === undefined ? {} : { expectReply }),
    // The calls of one answer have the same overlay.
    ...(question === null || overlay === null ? {} : { overlay }),
  }
}

/**
 * Lets a model decide again whose call was refused, or whose answer could not be read. It gets the same wake once more, with what was
 * refused, {@link LIMITS.refusalsMax} times in a row, whatever its role says of going on; each time is a step of the chain.
 * @returns no wake where its moment is a failure for good
 */
async function afterRefusal(
  moment: DecidedMoment,
  verdict: Verdict,
  { reader, asked }: GoingOnInputs,
): Promise<readonly Wake[]> {
  const { being, open, content: heard } = moment
  const { refusals = 0, cause, looks, orientation } = open.wake
  const refused = refusedIn(moment, verdict)
  if (refused === null || refusals >= LIMITS.refusalsMax) return []
  const gone = await asked.questions.continues(being, open.wake.id)
  if (gone >= (await selfContinuesMax(reader, being)).max) return []
  if (await isChainFull(asked, open.wake.root)) return []
  const { wake, content: told, toSelf = isToSelf(open.wake, being) } = firstWake(open.wake, heard)
  const content = {
    event: 'refused',
    actor: stanceOf(being),
    prior: open.moment,
    step: refusals + 1,
    of: LIMITS.refusalsMax,
    first: { id: wake.id, kind: wake.kind, content: told, ...(toSelf ? { toSelf } : {}) },
    refused: asJson(refusedCalls(open.wake, heard).concat(refused)),
  }
  const next: Wake = {
    ...nextWake(moment, REFUSED_PREFIX + open.moment, content, questionOf(open.wake, open.answers)),
    cause,
    continues: gone + 1,
    refusals: refusals + 1,
    ...(looks === undefined ? {} : { looks }),
    ...(orientation === undefined ? {} : { orientation }),
    ...(reader.hasOutside ? { outside: true } : {}),
  }
  return [next]
}

/** What a model may decide again about; null for what is no refusal of its call, and for one that is final. */
function refusedIn({ open, decision, hasEffect }: DecidedMoment, verdict: Verdict): RefusedCall | null {
  const { reason, detail, refusal, beside } = verdict
  if (open.cognition.kind !== 'llm' || hasEffect === true || beside !== undefined) return null
  if (decision?.kind === 'failure')
    return decision.miscall === true && reason === decision.code
      ? refusedCall(null, decision.code, detail ?? '')
      : null
  if (decision?.kind !== 'call' || refusal === undefined || FINAL_REFUSALS.has(refusal.code)) return null
  return refusedCall(decision.call, refusal.code, detail ?? '')
}

async function continueItself(
  moment: DecidedMoment,
  decision: CallDecision,
  verdict: Verdict,
  { reader, asked }: GoingOnInputs,
): Promise<GoingOn> {
  const { being, open, content: heard } = moment
  // Counted over all that came of one wake, so that an answer on the way does not start a new count.
  const gone = await asked.questions.continues(being, open.wake.id)
  const { max, of } = await selfContinuesMax(reader, being)
  if (gone >= max) return selfContinuesSpent(moment, verdict, { gone, of })
  if (await isChainFull(asked, open.wake.root)) return chainSpent(moment, verdict)
  const step = gone + 1
  const own = { actor: stanceOf(being), prior: open.moment, step, of: max }
  const { id: question = questionOf(open.wake, open.answers) } = owedIn(open, being) ?? {}
  // Answered, or left to the moment for which it summoned itself.
  const isAnswered =
    question !== null &&
    verdict.act?.wakes.some(({ inReplyTo, answers }) => [inReplyTo, answers].includes(question)) === true
  const earlier = isAnswered ? [] : stepsIn(open.wake, heard) // they were for the answer
  const content = fitContent({
    event: 'self-continue',
    ...own,
    ...begunIn(open, heard),
    ...(earlier.length === 0 ? {} : { earlier }),
    ...actStep(decision.call, verdict.act?.result ?? null),
    ...ignoredIn(decision),
  })
  const goesOnFrom = isAnswered ? null : questionOf(open.wake, open.answers)
  const wake = nextWake(moment, CONTINUE_PREFIX + open.moment, content, goesOnFrom)
  return { verdict, wakes: [{ ...wake, continues: step }], notices: [] }
}

/** How often a being may go on by itself in one chain, and whose budget says so. */
export async function selfContinuesMax(
  reader: WorldReader,
  being: BeingName,
): Promise<{ readonly max: number; readonly of: BeingName | null }> {
  const me = await reader.being(being)
  const line = me === null ? [] : [me, ...(await reader.lineage(being))]
  return tightest(line, 'selfContinues', LIMITS.selfContinuesMax)
}

/**
 * Whether a cause chain has reached its limit of wakes. Hops limit the depth of a chain and self-continues
 * its length, but a chain can also branch. Concurrent stamps may each add their wakes beyond the limit.
 */
export const isChainFull = async ({ questions }: LawInputs['asked'], root: string): Promise<boolean> =>
  (await questions.chain(root)) >= LIMITS.chainWakesMax

function selfContinuesSpent(
  { being, open }: DecidedMoment,
  verdict: Verdict,
  { gone, of }: { gone: number; of: BeingName | null },
): GoingOn {
  const content = { event: CONTINUES_SPENT, actor: stanceOf(being), moment: open.moment, continues: gone }
  const id = `spent/${being}/${owedIn(open, being)?.id ?? answeredBy(open)}`
  const whose = of === null ? '' : ` that the budget of ${stanceOf(of)} allows`
  const detail = `the being has used all ${gone} self-continues${whose}`
  return {
    verdict: { ...verdict, reason: CONTINUES_SPENT, detail },
    wakes: [],
    notices: toOperator(being, eventWake(OPERATOR, id, content, open.wake)),
  }
}

function chainSpent({ being, open }: DecidedMoment, verdict: Verdict): GoingOn {
  const { root } = open.wake
  const content = { event: CHAIN_SPENT, actor: stanceOf(being), moment: open.moment, root }
  const detail = `the chain of ${quote(root)} has reached its limit of ${LIMITS.chainWakesMax} wakes`
  return {
    verdict: verdict.shown === undefined ? { ...verdict, reason: CHAIN_SPENT, detail } : verdict,
    wakes: [],
    notices: toOperator(being, eventWake(OPERATOR, `chain-spent/${root}`, content, open.wake)),
  }
}

function looksSpent({ being, open }: DecidedMoment, verdict: Verdict): GoingOn {
  const looks = LIMITS.looksMax
  const content = { event: LOOKS_SPENT, actor: stanceOf(being), moment: open.moment, looks }
  const id = `looked/${being}/${answeredBy(open)}`
  const detail = `the being looked ${looks} times in a row before this look, and ${looks} are allowed: it sees no more until a new wake`
  return {
    verdict: verdict.shown === undefined ? { ...verdict, reason: LOOKS_SPENT, detail } : verdict,
    wakes: [],
    notices: toOperator(being, eventWake(OPERATOR, id, content, open.wake)),
  }
}

const toOperator = (being: BeingName, wake: Wake): Notice[] => (being === OPERATOR ? [] : [asNotice(wake)])
