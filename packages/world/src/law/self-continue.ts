/** How a being goes on by itself: after a look, after an act in a role that goes on, and after a refusal. */
import {
  asJson,
  type BeingName,
  CONTINUE_PREFIX,
  type ErrorCode,
  holdsCall,
  isChosen,
  isQueuedRead,
  isToSelf,
  type Json,
  type JsonObject,
  LIMITS,
  LOOK_PREFIX,
  type Notice,
  owedIn,
  questionOf,
  quote,
  READ_PREFIX,
  REFUSED_PREFIX,
  type SeeCall,
  stanceOf,
  type VerbCall,
  type Wake,
} from '@treeos/core'
import { OPERATOR } from '../extend/substrate.ts'
import { firstWake, type RefusedCall, refusedCalls } from '../moment/first-wake.ts'
import {
  actStep,
  begunIn,
  fitContent,
  gaveOf,
  type Repeats,
  refusedCall,
  repeatsIn,
  stepsIn,
} from '../moment/steps.ts'
import type { WorldReader } from '../read/reader.ts'
import { tightest } from '../rows/budgets.ts'
import type { ActInputs } from '../verbs/act-inputs.ts'
import type { Verdict } from './conclusion.ts'
import type { DecidedMoment, LawInputs } from './moment.ts'
import { answeredBy, asNotice, eventWake } from './notices.ts'
import { areDeclaredReads, queuedIn } from './queued-reads.ts'

/** Reason of an outcome: the being acted or looked, and has used up its steps. */
const STEPS_SPENT = 'steps-spent'
/** Reason of an outcome: the being made the same call again and again, and it gave the same. */
const REPEATED = 'repeated-call'
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

type GoingOnInputs = Pick<LawInputs, 'reader' | 'asked' | 'digest'>

/** Adds the wake with which a being goes on by itself. */
export async function goingOn(moment: DecidedMoment, verdict: Verdict, at: GoingOnInputs): Promise<GoingOn> {
  const unchanged = { verdict, wakes: [], notices: [] }
  const { decision, worn, open } = moment
  if (worn === null || decision === null || isChosen(open)) return unchanged
  const reads = decision.kind === 'call' ? await readsOf(moment, decision.call, at) : null
  if (reads !== null && decision.kind === 'call' && (verdict.kind === 'act' || mayReadOn(verdict)))
    return continueItself(moment, decision, verdict, at, reads)
  // What a person said yes to is not tried again: no mind decided it now.
  if (verdict.kind === 'failure')
    return holdsCall(open.wake) ? unchanged : { ...unchanged, wakes: await afterRefusal(moment, verdict, at) }
  if (decision.kind !== 'call') return unchanged
  if (verdict.kind === 'see') {
    const shown = await lookOf(decision.call, verdict)
    return shown === null ? unchanged : afterLook(moment, decision, verdict, { ...at, shown })
  }
  // prose means that it called nothing more
  const isLast = decision.prose === true || verdict.act?.rests === true
  return verdict.kind === 'act' && !isLast && goesOn(moment, decision.call, verdict)
    ? continueItself(moment, decision, verdict, at)
    : unchanged
}

type CallDecision = Extract<DecidedMoment['decision'], { kind: 'call' }>

/** Tells a model of its further calls, which it may take for made. */
const ignoredIn = ({ ignoredCalls, reads }: CallDecision): { ignoredCalls?: number } => {
  const count = ignoredCalls ?? reads?.length
  return count === undefined ? {} : { ignoredCalls: count }
}

/**
 * The reads that are still to be made of the answer to which a moment belongs, where it is one of several; null for any other moment. A
 * being that began to read goes on until its mind has seen what all of them gave, whatever its role says then.
 */
async function readsOf(
  moment: DecidedMoment,
  call: VerbCall,
  { reader }: Pick<GoingOnInputs, 'reader'>,
): Promise<readonly Json[] | null> {
  const queued = queuedIn(moment)
  const isNext = isQueuedRead(moment.open.wake)
  if (queued.length === 0) return isNext ? [] : null
  if (!isNext && !goesOn(moment, call, { act: null })) return null
  const areReads = await areDeclaredReads([asJson(call), ...queued], reader)
  return areReads ? queued : isNext ? [] : null
}

/** Whether a failure is told to the mind beside what the other reads gave: a gate, or the outside, refused this one. */
const mayReadOn = ({ kind, reason, refusal, beside }: Verdict): boolean =>
  kind === 'failure' &&
  reason !== 'BEING_ENDED' &&
  (beside === 'effect' || (beside === undefined && refusal !== undefined))

/**
 * Whether the role of a being lets it go on after this act. Until it has answered, it goes on after whatever
 * it does for a being that spoke to it. When it speaks, that is the answer, or a question whose answer wakes
 * it.
 */
function goesOn(
  { being, worn, open }: DecidedMoment,
  { verb }: VerbCall,
  { act }: Pick<Verdict, 'act'>,
): boolean {
  const selfContinue = worn?.role.selfContinue ?? false
  if (selfContinue !== 'until-answered') return selfContinue
  const hasSpoken = verb === 'summon' || act?.wakes.some(({ inReplyTo }) => inReplyTo !== null) === true
  return owedIn(open, being) !== null && !hasSpoken
}

