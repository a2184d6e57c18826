import { type BeingName, DENIED_PREFIX, EXPIRED_PREFIX, stanceOf, TreeosError } from '@treeos/core'
import {
  type Db,
  findOutcome,
  findReply,
  findWakeState,
  type InboxEntry,
  isOpenWake,
  type StoredOutcome,
  type WakeState,
} from '@treeos/store'

/** The end of a wake: its last moment, and the reply that this moment or a person sent. */
export interface WakeEnd {
  /**
   * null when the thread was cut, or a person closed the wake without an answer, before any moment lived it
   */
  readonly outcome: StoredOutcome | null
  readonly reply: InboxEntry | null
  /** why no moment lived it; null when one did */
  readonly why: TreeosError | null
}

/** What was sent, and who waits for the end of it. */
export interface SentWake {
  readonly asker: BeingName
  readonly being: BeingName
  readonly correlation: string
  /** true: also for the yes that a person's own act waits for */
  readonly throughAsk?: boolean
}

/** Where to look on: at the end of this wake. */
export interface PendingEnd {
  readonly wake: string
}

/** What of the record says whether a wake is over. */
export interface EndReader {
  wakeState(wake: string): Promise<WakeState | null>
  /** the answer to a summon in the inbox of who asked */
  reply(asker: BeingName, correlation: string): Promise<InboxEntry | null>
  outcome(moment: string): Promise<StoredOutcome | null>
  /** whether something is still to come of a wake */
  isThreadOpen(wake: string): Promise<boolean>
}

/** The record in Postgres. */
export const endReader = (db: Db): EndReader => ({
  wakeState: (wake) => findWakeState(db, wake),
  reply: (asker, correlation) => findReply(db, asker, correlation),
  outcome: (moment) => findOutcome(db, moment),
  isThreadOpen: (wake) => isOpenWake(db, wake),
})

/**
 * Whether a wake is over. It is not while its being goes on after a look or an act, or waits for a yes or for
 * what it asked others, until it has answered. A person's own act that waits for a yes is over, unless the
 * person waits for that too.
 * @param asker whose inbox the reply comes to
 * @param correlation id of the wake that was sent
 * @param wake the wake that was sent, or the wake that an earlier call returned
 */
export async function findEnd(
  reader: EndReader,
  { asker, being, correlation, throughAsk = false }: SentWake,
  wake: string,
): Promise<WakeEnd | PendingEnd> {
  const state = await reader.wakeState(wake)
  if (state === null) return { wake }
  if (state.being !== being) return findEndOfAsking(reader, { asker, correlation }, wake, state)
  const refused = asker === being && state.goesOn !== null ? whyNotDone(state.goesOn, state.outcome) : null
  if (refused !== null) return { outcome: null, reply: null, why: refused }
  if (state.goesOn !== null) return { wake: state.goesOn }
  const { outcome, closedBy, cutBy } = state
  if (outcome?.kind === 'waiting' && (asker !== being || throughAsk)) return { wake }
  if (outcome !== null) {
    // Asked first: what is over has its reply by then.
    const isOpen = asker !== being && (await reader.isThreadOpen(correlation))
    const reply = await reader.reply(asker, correlation)
    // A person's own act that was allowed has said what it says: its moment did not ask others.
    const isAsking = !throughAsk && reply === null && outcome.kind === 'act' && state.asked !== null
    if (isAsking) return { wake: state.asked ?? wake }
    // Others were asked, too, or it goes on with what they answer.
    return reply === null && isOpen ? { wake } : { outcome, reply, why: null }
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
  const reply = await reader.reply(asker, correlation)
  const answered = await reader.outcome(closedBy)
  if (reply !== null && answered !== null) return { outcome: answered, reply, why: null }
  const why = `${stanceOf(being)} closed the summon without an answer`
  return { outcome: null, reply: null, why: new TreeosError('NO_ANSWER', why, { closedBy }) }
}

/**
 * The being asked another one, as a panel asks its members: it goes on with the answer to that, or with a
 * notice that there is none.
 * @param wake by which it asked; the moment that did has the same id
 */
async function findEndOfAsking(
  reader: EndReader,
  { asker, correlation }: { asker: BeingName; correlation: string },
  wake: string,
  { answered }: Pick<WakeState, 'answered'>,
): Promise<WakeEnd | PendingEnd> {
  const isOpen = await reader.isThreadOpen(correlation) // asked first, as above
  const reply = await reader.reply(asker, correlation)
  const outcome = await reader.outcome(reply?.id ?? wake)
  if (reply !== null && outcome !== null) return { outcome, reply, why: null }
  if (answered !== null) return { wake: answered }
  if (outcome === null || isOpen) return { wake }
  return { outcome, reply: null, why: null }
}

/**
 * Why the own call of a person is not done, which is told to the person and wakes nobody. Null where it goes
 * on.
 */
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
