import { actWakeId, type BeingName, type Json, quote, stanceOf, TreeosError } from '@treeos/core'
import { authorizeActingAs, type Presence } from '@treeos/reality'
import { findEntry, findOutcomeOfWake, type StoredOutcome } from '@treeos/store'
import { findEnd, isOver, type WakeEnd } from './waiting.ts'

/** What became of a summon so far. */
export interface AnswerState {
  readonly state: 'working' | 'answered' | 'unanswered' | 'failed' | 'cut'
  /** whom it was said to; null while the sender's own moment has not said it */
  readonly being: BeingName | null
  /** what was said; null while the sender's own moment has not said it */
  readonly said: Json
  /** id of its thread */
  readonly thread: string
  readonly reply: { readonly from: string; readonly content: Json } | null
  /** why there is no answer, in words; null otherwise */
  readonly why: string | null
}

/** Wakes that are followed from one to the next: a being goes on by itself 16 times at most. */
const STEPS_MAX = 100

/**
 * What became of a summon that a being sent, without waiting for it.
 * @throws {TreeosError} CORRELATION_NOT_FOUND for what it did not send; what `authorizeActingAs` throws
 */
export async function answerTo(at: Presence, as: BeingName, correlation: string): Promise<AnswerState> {
  await authorizeActingAs(at, as)
  const summon = await findEntry(at.db, correlation)
  if (summon === null || summon.caller?.name !== as) return unsent(at, as, correlation)
  const { being, root: thread, content: said } = summon
  const told = { being, thread, said }
  let wake = correlation
  for (let step = 0; step < STEPS_MAX; step++) {
    const found = await findEnd(at.db, { asker: as, being, correlation }, wake)
    if (isOver(found)) return { ...told, ...endOf(found, being) }
    if (found.wake === wake) break
    wake = found.wake
  }
  return { ...told, state: 'working', reply: null, why: null }
}

/** A summon is an act of its sender first. */
async function unsent({ db }: Presence, as: BeingName, correlation: string): Promise<AnswerState> {
  const act = await findEntry(db, actWakeId(correlation))
  if (act?.being !== as)
    throw new TreeosError(
      'CORRELATION_NOT_FOUND',
      `${stanceOf(as)} said nothing with the id ${quote(correlation)}`,
    )
  const outcome = await findOutcomeOfWake(db, act.id)
  const told = { being: null, said: null, thread: correlation, reply: null }
  if (outcome?.kind === 'failure' || outcome?.kind === 'skipped')
    return { ...told, state: 'failed', why: whyOf(outcome) }
  return { ...told, state: 'working', why: null }
}

function endOf(
  { outcome, reply, why }: WakeEnd,
  being: BeingName,
): Pick<AnswerState, 'state' | 'reply' | 'why'> {
  if (reply !== null) {
    const from = stanceOf(reply.caller?.name ?? being)
    return { state: 'answered', reply: { from, content: reply.content }, why: null }
  }
  if (why !== null)
    return { state: why.code === 'RESOURCE_CONFLICT' ? 'cut' : 'unanswered', reply: null, why: why.message }
  if (outcome?.kind === 'failure' || outcome?.kind === 'skipped')
    return { state: 'failed', reply: null, why: whyOf(outcome) }
  return { state: 'unanswered', reply: null, why: `${stanceOf(being)} sent no answer` }
}

const whyOf = ({ detail, reason, kind }: StoredOutcome): string => detail ?? reason ?? kind
