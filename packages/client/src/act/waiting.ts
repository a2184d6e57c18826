import {
  type BeingName,
  DENIED_PREFIX,
  type ErrorCode,
  EXPIRED_PREFIX,
  isErrorCode,
  quote,
  stanceOf,
  TreeosError,
  withRefusal,
} from '@treeos/core'
import {
  type Db,
  findOutcome,
  findReply,
  findWakeState,
  type InboxEntry,
  isThreadOpen,
  isTransient,
  type StoredOutcome,
  type WakeState,
} from '@treeos/store'
import { whyParked } from '@treeos/world'
import { beings } from '../read/beings.ts'

const POLL_MS_MIN = 15
const POLL_MS_MAX = 250

/** The end of a wake: its last moment, and the reply that this moment or a person sent. */
export interface WakeEnd {
  /** null when the thread was cut, or a person closed the wake without an answer, before any moment lived it */
  readonly outcome: StoredOutcome | null
  readonly reply: InboxEntry | null
  /** why no moment lived it; null when one did */
  readonly why: TreeosError | null
}

/** What was sent, and who waits for the end of it. */
interface Sent {
  readonly asker: BeingName
  readonly being: BeingName
  readonly correlation: string
  /** true: also for the yes that a person's own act waits for */
  readonly throughAsk?: boolean
}

/** Where to look on: at the end of this wake. */
interface Pending {
  readonly wake: string
}

/**
 * Whether a wake is over. It is not while its being goes on after a look or an act, or waits for a yes or for what it asked others, until
 * it has answered. A person's own act that waits for a yes is over, unless the person waits for that too.
 * @param asker whose inbox the reply comes to
 * @param correlation id of the wake that was sent
 * @param wake the wake that was sent, or the wake that an earlier call returned
 */
export async function findEnd(
  db: Db,
  { asker, being, correlation, throughAsk = false }: Sent,
  wake: string,
): Promise<WakeEnd | Pending> {
  const state = await findWakeState(db, wake)
  if (state === null) return { wake }
  if (state.being !== being) return findEndOfAsking(db, { asker, being, correlation }, wake, state)
  const refused = asker === being && state.goesOn !== null ? whyNotDone(state.goesOn, state.outcome) : null
  if (refused !== null) return { outcome: null, reply: null, why: refused }
  if (state.goesOn !== null) return { wake: state.goesOn }
  const { outcome, closedBy, cutBy } = state
  if (outcome?.kind === 'waiting' && (asker !== being || throughAsk)) return { wake }
  if (outcome !== null) {
    const reply = await findReply(db, asker, correlation)
    // A person's own act that was allowed has said what it says: that is no question of its moment to others.
    const isAsking = !throughAsk && reply === null && outcome.kind === 'act' && state.asked !== null
    return isAsking ? { wake: state.asked ?? wake } : { outcome, reply, why: null }
  }
  if (cutBy !== null) {
    const why = `the thread of this summon was cut by ${stanceOf(cutBy)}: nothing more comes of it`
    return {
      outcome: null,
      reply: null,
      why: new TreeosError('RESOURCE_CONFLICT', why, { reason: 'thread-cut' }),
    }
  }
  if (closedBy === null) return { wake }
  if (closedBy === 'withdrawn') {
    const why =
      'the act was taken back while a service was unavailable, and will not be done: try again in a few seconds'
    return {
      outcome: null,
      reply: null,
      why: new TreeosError('SERVICE_UNAVAILABLE', why, { withdrawn: true }),
    }
  }
  // A person answered with an act, whose moment has a wake of its own.
  const reply = await findReply(db, asker, correlation)
  const answered = await findOutcome(db, closedBy)
  if (reply !== null && answered !== null) return { outcome: answered, reply, why: null }
  const why = `${stanceOf(being)} closed the summon without an answer`
  return { outcome: null, reply: null, why: new TreeosError('NO_ANSWER', why, { closedBy }) }
}

/**
 * The being asked another one, as a panel asks its members: it goes on with the answer to that, or with a notice that there is none.
 * @param wake by which it asked; the moment that did has the same id
 */
async function findEndOfAsking(
  db: Db,
  { asker, being, correlation }: { asker: BeingName; being: BeingName; correlation: string },
  wake: string,
  { answered }: Pick<WakeState, 'answered'>,
): Promise<WakeEnd | Pending> {
  const reply = await findReply(db, asker, correlation)
  const outcome = await findOutcome(db, reply?.id ?? wake)
  if (reply !== null && outcome !== null) return { outcome, reply, why: null }
  if (answered !== null) return { wake: answered }
  if (outcome === null || (await isThreadOpen(db, wake, { being, asker }))) return { wake }
  return { outcome, reply: null, why: null }
}

