import {
  ActivityFailure,
  ApplicationFailure,
  ChildWorkflowFailure,
  TimeoutFailure,
} from '@temporalio/workflow'
import { asJson, type Cognition, isSameJson, type PinnedStack, parseMomentId } from '@treeos/core/workflow'
import {
  type DecisionRef,
  type DifferentDigests,
  type ElsewhereMoment,
  type EvaluatedMoment,
  type OpenedMoment,
  type OpenMoment,
  type PendingEffect,
  type RestingBeing,
  STACK_DIFFERS,
  type StackDifference,
  type StampedMoment,
  type StampInput,
  type ThinkInput,
} from '@treeos/protocol/workflow'
import { checkWake, evaluateFlow, type FlowResult, pinStack } from '@treeos/roles/workflow'
import { localBeats, performed, thinkBeats } from './beats.ts'
import { startCall } from './call.workflow.ts'
import { type CompiledProgram, type Life, programFor } from './life.ts'
import type { IdleWait } from './run.ts'
import { dispatch } from './task.workflow.ts'

/** Nothing wakes the being. */
export interface RestingMoment {
  readonly rests: true
  /** who decides for it now, after somebody inhabited it; null when nobody ever did */
  readonly cognition: Cognition | null
}

/** A finished moment, without the content that history must not hold. */
export interface FinishedMoment {
  readonly opened: OpenedMoment
  readonly stack: PinnedStack | null
  readonly stamped: StampedMoment
  /** its worker lived it, in the activity that opened it */
  readonly isLived: boolean
}

/** What one call of `liveMoments` comes to. */
export interface RunMoments {
  /** oldest first */
  readonly finished: readonly FinishedMoment[]
  /**
   * how the being rests when nothing wakes it; `over` when nothing ever will, since it was ended; null when
   * more may wait
   */
  readonly rest: RestingMoment | 'over' | null
  /**
   * the code of the next moment is not loaded in this worker: for so long the run waits for another one, in
   * ms; `outdated` when none has it any more, and a new life begins; left out otherwise
   */
  readonly handsOn?: number | 'outdated'
}

/**
 * Runs the next moments, each from wake to facts; docs/the-way-of-a-summon.md names the file of each step. A
 * worker lives them, then the workflow evaluates the flow of each. A moment whose mind takes long, or that
 * goes outside, is evaluated before that, and the workflow goes on with it.
 * @param room most moments that the worker lives
 * @throws {ApplicationFailure} of type StackDiffers when the flow of one gives another stack than the worker
 *   says: the run ends
 */
export async function runMoments(life: Life, room: number): Promise<RunMoments> {
  const { being, generation, n, program } = life
  const input = { being, generation, n, program: program?.digest ?? null, room }
  const { value, ...hints } = await localBeats(`live from #${n}${livedBefore(life)}`).liveMoments(
    input,
    life.asking.told(),
  )
  life.asking.answered(hints)
  if (hints.idleSeconds !== undefined && life.idle !== null) life.idle = { ...life.idle, armed: false }
  const finished: FinishedMoment[] = []
  for (const moment of value.lived) {
    await evaluate(life, moment)
    finished.push(finish(life, moment, { stamped: moment.ended, isLived: true }))
  }
  const { stop } = value
  if (stop === undefined) return { finished, rest: null }
  if ('over' in stop) return { finished, rest: 'over' }
  if ('resting' in stop) return { finished, rest: restFrom(life, stop) }
  if ('outdated' in stop) return { finished, rest: null, handsOn: 'outdated' }
  if ('elsewhere' in stop) return { finished, rest: null, handsOn: stop.elsewhere.waitMs }
  await evaluate(life, stop)
  const stamped = await goOn(life, stop)
  if ('elsewhere' in stamped) return { finished, rest: null, handsOn: stamped.elsewhere.waitMs }
  return { finished: [...finished, finish(life, stop, { stamped, isLived: false })], rest: null }
}

/**
 * Evaluates the flow of a moment over the slice that its worker recorded: pure, with the same result on every
 * replay. A person may have accepted that the record has another stack.
 * @throws {ApplicationFailure} of type StackDiffers
 */
