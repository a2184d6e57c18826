import { createHash } from 'node:crypto'
import {
  type ActContent,
  actWakeId,
  type BeingName,
  canonicalJson,
  isJsonObject,
  type Json,
  TreeosError,
} from '@treeos/core'
import { markOf } from '@treeos/overlay'
import type { Presence } from '@treeos/reality'
import { type Db, findEntry } from '@treeos/store'

/**
 * The correlation of a request that brings a key: the same for the same being and key, so that its inbox
 * takes the request once.
 * @param attempt counts requests with this key that were taken back
 */
export function keyedCorrelation(of: {
  readonly as: BeingName
  readonly key: string
  readonly attempt: number
}): string {
  const hex = createHash('sha256')
    .update(canonicalJson({ request: of }), 'utf8')
    .digest('hex')
  // A UUID of version 8, whose bits mean what its maker says.
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/**
 * What an earlier request of the same being and key asked for; null when there was none, or it was taken
 * back.
 */
export async function findKeyed(
  at: Pick<Presence, 'db'>,
  { as, key }: { readonly as: BeingName; readonly key: string },
): Promise<ActContent | null> {
  for (let attempt = 0; ; attempt++) {
    const earlier = await findEntry(at.db, actWakeId(keyedCorrelation({ as, key, attempt })))
    if (earlier === null) return null
    if (earlier.closedBy !== 'withdrawn') return earlier.content as unknown as ActContent
  }
}

/**
 * Whether the act that an earlier request with the same key left was taken back, so that the key is free
 * again.
 * @throws {TreeosError} RESOURCE_CONFLICT when the earlier request asked for something else
 */
export async function isWithdrawn(db: Db, id: string, content: ActContent): Promise<boolean> {
  const earlier = await findEntry(db, id)
  if (earlier === null) throw new Error(`the act ${id} was taken, and is not there`)
  if (canonicalJson(askedIn(earlier.content)) !== canonicalJson(askedIn(content as unknown as Json)))
    throw new TreeosError(
      'RESOURCE_CONFLICT',
      'this idempotency key was sent with another request before: use a new key for each request',
    )
  return earlier.closedBy === 'withdrawn'
}

/**
 * What a request asks for. Its lease is new each time, and so is the handle of its overlay but for the mark.
 */
function askedIn(content: Json): Json {
  if (!isJsonObject(content) || !isJsonObject(content.call)) return content
  const { overlay, ...call } = content.call
  return {
    call,
    answers: content.answers ?? null,
    overlay: typeof overlay === 'string' ? markOf(overlay) : null,
  }
}