/** Why the own call of a person is not done, which is told to the person and wakes nobody. Null where it goes on. */
function whyNotDone(wake: string, outcome: StoredOutcome | null): TreeosError | null {
  const how = wake.startsWith(DENIED_PREFIX)
    ? 'denied'
    : wake.startsWith(EXPIRED_PREFIX)
      ? 'answered by nobody in time'
      : null
  if (how === null) return null
  return new TreeosError('FORBIDDEN', `the call was ${how}`, {
    reason: wake,
    moment: outcome?.moment ?? null,
  })
}

export const isOver = (found: WakeEnd | Pending): found is WakeEnd => 'outcome' in found

/**
 * Waits until a wake is over.
 * @throws {TreeosError} the code of a failed or skipped moment; RESOURCE_CONFLICT when its thread was cut; NO_ANSWER when a
 *   person closed it without an answer; TIMEOUT; CANCELLED after the signal
 */
export async function waitForEnd(
  { db }: { readonly db: Db },
  sent: Sent,
  seconds: number,
  signal?: AbortSignal,
): Promise<WakeEnd & { readonly outcome: StoredOutcome }> {
  const until = Date.now() + seconds * 1000
  let wake = sent.correlation
  for (let wait = POLL_MS_MIN; ; wait = Math.min(wait * 1.5, POLL_MS_MAX)) {
    // The act is put in already: an outage of Postgres must not read as if it were not.
    const found = (await findEnd(db, sent, wake).catch(unlessTransient)) ?? { wake }
    if (signal?.aborted === true)
      throw new TreeosError('CANCELLED', 'nobody waits for the answer any more: it comes to the inbox')
    if (isOver(found)) {
      if (found.outcome === null) throw found.why ?? new Error(`the wake ${wake} is over without an outcome`)
      return { ...found, outcome: requireSuccess(found.outcome, sent.asker) }
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

function timeout(being: BeingName, seconds: number, why: string | null): TreeosError {
  const stance = stanceOf(being)
  const late = `${stance} has not lived the moment within ${seconds.toFixed(0)} s`
  return why === null
    ? new TreeosError('TIMEOUT', `${late}; it goes on, and \`treeos moments ${stance}\` will show it`)
    : new TreeosError('TIMEOUT', `${late}: ${why}. The summon stays in its inbox`)
}

/** The error for a wake whose moment waits for a yes; null for any other. */
async function whyWaiting(db: Db, wake: string, seconds: number): Promise<TreeosError | null> {
  const outcome = (await findWakeState(db, wake).catch(unlessTransient))?.outcome
  if (outcome?.kind !== 'waiting') return null
  const late = `${stanceOf(outcome.being)} is not done within ${seconds.toFixed(0)} s: ${outcome.detail}`
  return new TreeosError('TIMEOUT', late, { waiting: outcome.result })
}

/** For what a summon waits; null when the being's row tells of nothing, while Postgres is away, and for a person's own act. */
async function whyLate(
  db: Db,
  { asker, being }: { readonly asker: BeingName; readonly being: BeingName },
): Promise<string | null> {
  if (asker === being) return null
  const view = (await beings(db).catch(unlessTransient))?.find((one) => one.being === being)
  if (view === undefined) return null
  const { stance, inhabitedBy, parked, paused, cognition } = view
  if (inhabitedBy !== undefined)
    return `${inhabitedBy} decides for it now, and answers by \`treeos inbox --as ${stance}\`, or its own mind does after the release`
  if (paused !== undefined) return `it is paused until \`treeos resume ${stance}\``
  if (parked !== undefined) return `it is parked, since ${whyParked(being, parked)}`
  return cognition === 'human' ? 'it is a person, who has not answered yet' : null
}

/** @param asker who waits: what another being did wrong must not read as a fault of this one's command */
function requireSuccess(outcome: StoredOutcome, asker: BeingName): StoredOutcome {
  if (outcome.kind === 'act' || outcome.kind === 'see' || outcome.kind === 'waiting') return outcome
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
  throw new TreeosError(codeOf(outcome), why, isOwn ? withRefusal(told, refusal) : told)
}

function codeOf({ kind, reason }: StoredOutcome): ErrorCode {
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
    kind === 'act'
      ? `${who} acted and sent no answer; what it says later comes to the inbox`
      : reason !== null
        ? `${who} sent no answer: ${detail ?? reason}`
        : said !== null
          ? `${who} sent no answer: it wrote text without calling the summon tool, which reaches nobody in its role: ${quote(said)}`
          : `${who} sent no answer: it decided to do nothing`
  const detailOf = { moment, outcome: kind, reason, ...(said === null ? {} : { content: said }) }
  return new TreeosError('NO_ANSWER', why, detailOf)
}
