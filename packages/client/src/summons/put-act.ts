import {
  type ActContent,
  actWakeId,
  asJson,
  type BeingName,
  canonicalJson,
  LIMITS,
  mendedBy,
  newWake,
  PRIORITIES,
  stanceOf,
  TreeosError,
  utf8Length,
  type Wake,
} from '@treeos/core'
import { enqueue, withdraw } from '@treeos/store'
import type { Connection } from './connection.ts'
import { ringUnlessListening } from './doorbell.ts'
import { refusalOf } from './refusal.ts'

/**
 * The wake by which an act lies in the inbox of its being.
 * @param correlation the one that its summon will have
 * @param outside whether its words came from outside of the reality
 * @throws {TreeosError} PAYLOAD_TOO_LARGE
 */
export function actWake(being: BeingName, correlation: string, content: ActContent, outside: boolean): Wake {
  const bytes = utf8Length(canonicalJson(content))
  if (bytes > LIMITS.actBytesMax)
    throw new TreeosError(
      'PAYLOAD_TOO_LARGE',
      `the act is ${bytes} bytes, at most ${LIMITS.actBytesMax} are taken`,
    )
  return newWake({
    id: actWakeId(correlation),
    being,
    kind: 'act',
    priority: PRIORITIES.human,
    content: asJson(content),
    root: correlation,
    ...(outside ? { outside } : {}),
  })
}

/**
 * Puts an act into the inbox of its being, and rings the being.
 * @param isOwn no other request puts an act with this id there
 * @returns false when the inbox has an act with this id already
 */
export async function putAct(at: Connection, wake: Wake, isOwn: boolean): Promise<boolean> {
  let isNew: boolean | null = null
  try {
    isNew = await enqueue(at.db, at.isHosted === true ? 'hosted' : 'act', wake)
    const place = { reality: at.reality.name, taskQueue: at.reality.taskQueue }
    await ringUnlessListening(at.db, at.temporal, place, wake.being)
    return isNew
  } catch (error) {
    if (isOwn || isNew === true) await takeBack(at, wake, error)
    else leaveThere(wake, error)
    return true
  }
}

/**
 * The act may be that of an earlier request with the same key, whose sender was told that it is there: it is
 * not taken back.
 * @throws {TreeosError} SERVICE_UNAVAILABLE; or the error itself
 */
function leaveThere(wake: Wake, error: unknown): never {
  if (refusalOf(error).code !== 'SERVICE_UNAVAILABLE') throw error
  throw new TreeosError(
    'SERVICE_UNAVAILABLE',
    'a service is unavailable: the act may still be done; send it again with the same key, which tells what came of it',
    { act: wake.id, withdrawn: false },
  )
}

/**
 * Takes an act back whose being could not be rung. Otherwise a sweep would ring for it later, and it would be
 * done although its person was told that it was not. Returns when a moment has claimed the act meanwhile: it
 * is done then.
 * @throws {TreeosError} SERVICE_UNAVAILABLE, which says whether the act may still be done; or the error
 *   itself
 */
async function takeBack(at: Connection, wake: Wake, error: unknown): Promise<void> {
  const isWithdrawn = await withdraw(at.db, wake).catch(() => null)
  if (isWithdrawn === false) return
  if (refusalOf(error).code !== 'SERVICE_UNAVAILABLE') throw error
  const detail = { act: wake.id, withdrawn: isWithdrawn === true }
  throw new TreeosError(
    'SERVICE_UNAVAILABLE',
    isWithdrawn === true
      ? 'a service is unavailable: the act was taken back, and will not be done; try again in a few seconds'
      : 'a service is unavailable, and the act could not be taken back: it may still be done; look before you try again',
    isWithdrawn === true ? detail : mendedBy({ name: 'look-at-moments', of: stanceOf(wake.being) }, detail),
  )
}