/** What a look gave, or why it was refused; null where the being did not look. */
async function lookOf(call: VerbCall, { act, shown }: Verdict): Promise<JsonObject | null> {
  if (call.verb !== 'see') return null
  if (shown !== undefined) return { ...namedIn(call), refused: { ...shown } }
  const seen = act?.seen ?? null
  if (seen === null) return null
  const looks: JsonObject[] = []
  for (const sighting of seen) {
    const { address } = sighting
    looks.push(
      'show' in sighting
        ? { address, seen: asJson(await sighting.show()) }
        : { address: named(address), refused: { ...sighting.refused } },
    )
  }
  return 'addresses' in call ? { looks } : (looks[0] ?? null)
}

const namedIn = (call: SeeCall): JsonObject =>
  'addresses' in call ? { addresses: call.addresses.map(named) } : { address: named(call.address) }

/** An address that is no address may be as long as an answer. */
const named = (address: string): string =>
  address.length <= ADDRESS_SHOWN_MAX ? address : `${address.slice(0, ADDRESS_SHOWN_MAX)}…`
const ADDRESS_SHOWN_MAX = 512

/**
 * Shows a being what it looked at: its next wake holds the descriptor, or the refusal, and goes on for
 * whoever asked. It goes on until it acts or decides nothing, or has used up its steps; that moment says so
 * in its outcome.
 */
async function afterLook(
  moment: DecidedMoment,
  decision: CallDecision,
  verdict: Verdict,
  { shown, ...at }: GoingOnInputs & { readonly shown: JsonObject },
): Promise<GoingOn> {
  const { being, open, content: heard } = moment
  const { reader, asked } = at
  const same = repeatsAfter(moment, decision.call, shown, at)
  if (same.times >= LIMITS.repeatsMax) return stoppedRepeating(moment, verdict, same)
  const isOutside = reader.hasOutside && open.cognition.kind !== 'human'
  const taken = await stepsTaken(moment, at)
  if (isSpent(taken)) return looksSpent(moment, verdict, taken)
  if (await isChainFull(asked, open.wake.root)) return chainSpent(moment, verdict)
  const step = taken.gone + 1
  const content = fitContent({
    event: 'look',
    actor: stanceOf(being),
    prior: open.moment,
    step,
    of: taken.max,
    ...(open.caller === null ? {} : { correlation: answeredBy(open) }),
    ...begunIn(open, heard),
    earlier: stepsIn(open.wake, heard),
    ...shown,
    ...ignoredIn(decision),
    same: asJson(same),
  })
  const wake = nextWake(moment, LOOK_PREFIX + open.moment, content, questionOf(open.wake, open.answers))
  const next = { ...wake, continues: step, ...(isOutside ? { outside: true as const } : {}) }
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
  at: GoingOnInputs,
): Promise<readonly Wake[]> {
  const { reader, asked } = at
  const { being, open, content: heard } = moment
  const { refusals = 0, cause, orientation } = open.wake
  const refused = refusedIn(moment, verdict)
  if (refused === null || refusals >= LIMITS.refusalsMax) return []
  const taken = await stepsTaken(moment, at)
  if (isSpent(taken)) return []
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
    continues: taken.gone + 1,
    refusals: refusals + 1,
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

/** @param reads what is still to be read of the same answer; null where its moment is not one of several reads */
async function continueItself(
  moment: DecidedMoment,
  decision: CallDecision,
  verdict: Verdict,
  at: GoingOnInputs,
  reads: readonly Json[] | null = null,
): Promise<GoingOn> {
  const { being, open, content: heard } = moment
  const result = verdict.act?.result ?? null
  const refused =
    verdict.kind === 'failure' ? { code: verdict.reason ?? '', message: verdict.detail ?? '' } : null
  const same = repeatsAfter(moment, decision.call, refused ?? gaveOf(decision.call, result), at)
  const taken = await stepsUnlessStopped(moment, verdict, same, at)
  if ('verdict' in taken) return refused === null ? taken : { verdict, wakes: [], notices: [] }
  const step = taken.gone + 1
  const own = { actor: stanceOf(being), prior: open.moment, step, of: taken.max }
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
    ...actStep(decision.call, result),
    ...(refused === null ? {} : { refused }),
    ...(reads === null ? ignoredIn(decision) : queueFields(reads)),
    same: asJson(same),
  })
  const goesOnFrom = isAnswered ? null : questionOf(open.wake, open.answers)
  const prefix = reads === null || reads.length === 0 ? CONTINUE_PREFIX : READ_PREFIX
  const wake = nextWake(moment, prefix + open.moment, content, goesOnFrom)
  return { verdict, wakes: [{ ...wake, continues: step }], notices: [] }
}

