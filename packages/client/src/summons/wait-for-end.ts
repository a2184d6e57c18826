import {
  actWakeId,
  type BeingName,
  type ErrorCode,
  isErrorCode,
  isJsonObject,
  mendedBy,
  type OutcomeKind,
  quote,
  type Remedy,
  stanceOf,
  TreeosError,
  type VerbCall,
  withRefusal,
} from '@treeos/core'
import { type Db, findWakeState, isTransient, type StoredOutcome } from '@treeos/store'
import { whyParked } from '@treeos/world'
import { withSuggestion } from '../addresses/suggestion.ts'
import { beings } from '../beings/beings.ts'
import type { Connection } from './connection.ts'
import { endReader, findEnd, type SentWake, type WakeEnd } from './ends.ts'
import { explained } from './explained-refusal.ts'

const POLL_MS_MIN = 15
const POLL_MS_MAX = 250

/** How a moment ends that did what it was woken for, or waits for a yes to it. */
const ENDED_WELL: readonly OutcomeKind[] = ['act', 'see', 'waiting']

/** The end of a wake that a moment lived. */
interface LivedEnd extends WakeEnd {
  readonly outcome: StoredOutcome
}

/** Seconds to wait for a person's own act. No model call delays it. */
export const OWN_SECONDS = 30

/**
 * Waits for the end of an act that was submitted as the being. A refusal then also says what the being may do
 * instead.
 * @param throughAsk true: also for the yes that the act waits for
 * @throws {TreeosError} as `waitForEnd`
 */
export async function waitForOwnMoment(
  at: Connection,
  {
    as,
    call,
    correlation,
  }: { readonly as: BeingName; readonly call: VerbCall; readonly correlation: string },
  seconds: number,
  throughAsk = false,
): Promise<LivedEnd> {
  const sent = { asker: as, being: as, correlation: actWakeId(correlation), throughAsk }
  try {
    return await waitForEnd(at, sent, seconds)
  } catch (error) {
    throw await withSuggestion(at, as, await explained(at.db, { as, call }, error))
  }
}

/**
 * Waits until a wake is over.
 * @throws {TreeosError} the code of a failed or skipped moment; RESOURCE_CONFLICT when its thread was cut;
 *   NO_ANSWER when a person closed it without an answer; TIMEOUT; CANCELLED after the signal
 */
export async function waitForEnd(
  { db }: { readonly db: Db },
  sent: SentWake,
  seconds: number,
  signal?: AbortSignal,
): Promise<LivedEnd> {
  const until = Date.now() + seconds * 1000
  const reader = endReader(db)
  let wake = sent.correlation
  for (let wait = POLL_MS_MIN; ; wait = Math.min(wait * 1.5, POLL_MS_MAX)) {
    // The act is put in already: an outage of Postgres must not read as if it were not.
    const found = (await findEnd(reader, sent, wake).catch(unlessTransient)) ?? { wake }
    if (signal?.aborted === true)
      throw new TreeosError('CANCELLED', 'nobody waits for the answer any more: it comes to the inbox')
    if ('outcome' in found) {
      const { outcome } = found
      if (outcome === null) throw found.why ?? new Error(`the wake ${wake} is over without an outcome`)
      if (!ENDED_WELL.includes(outcome.kind)) throw notLived(outcome, sent.asker)
      return { ...found, outcome }
    }
    if (found.wake !== wake) {
      wake = found.wake
      continue
    }
    if (Date.now() > until)
      throw (await whyWaiting(db, wake, seconds)) ?? timeout(sent.being, seconds, await whyLate(db, sent))
    await new Promise((resolve) => setTimeout(resolve, wait))
  }
}

function unlessTransient(error: unknown): null {
  if (isTransient(error)) return null
  throw error
}

/** For what a summon waits, and what ends that. */
interface LateReason {
  readonly what: string
  readonly remedy?: Remedy
}