export async function evaluate(life: Life, { opened, stack, skip }: EvaluatedMoment): Promise<void> {
  life.program = programFor(life.program, opened)
  const result = assign(life.program, opened)
  const given =
    result.skip === undefined ? { stack: pinStack(life.program, result) } : { stack: null, skip: result.skip }
  if (isSameJson(asJson([stack, skip ?? null]), [given.stack, given.skip ?? null])) return
  const recorded = { stack, ...(skip === undefined ? {} : { skip }) }
  const difference = { moment: opened.moment, recorded, given }
  const { isAccepted, ...digests } = await reportDifference(difference)
  if (isAccepted !== true) failByName(difference, digests)
}

/** Temporal names a step before the moments are known that it lives. So the next one names them. */
const livedBefore = ({ last }: Life): string => (last === '' ? '' : `, after ${last}`)

/** Which moments one call lived, with a run of the same roles as one: `#3–#5 clerk, #6 judge`. */
export function livedLabel(finished: readonly FinishedMoment[]): string {
  const runs: { from: number; to: number; roles: string }[] = []
  for (const { opened, stack } of finished) {
    const { n } = parseMomentId(opened.moment)
    const roles = stackLabel(stack)
    const run = runs.at(-1)
    if (run?.roles === roles) run.to = n
    else runs.push({ from: n, to: n, roles })
  }
  const told = runs.map(({ from, to, roles }) => `#${from}${to === from ? '' : `–#${to}`} ${roles}`)
  return cut(told.join(', '))
}

type Evaluation = StackDifference['given']

async function reportDifference(difference: StackDifference): Promise<DifferentDigests> {
  const beats = localBeats(`${difference.moment}: another stack`)
  return (await beats.reportDifference(difference)).value
}

/**
 * Nothing more is lived by a run whose worker and workflow disagree, and what it has lived stands in both
 * records.
 */
function failByName({ moment, recorded, given }: StackDifference, digests: DifferentDigests): never {
  const message =
    `${moment}: its worker gave the stack ${wordOf(digests.recorded, recorded)}, and its flow gives ` +
    `${wordOf(digests.given, given)} in the workflow`
  throw ApplicationFailure.create({
    type: STACK_DIFFERS,
    message,
    details: [{ moment, ...digests }],
    nonRetryable: true,
  })
}

const wordOf = (digest: string | null, { stack, skip }: Evaluation): string =>
  digest === null ? `none (${skip})` : `${digest} (${stackLabel(stack)})`

function finish(
  life: Life,
  { opened, stack }: EvaluatedMoment,
  more: Pick<FinishedMoment, 'stamped' | 'isLived'>,
): FinishedMoment {
  life.n += 1
  life.idle = idleAfter(life.idle, opened, more.stamped)
  return { opened, stack, ...more }
}

function restFrom(life: Life, { idleSeconds: seconds, cognition }: RestingBeing): RestingMoment {
  if (seconds !== life.idle?.seconds) life.idle = seconds === undefined ? null : { seconds, armed: true }
  return { rests: true, cognition: cognition ?? null }
}

/**
 * Ends a moment that was evaluated: the effect is performed, or the mind decides in an activity of its own.
 * Then it is stamped.
 */
async function goOn(
  { being, generation, n }: Life,
  { opened, stack, skip, left }: OpenMoment,
): Promise<StampedMoment | ElsewhereMoment> {
  const { moment } = opened
  const input = { being, generation, n, moment, stack, skip: skip ?? null }
  if ('effect' in left)
    return stampAfterEffect({ ...input, decision: left.decision ?? null, failed: null }, left)
  const { begun } = left
  const thinking =
    stack === null || opened.decided
      ? NOT_ASKED
      : await decide(n, { moment, stack, ...(begun === undefined ? {} : { begun }) })
  return 'elsewhere' in thinking ? thinking : stamp({ ...input, ...thinking })
}

/**
 * Stamps a moment. An act with an effect is stamped twice, before and after the effect, and passes both gates
 * each time.
 */
async function stamp(input: StampInput): Promise<StampedMoment | ElsewhereMoment> {
  const first = await stampOnce(input)
  return 'effect' in first ? stampAfterEffect(input, first) : first
}

async function stampAfterEffect(
  input: StampInput,
  pending: PendingEffect,
): Promise<StampedMoment | ElsewhereMoment> {
  const failed = await runEffect(input.moment, input.n, pending)
  const stamped = await stampOnce(failed === null ? input : { ...input, effect: failed })
  if (!('effect' in stamped)) return stamped
  // What ended was not the effect, such as a workflow of the host in the place of a task of ours. The moment
  // fails: a run that failed here would fail the same way in each replay, also once that is mended.
  const ended = await stampOnce({ ...input, effect: 'INTERNAL' })
  if ('effect' in ended)
    throw new Error(`moment ${input.moment} requests its effect again after the effect ended`)
  return ended
}

async function stampOnce(input: StampInput): Promise<StampedMoment | PendingEffect | ElsewhereMoment> {
  const { moment, stack, skip } = input
  const { value } = await stampBeats(input).stampMoment(input)
  if (!('recorded' in value)) return value
  const given = { stack, ...(skip === null ? {} : { skip }) }
  const difference = { moment, recorded: value.recorded, given }
  const { isAccepted: _, ...digests } = await reportDifference(difference) // the next run goes on after it
  return failByName(difference, digests)
}

const stampBeats = ({ n, stack }: StampInput) => localBeats(`stamp #${n} ${stackLabel(stack)}`)

/** @returns an error code when the effect failed in all its attempts; null when it has a result */
async function runEffect(moment: string, n: number, { effect }: PendingEffect): Promise<string | null> {
  const { isTask, checks, starts } = effect
  const failed = await codeOfFailure(() =>
    isTask === true ? dispatch({ moment, n, effect }) : performed(`effect #${n}`, effect, { moment }),
  )
  if (failed === null && starts === true) await startCall({ moment })
  if (failed === null || checks !== true) return failed
  return codeOfFailure(() => performed(`check #${n}`, effect, { moment, check: true }))
}

async function codeOfFailure(run: () => Promise<unknown> | undefined): Promise<string | null> {
  try {
    await run()
    return null
  } catch (error) {
    const failure = error instanceof ChildWorkflowFailure ? error.cause : error
    if (!(failure instanceof ActivityFailure)) throw error
    return failureCode(failure.cause)
  }
}

function idleAfter(
  before: IdleWait | null,
  { idle }: OpenedMoment,
  { kind }: StampedMoment,
): IdleWait | null {
  if (idle === undefined) return null
  const armed = idle.afresh || kind === 'act' || before?.seconds !== idle.seconds || before.armed
  return { seconds: idle.seconds, armed }
}

function assign(program: CompiledProgram, opened: OpenedMoment): FlowResult {
  const result = evaluateFlow(program.flow, {
    context: opened.context,
    cognition: opened.cognition,
    roles: program.roles,
    defaultRole: program.defaultRole,
    asked: opened.asked,
  })
  return checkWake(result, opened, program.roles)
}

interface ThinkResult {
  readonly decision: string | null
  readonly failed: string | null
}
const NOT_ASKED: ThinkResult = { decision: null, failed: null }

/**
 * Calls `think`. Catches its failure, so that the moment ends with an outcome: an uncaught failure would end
 * the being.
 */
async function decide(n: number, input: ThinkInput): Promise<ThinkResult | ElsewhereMoment> {
  try {
    const decision: DecisionRef | ElsewhereMoment = await thinkBeats(
      `think #${n} ${stackLabel(input.stack)}`,
    ).think(input)
    return 'elsewhere' in decision ? decision : { decision: decision.digest, failed: null }
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error
    return { decision: null, failed: failureCode(error.cause) }
  }
}

const MODEL_CODES = ['LLM_TIMEOUT', 'LLM_FAILED']

function failureCode(cause: Error | undefined): string {
  if (cause instanceof TimeoutFailure) return 'TIMEOUT'
  if (cause instanceof ApplicationFailure && MODEL_CODES.includes(cause.type ?? '')) return cause.type ?? ''
  return 'INTERNAL'
}

/** The server refuses a summary over 400 bytes, and with it the whole workflow task. */
const STACK_LABEL_CHARS_MAX = 200

/** Names the roles of a stack, for people who read the timeline. */
export function stackLabel(stack: PinnedStack | null): string {
  if (stack === null) return '(no role)'
  const roles = [stack.primary, ...stack.stacked].map((role) => role.name).join(' + ')
  return cut(roles)
}

const cut = (label: string): string =>
  label.length > STACK_LABEL_CHARS_MAX ? `${label.slice(0, STACK_LABEL_CHARS_MAX)}…` : label
