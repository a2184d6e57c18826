import { type BeingName, type JsonObject, newWake, PRIORITIES, readPath, stanceOf } from '@treeos/core'
import type { BeingEnded, RestingBeing } from '@treeos/protocol'
import { readerOf } from '@treeos/reality'
import { enqueue, type InboxEntry, recordRefusalOf } from '@treeos/store'
import { effectiveCognition } from '@treeos/world'
import type { BeatDeps } from '../deps.ts'

const DAY_SECONDS = 86_400
const IDLE_SECONDS_MAX = 365 * DAY_SECONDS

/**
 * Seconds of silence after which a being wakes by itself: its quality `wake.idle`, a whole number from 1 to
 * 365 days.
 * @returns null when the quality is missing or invalid, and the being never wakes by itself
 */
export function idleSecondsOf(qualities: JsonObject): number | null {
  const seconds = readPath(qualities, ['wake', 'idle'])
  return Number.isInteger(seconds) && Number(seconds) >= 1 && Number(seconds) <= IDLE_SECONDS_MAX
    ? Number(seconds)
    : null
}

/**
 * Idle setting and cognition of a being without a waiting wake. A person never wakes by itself.
 */
export async function restingOf(deps: BeatDeps, being: BeingName): Promise<RestingBeing | BeingEnded> {
  const me = await readerOf(deps).being(being)
  if (me === null) return { resting: true }
  if (me.ended !== undefined) return { over: true }
  const cognition = effectiveCognition(me)
  const isCounted = cognition !== 'human' && me.paused === undefined // the silence of a pause does not count
  const idleSeconds = isCounted ? idleSecondsOf(me.qualities) : null
  return {
    resting: true,
    ...(idleSeconds === null ? {} : { idleSeconds }),
    ...(me.inhabited === undefined ? {} : { cognition }),
  }
}

/** True for idle and self-continue wakes, and for looks. They do not end a silence; every other wake does. */
export const isOwnWake = ({ kind, id }: Pick<InboxEntry, 'kind' | 'id'>): boolean =>
  kind === 'event' && /^(idle|continue|look)\//.test(id)

interface IdleBeing {
  readonly being: BeingName
  readonly generation: number
  /** number of the next moment */
  readonly n: number
  readonly seconds: number
}

/**
 * A wake of the being by itself says what its row says. So the record refuses it where the row has changed
 * since it was read, and the being wakes by what it has now.
 */
export const unlessRefused =
  ({ observe }: Pick<BeatDeps, 'observe'>) =>
  (error: unknown): false => {
    if (recordRefusalOf(error)?.prospect !== 'refused') throw error
    observe.error('a wake of its own', error)
    return false
  }

/**
 * Puts an idle wake into the inbox, unless the being has another idle time by now. A rerun adds no second
 * one.
 */
export async function wakeIdle(
  deps: BeatDeps,
  { being, generation, n, seconds }: IdleBeing,
): Promise<{ accepted: boolean }> {
  const now = await restingOf(deps, being)
  if (!('resting' in now) || now.idleSeconds !== seconds) return { accepted: false }
  const id = `idle/${being}/${generation}/${n}`
  const content = { event: 'idle', actor: stanceOf(being), seconds }
  const wake = newWake({ id, being, kind: 'event', priority: PRIORITIES.background, content })
  const accepted = await enqueue(deps.db, 'event', wake).catch(unlessRefused(deps))
  return { accepted }
}
