import {
  ActivityFailure,
  ApplicationFailure,
  ChildWorkflowFailure,
  TimeoutFailure,
} from '@temporalio/workflow'
import { asJson, type Cognition, isSameJson, momentId, type PinnedStack } from '@treeos/core/workflow'
import type {
  BegunThought,
  DecisionRef,
  EndedMoment,
  Ending,
  FinishInput,
  NextMoments,
  OpenedMoment,
  OpenInput,
  PendingEffect,
  StampedMoment,
  StampInput,
  ThinkInput,
} from '@treeos/protocol/workflow'
import { checkWake, evaluateFlow, type FlowResult, pinStack } from '@treeos/roles/workflow'
import { checkBeats, effectBeats, localBeats, thinkBeats } from './beats.ts'
import { type CompiledProgram, type Found, type Life, programFor } from './life.ts'
import type { Idle } from './run.ts'
import { dispatch } from './task.workflow.ts'

/** Nothing wakes the being. */
export interface Rest {
  readonly rests: true
  /** who decides for it now, after somebody inhabited it; null when nobody ever did */
  readonly cognition: Cognition | null
}

/** A finished moment, without the content that history must not hold. */
export interface FinishedMoment {
  readonly opened: OpenedMoment
  readonly stack: PinnedStack | null
  readonly stamped: StampedMoment
  /** it ended in the activity of the moment before it */
  readonly isLived: boolean
}

interface MomentOptions {
  /** the worker may hold the open record until the moment ends; by default it may */
  readonly mayHold?: boolean
  /** how many moments may follow this one in its workflow task; none by default */
  readonly room?: number
}

/**
 * Runs one moment, from wake to facts; docs/the-way-of-a-summon.md names the file of each step. The workflow makes the moment's id, so a rerun activity finds what its first run
 * stored.
 * @returns how it rests when nothing wakes the being; `over` when nothing ever will, since it was ended
 */
export async function runMoment(
  life: Life,
  { mayHold = true, room = 0 }: MomentOptions = {},
): Promise<FinishedMoment | Rest | 'over'> {
  const { being, generation, n } = life
  const moment = momentId(being, generation, n)

  const found = life.ahead.shift() ?? (await open(life, mayHold))
  life.asking.answered(found)
  if (found.idleSeconds !== undefined && life.idle !== null) life.idle = { ...life.idle, armed: false }
  const opened = found.value
  if ('over' in opened) return 'over'
  if ('resting' in opened) {
    const { idleSeconds: seconds, cognition } = opened
    if (seconds !== life.idle?.seconds) life.idle = seconds === undefined ? null : { seconds, armed: true }
    return { rests: true, cognition: cognition ?? null }
  }
  life.program = programFor(life.program, opened)

  const result = assign(life.program, opened) // pure: the same result on every replay
  const stack = result.skip === undefined ? pinStack(life.program, result) : null
  const ending = { being, generation, n, moment, stack, skip: result.skip ?? null }
  const asks = stack !== null && !opened.decided
  const stamped = await end(life, { ...found, value: opened }, { ...ending, asks, open: opened.open }, room)
  if (stamped === null) return runMoment(life, { mayHold: false })
  life.n += 1
  life.idle = idleAfter(life.idle, opened, stamped)
  return { opened, stack, stamped, isLived: found.lived !== undefined && 'waiting' in found.lived.ended }
}

/** @returns null when the open record was lost with its worker */
function end(
  life: Life,
  { value: { state }, lived }: Found & { readonly value: OpenedMoment },
  input: FinishInput,
  room: number,
): Promise<StampedMoment | null> {
  if (lived !== undefined) return goOnFrom(verifiedEnding(lived, input), input)
  if (state === 'held') return finish(life, input, room)
  const { open: _, ...rest } = input
  return thinkAndStamp({ ...rest, ...(state === 'again' ? { begun: {} } : {}) })
}

const open = (life: Life, mayHold: boolean): Promise<Found> =>
  localBeats(`open #${life.n}`).openMoment(openInput(life, life.n, mayHold), life.asking.told())

function openInput({ being, generation, program }: Life, n: number, mayHold: boolean): OpenInput {
  const moment = momentId(being, generation, n)
  return { being, generation, n, moment, program: program?.digest ?? null, mayHold }
}

/**
 * The short way: the mind decides and the moment is stamped within this workflow task. A mind that takes longer goes the long way.
 * @param room how many moments the worker may open and live after it, in the same activity
 * @returns null when the open record was lost with its worker, so the moment must be opened again
 */