function timeout(being: BeingName, seconds: number, why: LateReason | null): TreeosError {
  const stance = stanceOf(being)
  const late = `${stance} has not lived the moment within ${seconds.toFixed(0)} s`
  return why === null
    ? new TreeosError('TIMEOUT', `${late}; it goes on`, mendedBy({ name: 'look-at-moments', of: stance }))
    : new TreeosError(
        'TIMEOUT',
        `${late}: ${why.what}. The summon stays in its inbox`,
        why.remedy && mendedBy(why.remedy),
      )
}

/** The error for a wake whose moment waits for a yes; null for any other. */
async function whyWaiting(db: Db, wake: string, seconds: number): Promise<TreeosError | null> {
  const outcome = (await findWakeState(db, wake).catch(unlessTransient))?.outcome
  if (outcome?.kind !== 'waiting') return null
  const late = `${stanceOf(outcome.being)} is not done within ${seconds.toFixed(0)} s: ${outcome.detail}`
  const { result: waiting } = outcome
  const id = isJsonObject(waiting) ? waiting.approval : undefined
  return new TreeosError(
    'TIMEOUT',
    late,
    typeof id === 'string' ? mendedBy({ name: 'decide-call', id }, { waiting }) : { waiting },
  )
}

/**
 * For what a summon waits; null when the being's row tells of nothing, while Postgres is away, and for a
 * person's own act.
 */
async function whyLate(
  db: Db,
  { asker, being }: { readonly asker: BeingName; readonly being: BeingName },
): Promise<LateReason | null> {
  if (asker === being) return null
  const view = (await beings(db).catch(unlessTransient))?.find((one) => one.being === being)
  if (view === undefined) return null
  const { stance, inhabitedBy, parked, paused, cognition } = view
  if (inhabitedBy !== undefined)
    return {
      what: `${inhabitedBy} decides for it now, and answers in its inbox, or its own mind does after the release`,
      remedy: { name: 'answer-as', of: stance },
    }
  if (paused !== undefined)
    return { what: 'it is paused until somebody resumes it', remedy: { name: 'resume', of: stance } }
  if (parked !== undefined) return { what: `it is parked, since ${whyParked(being, parked)}` }
  return cognition === 'human' ? { what: 'it is a person, who has not answered yet' } : null
}

/** @param asker who waits: what another being did wrong must not read as a fault of this one's command */
function notLived(outcome: StoredOutcome, asker: BeingName): TreeosError {
  const who = stanceOf(outcome.being)
  const why =
    outcome.detail === null
      ? `the moment of ${who} was ${outcome.kind}: ${outcome.reason}`
      : outcome.kind === 'failure' && outcome.being !== asker
        ? `${who} gave no answer, its moment failed: ${outcome.detail}`
        : outcome.detail
  const { moment, kind, reason, refusal } = outcome
  const told = { moment, outcome: kind, reason }
  const isOwn = outcome.being === asker && refusal !== null
  return new TreeosError(outcomeErrorCode(outcome), why, isOwn ? withRefusal(told, refusal) : told)
}

function outcomeErrorCode({ kind, reason }: StoredOutcome): ErrorCode {
  if (kind === 'skipped' && reason === 'being-ended') return 'BEING_ENDED'
  if (kind === 'skipped') return reason === 'thread-cut' ? 'RESOURCE_CONFLICT' : 'ROLE_UNAVAILABLE'
  return isErrorCode(reason ?? '') ? (reason as ErrorCode) : 'INTERNAL'
}

/** The error for a summon whose last moment ended well and sent no reply. */
export function noAnswer(
  { moment, being, kind, reason, detail }: StoredOutcome,
  said: string | null,
): TreeosError {
  const who = stanceOf(being)
  const why =
    kind === 'act' && reason === null
      ? `${who} acted and sent no answer; what it says later comes to the inbox`
      : reason !== null
        ? `${who} sent no answer: ${detail ?? reason}`
        : said !== null
          ? `${who} sent no answer: it wrote text without calling the summon tool, which reaches nobody in its role: ${quote(said)}`
          : `${who} sent no answer: it decided to do nothing`
  const detailOf = { moment, outcome: kind, reason, ...(said === null ? {} : { content: said }) }
  return new TreeosError('NO_ANSWER', why, detailOf)
}
