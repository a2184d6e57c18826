import {
  APPROVED_PREFIX,
  ASKED_PREFIX,
  actWakeId,
  type BeingName,
  isJsonObject,
  type Json,
  quote,
  stanceOf,
  TreeosError,
} from '@treeos/core'
import { authorizeActingAs, type Presence } from '@treeos/reality'
import { type Db, findEntry, findWakeState, listOpenSummons, type StoredOutcome } from '@treeos/store'
import { endReader, findEnd, type PendingEnd, type SentWake, type WakeEnd } from './ends.ts'

/** What became of a summon so far. */
export interface AnswerState {
  readonly state: 'working' | 'asking' | 'answered' | 'unanswered' | 'failed' | 'cut'
  /** whom it was said to; null while the sender's own moment has not said it */
  readonly being: BeingName | null
  /** what was said; null while the sender's own moment has not said it */
  readonly said: Json
  /** id of its thread */
  readonly thread: string
  readonly reply: { readonly id: string; readonly from: string; readonly content: Json } | null
  /** why there is no answer, or for what it waits, in words; null otherwise */
  readonly why: string | null
  /**
   * the call that waits for the sender's own yes, as `approve` and `deny` name it; null in any other state
   */
  readonly asks: { readonly id: string; readonly call: Json } | null
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
  const told = { being, thread, said, asks: null }
  const found = await follow(at.db, { asker: as, being, correlation })
  if ('outcome' in found) return { ...told, ...answerEnd(found, being) }
  return { ...told, state: 'working', reply: null, why: null, ...(await askedOf(at.db, as, found.wake)) }
}

/** The end of a wake, or the wake that is waited for now. */
async function follow(db: Db, sent: SentWake): Promise<WakeEnd | PendingEnd> {
  const reader = endReader(db)
  let wake = sent.correlation
  for (let step = 0; step < STEPS_MAX; step++) {
    const found = await findEnd(reader, sent, wake)
    if ('outcome' in found || found.wake === wake) return found
    wake = found.wake
  }
  return { wake }
}

/** For what a wake waits whose moment asked for a yes; nothing for any other. */
async function askedOf(
  db: Db,
  as: BeingName,
  wake: string,
): Promise<Partial<Pick<AnswerState, 'state' | 'why' | 'asks'>>> {
  const outcome = (await findWakeState(db, wake))?.outcome
  if (outcome?.kind !== 'waiting' || !isJsonObject(outcome.result)) return {}
  const { approval } = outcome.result
  // The newest revision: a person may have changed the call.
  const asked = (await listOpenSummons(db, as, { prefix: `${ASKED_PREFIX}${String(approval)}/${as}` })).at(-1)
  const content = asked?.content ?? null
  if (!isJsonObject(content) || typeof content.id !== 'string') return { why: outcome.detail }
  return { state: 'asking', why: outcome.detail, asks: { id: content.id, call: content.call ?? null } }
}

/**
 * A summon is an act of its sender first, which may wait for a yes itself. The moment that carries it out
 * then says it by an id of its own.
 */
async function unsent(at: Presence, as: BeingName, correlation: string): Promise<AnswerState> {
  const act = await findEntry(at.db, actWakeId(correlation))
  if (act?.being !== as)
    throw new TreeosError(
      'CORRELATION_NOT_FOUND',
      `${stanceOf(as)} said nothing with the id ${quote(correlation)}`,
    )
  const told = { being: null, said: null, thread: correlation, reply: null, asks: null }
  const found = await follow(at.db, { asker: as, being: as, correlation: act.id, throughAsk: true })
  if (!('outcome' in found))
    return { ...told, state: 'working', why: null, ...(await askedOf(at.db, as, found.wake)) }
  const { outcome, why } = found
  if (why !== null) return { ...told, state: 'failed', why: why.message }
  if (outcome?.kind === 'failure' || outcome?.kind === 'skipped')
    return { ...told, state: 'failed', why: whyOf(outcome) }
  if (outcome?.wake?.startsWith(APPROVED_PREFIX)) return answerTo(at, as, outcome.moment)
  return { ...told, state: 'working', why: null }
}

function answerEnd(
  { outcome, reply, why }: WakeEnd,
  being: BeingName,
): Pick<AnswerState, 'state' | 'reply' | 'why'> {
  if (reply !== null) {
    const from = stanceOf(reply.caller?.name ?? being)
    return { state: 'answered', reply: { id: reply.id, from, content: reply.content }, why: null }
  }
  if (why !== null)
    return { state: why.code === 'RESOURCE_CONFLICT' ? 'cut' : 'unanswered', reply: null, why: why.message }
  if (outcome?.kind === 'failure' || outcome?.kind === 'skipped')
    return { state: 'failed', reply: null, why: whyOf(outcome) }
  return { state: 'unanswered', reply: null, why: `${stanceOf(being)} sent no answer` }
}

const whyOf = ({ detail, reason, kind }: StoredOutcome): string => detail ?? reason ?? kind
