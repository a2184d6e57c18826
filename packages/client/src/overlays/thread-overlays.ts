import { type BeingName, mendedBy, quote, stanceOf, TreeosError } from '@treeos/core'
import { commitTo, newSalt, type Overlay, parseOverlay, VaultAwayError } from '@treeos/overlay'
import type { Purpose, VaultClient } from '@treeos/overlay/vault'
import { authorizeActingAs, type Presence } from '@treeos/reality'
import {
  listOverlayChanges,
  listVaults,
  type OverlayChange,
  recordOverlayChange,
  threadOf,
} from '@treeos/store'
import { type OverlaySetter, requireNoProgram } from './no-program.ts'

/** Handles of a client that brings overlays. */
export interface OverlayConnection extends Presence, OverlaySetter {
  /** left out: this program has no key of the vaults */
  readonly vaults?: VaultClient
}

/**
 * Puts an overlay into the memory of a worker.
 * @param purpose the being whose call may bring it, or the thread: for any other the handle is worth nothing
 * @param request names the request that brings it, if it has a key: see `VaultClient.put`
 * @returns its handle; and its salt, which nobody else gets
 * @throws {TreeosError} SERVICE_UNAVAILABLE when no vault takes it, PAYLOAD_TOO_LARGE, INVALID_INPUT,
 *   RATE_LIMITED
 */
export async function putOverlay(
  { db, vaults }: OverlayConnection,
  purpose: Purpose,
  given: Overlay,
  request?: string,
): Promise<{ readonly handle: string; readonly salt: string }> {
  const kept = { overlay: parseOverlay(given), salt: newSalt() }
  if (vaults === undefined)
    throw new TreeosError(
      'SERVICE_UNAVAILABLE',
      'this program has no key of the vaults that hold overlays: a worker of this version makes it in the folder of the instance, or TREEOS_VAULT_KEY names its file',
    )
  let refusal: TreeosError | null = null
  for (const vault of await listVaults(db)) {
    try {
      return { handle: await vaults.put(vault, purpose, kept, request), salt: kept.salt }
    } catch (error) {
      if (error instanceof TreeosError && error.code === 'RATE_LIMITED') refusal = error
      else if (!(error instanceof VaultAwayError)) throw error
    }
  }
  throw (
    refusal ??
    new TreeosError(
      'SERVICE_UNAVAILABLE',
      'no worker runs whose vault takes the overlay: nothing was said',
      mendedBy({ name: 'start-worker' }),
    )
  )
}

/**
 * Sets the overlay of a thread, for its moments from now on, or takes it away.
 * @param overlay null takes it away
 * @throws {TreeosError} CORRELATION_NOT_FOUND; FORBIDDEN for a program, and for a being without a part in the thread; as
 *   {@link putOverlay}
 */
export async function setThreadOverlay(
  at: OverlayConnection,
  {
    as,
    thread,
    overlay,
  }: { readonly as: BeingName; readonly thread: string; readonly overlay: Overlay | null },
): Promise<OverlayChange & { readonly salt: string | null }> {
  requireNoProgram(at)
  await authorizeActingAs(at, as)
  const { participants } = await requireThread(at, thread)
  if (!participants.includes(as))
    throw new TreeosError('FORBIDDEN', `${stanceOf(as)} has no part in the thread ${quote(thread)}`)
  if (overlay === null) {
    const change = { thread, by: as, commitment: null, handle: null }
    return { ...(await recordOverlayChange(at.db, change)), salt: null }
  }
  const { handle, salt } = await putOverlay(at, { use: 'thread', of: thread }, overlay)
  const change = { thread, by: as, commitment: commitTo(salt, overlay.content), handle }
  return { ...(await recordOverlayChange(at.db, change)), salt }
}

/**
 * That the overlay of a thread changed, oldest first. No text.
 * @throws {TreeosError} CORRELATION_NOT_FOUND
 */
export async function threadOverlays(at: Pick<Presence, 'db'>, thread: string): Promise<OverlayChange[]> {
  await requireThread(at, thread)
  return listOverlayChanges(at.db, thread)
}

async function requireThread({ db }: Pick<Presence, 'db'>, id: string) {
  const thread = await threadOf(db, id)
  if (thread !== null) return thread
  throw new TreeosError(
    'CORRELATION_NOT_FOUND',
    `no thread ${quote(id)} began in this reality`,
    mendedBy({ name: 'list-threads' }),
  )
}