async function finish(life: Life, input: FinishInput, room: number): Promise<StampedMoment | null> {
  const beats = localBeats(`finish #${input.n} ${stackLabel(input.stack)}`)
  const next = room > 0 ? { next: openInput(life, input.n + 1, true) } : {}
  const told = { ...life.asking.told(), room }
  const { value: ended, next: following } = await beats.finishMoment({ ...input, ...next }, told)
  if (following !== undefined) life.ahead.push(...foundIn(following))
  return goOnFrom(ended, input)
}

function foundIn({ lived = [], value, ...told }: NextMoments): Found[] {
  const all: Found[] = lived.map((moment) => ({ ...told, value: moment.opened, lived: moment }))
  if (value !== undefined) all.push({ ...told, value })
  return all
}

/**
 * How a moment ended that was lived in the activity of another one.
 * @throws {Error} when the flow gives another stack here, which fails the workflow task: what is done must be what this workflow attests
 */
function verifiedEnding(lived: EndedMoment, { moment, stack, skip }: FinishInput): Ending {
  if (!isSameJson(asJson([lived.stack, lived.skip ?? null]), [stack, skip]))
    throw new Error(
      `the worker lived ${moment} as ${stackLabel(lived.stack)}, and its flow gives ${stackLabel(stack)}`,
    )
  return lived.ended
}

/** @returns null when the open record was lost with its worker */
async function goOnFrom(
  ended: Ending,
  { open: _, asks, ...input }: FinishInput,
): Promise<StampedMoment | null> {
  if ('unfinished' in ended) {
    const { unfinished, lost } = ended
    if (unfinished === 'lost') return null
    return thinkAndStamp({ ...input, asks, begun: lost === undefined ? {} : { lost } })
  }
  if (!('effect' in ended)) return ended
  return stampAfterEffect({ ...input, decision: ended.decision ?? null, failed: null }, ended)
}

/** The long way: the mind decides in an activity of its own, then the moment is stamped. */
async function thinkAndStamp({
  asks,
  begun,
  ...input
}: Omit<FinishInput, 'open'> & { readonly begun?: BegunThought }): Promise<StampedMoment> {
  const { n, moment, stack } = input
  const thinking =
    stack === null || !asks
      ? NOT_ASKED
      : await decide(n, { moment, stack, ...(begun === undefined ? {} : { begun }) })
  return stamp({ ...input, ...thinking })
}

/** Stamps a moment. An act with an effect is stamped twice, before and after the effect, and passes both gates each time. */
async function stamp(input: StampInput): Promise<StampedMoment> {
  const { value: first } = await stampBeats(input).stampMoment(input)
  return 'effect' in first ? stampAfterEffect(input, first) : first
}

async function stampAfterEffect(input: StampInput, pending: PendingEffect): Promise<StampedMoment> {
  const failed = await runEffect(input.moment, input.n, pending)
  const { value: stamped } = await stampBeats(input).stampMoment(
    failed === null ? input : { ...input, effect: failed },
  )
  if ('effect' in stamped)
    throw new Error(`moment ${input.moment} requests its effect again after the effect ended`)
  return stamped
}

const stampBeats = ({ n, stack }: StampInput) => localBeats(`stamp #${n} ${stackLabel(stack)}`)

/** @returns an error code when the effect failed in all its attempts; null when it has a result */
async function runEffect(moment: string, n: number, { effect }: PendingEffect): Promise<string | null> {
  const { operation, isTask, checks } = effect
  const failed = await codeOfFailure(() =>
    isTask === true
      ? dispatch({ moment, n, effect })
      : effectBeats(`effect #${n}`, effect)[operation]?.({ moment }),
  )
  if (failed === null || checks !== true) return failed
  return codeOfFailure(() => checkBeats(`check #${n}`, effect)[operation]?.({ moment, check: true }))
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

function idleAfter(before: Idle | null, { idle }: OpenedMoment, { kind }: StampedMoment): Idle | null {
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

/** Calls `think`. Catches its failure, so that the moment ends with an outcome: an uncaught failure would end the being. */
async function decide(n: number, input: ThinkInput): Promise<ThinkResult> {
  try {
    const decision: DecisionRef = await thinkBeats(`think #${n} ${stackLabel(input.stack)}`).think(input)
    return { decision: decision.digest, failed: null }
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
  return roles.length > STACK_LABEL_CHARS_MAX ? `${roles.slice(0, STACK_LABEL_CHARS_MAX)}…` : roles
}