/** The steps that a being took; how it ends instead where it made the same call too often, or may take no more. */
async function stepsUnlessStopped(
  moment: DecidedMoment,
  verdict: Verdict,
  same: Repeats,
  at: GoingOnInputs,
): Promise<StepCount | GoingOn> {
  if (same.times >= LIMITS.repeatsMax) return stoppedRepeating(moment, verdict, same)
  const taken = await stepsTaken(moment, at)
  if (isSpent(taken)) return selfContinuesSpent(moment, verdict, taken)
  return (await isChainFull(at.asked, moment.open.wake.root)) ? chainSpent(moment, verdict) : taken
}

/** The next read, as the wake of its moment holds it, and those after it. */
const queueFields = ([call, ...queued]: readonly Json[]): JsonObject =>
  call === undefined ? {} : { call, ...(queued.length === 0 ? {} : { queued }) }

/** How often in a row a being has now made a call that gave the same. */
function repeatsAfter(
  { open, content }: DecidedMoment,
  call: VerbCall,
  gave: Json,
  { digest }: Pick<GoingOnInputs, 'digest'>,
): Repeats {
  const made = digest({ call: asJson(call), gave })
  const before = repeatsIn(open.wake, content)
  return { digest: made, times: before?.digest === made ? before.times + 1 : 1 }
}

/** The steps of a being: those that it took, the most that it may take, and whose budget says so; null where its role does. */
interface StepCount {
  readonly gone: number
  readonly max: number
  readonly of: BeingName | null
}

const isSpent = ({ gone, max }: StepCount): boolean => gone >= max

/** Counts over all that came of one wake, so that an answer on the way does not start a new count. */
async function stepsTaken(
  { being, open, worn }: DecidedMoment,
  { reader, asked }: GoingOnInputs,
): Promise<StepCount> {
  const gone = await asked.questions.continues(being, open.wake.id)
  return { gone, ...(await stepsOf(reader, being, worn?.role ?? {})) }
}

/** How many steps a being may take for one question, by its role and the budgets over it. */
export async function stepsOf(
  reader: WorldReader,
  being: BeingName,
  { steps = LIMITS.stepsDefault }: Pick<ActInputs['role'], 'steps'>,
): Promise<Omit<StepCount, 'gone'>> {
  const me = await reader.being(being)
  const line = me === null ? [] : [me, ...(await reader.lineage(being))]
  return tightest(line, 'selfContinues', steps)
}

const allSteps = ({ gone, of }: StepCount): string =>
  `all ${gone} steps that ${of === null ? 'its role' : `the budget of ${stanceOf(of)}`} allows`

/**
 * Whether a cause chain has reached its limit of wakes. Hops limit the depth of a chain and self-continues
 * its length, but a chain can also branch. Concurrent stamps may each add their wakes beyond the limit.
 */
export const isChainFull = async ({ questions }: LawInputs['asked'], root: string): Promise<boolean> =>
  (await questions.chain(root)) >= LIMITS.chainWakesMax

function selfContinuesSpent(moment: DecidedMoment, verdict: Verdict, taken: StepCount): GoingOn {
  const message = `the being has used ${allSteps(taken)}`
  return stopped(moment, verdict, {
    ...{ reason: STEPS_SPENT, message, steps: taken.gone },
    id: `spent/${moment.being}/${questionIn(moment)}`,
  })
}

function looksSpent(moment: DecidedMoment, verdict: Verdict, taken: StepCount): GoingOn {
  const message = `the being had used ${allSteps(taken)} before this look: it sees no more until a new wake`
  return stopped(moment, verdict, {
    ...{ reason: STEPS_SPENT, message, steps: taken.gone },
    id: `looked/${moment.being}/${answeredBy(moment.open)}`,
  })
}

function stoppedRepeating(moment: DecidedMoment, verdict: Verdict, { times }: Repeats): GoingOn {
  const message = `the being made the same call ${times} times in a row, and it gave the same each time`
  return stopped(moment, verdict, {
    ...{ reason: REPEATED, message, times },
    id: `repeated/${moment.being}/${questionIn(moment)}`,
  })
}

function chainSpent(moment: DecidedMoment, verdict: Verdict): GoingOn {
  const { root } = moment.open.wake
  const message = `the chain of ${quote(root)} has reached its limit of ${LIMITS.chainWakesMax} wakes`
  return stopped(moment, verdict, { reason: CHAIN_SPENT, message, root, id: `chain-spent/${root}` })
}

const questionIn = ({ being, open }: DecidedMoment): string => owedIn(open, being)?.id ?? answeredBy(open)

/**
 * Ends a sequence with a reason, and tells the operator. A look that was refused keeps the reason of that.
 * @param id of the notice, of which there is one
 */
function stopped(
  { being, open }: DecidedMoment,
  verdict: Verdict,
  {
    id,
    reason,
    ...told
  }: { readonly id: string; readonly reason: string; readonly message: string } & JsonObject,
): GoingOn {
  const content = { event: reason, actor: stanceOf(being), moment: open.moment, ...told }
  return {
    verdict: verdict.shown === undefined ? { ...verdict, reason, detail: told.message } : verdict,
    wakes: [],
    notices: being === OPERATOR ? [] : [asNotice(eventWake(OPERATOR, id, content, open.wake))],
  }
}
