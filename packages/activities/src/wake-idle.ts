import { enqueue, type InboxEntry, readRows } from '@treeos/chain'
import { type BeingName, type JsonObject, PRIORITIES, readPath, stanceOf } from '@treeos/core'
import type { IdleInput, Resting } from '@treeos/protocol'
import { type BeingRow, beingKey, effectiveCognition } from '@treeos/world'
import type { BeatDeps } from './deps.ts'

const DAY_SECONDS = 86_400
const IDLE_SECONDS_MAX = 365 * DAY_SECONDS

/** The silence after which a being wakes by itself: its quality `wake.idle`, whole seconds from 1. Null: it never does. */
export function idleSecondsOf(qualities: JsonObject): number | null {
  const seconds = readPath(qualities, ['wake', 'idle'])
  return Number.isInteger(seconds) && Number(seconds) >= 1 && Number(seconds) <= IDLE_SECONDS_MAX
    ? Number(seconds)
    : null
}

/** What a being goes by that nothing wakes: null when it sleeps until something does. */
export async function restingOf({ db, reality }: BeatDeps, being: BeingName): Promise<Resting | null> {
  const [row] = await readRows(db, reality.id, [beingKey(being)])
  const me = row?.state as unknown as BeingRow | null
  const idleSeconds = me == null || effectiveCognition(me) === 'human' ? null : idleSecondsOf(me.qualities)
  return idleSeconds === null ? null : { resting: true, idleSeconds }
}

/** Only what comes from outside breaks a silence; what a being does to itself goes on with it. */
export const isOwnDoing = ({ kind, id }: Pick<InboxEntry, 'kind' | 'id'>): boolean =>
  kind === 'event' && /^(idle|continue)\//.test(id)

/** Puts the wake of a silence that lasted into the inbox; a rerun puts in nothing twice. */
export async function wakeIdle(
  { db }: BeatDeps,
  { being, generation, n, seconds }: IdleInput,
): Promise<{ accepted: boolean }> {
  const id = `idle/${being}/${generation}/${n}`
  const accepted = await enqueue(db, {
    id,
    being,
    kind: 'event',
    priority: PRIORITIES.background,
    caller: null,
    content: { event: 'idle', actor: stanceOf(being), seconds },
    root: id,
    inReplyTo: null,
    askedRole: null,
    hops: 0,
    continues: 0,
    cause: null,
  })
  return { accepted }
}
