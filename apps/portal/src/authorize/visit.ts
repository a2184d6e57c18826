import { authorizeActingAs, authorizeGrant, verifyToken } from '@treeos/client'
import { type BeingName, TreeosError } from '@treeos/core'
import { type FoundSession, findSession } from '../accounts/sessions.ts'
import type { Tabs } from '../inhabit/tabs.ts'
import type { Portal, Visit } from '../portal.ts'

/** What a request of a session brings. */
export interface SessionProof {
  readonly cookie: string
  readonly key: string
  /** the handle of a tab that drives a being */
  readonly handle: string | undefined
}

/**
 * As whom a request acts: as the person of its session, or as the being that this tab of the session drives.
 * @throws {TreeosError} FORBIDDEN when the tab drives nobody any more
 */
export async function visitOf(
  { at }: Pick<Portal, 'at'>,
  tabs: Tabs,
  { id: session, being: person, isFresh }: FoundSession,
  { cookie, key, handle }: SessionProof,
): Promise<Visit> {
  const whose = { person, being: person, session, isFresh }
  const own = { at: { ...at, person }, ...whose, cookie, key, handle: null, lease: null, token: null }
  if (handle === undefined) return own
  const { lease } = tabs.require(handle, session)
  const driving = { ...own, at: { ...own.at, lease }, being: lease.being, handle, lease }
  await requireLease(driving).catch((error: unknown) => {
    if (error instanceof TreeosError) tabs.forget(handle)
    throw error
  })
  return driving
}

/**
 * A program acts as a being that the person of its token drives, under that lease.
 * @throws {TreeosError} FORBIDDEN while the person does not drive it
 */
export async function drivingVisit(visit: Visit, being: BeingName): Promise<Visit> {
  if (being === visit.being) return visit
  await authorizeActingAs(visit.at, being)
  return { ...visit, being }
}

/**
 * @throws {TreeosError} FORBIDDEN, which tells the page that its lease is over, also after the end of the
 *   being
 */
async function requireLease({ at, being }: Pick<Visit, 'at' | 'being'>): Promise<void> {
  try {
    await authorizeActingAs(at, being)
  } catch (error) {
    if (!(error instanceof TreeosError)) throw error
    throw new TreeosError('FORBIDDEN', error.message, { reason: 'lease-over' })
  }
}

/**
 * Whether a visit that lasts may go on: its token, or its session and, in a tab that drives a being, its
 * lease.
 */
export async function mayStay(
  { store, at: portal }: Portal,
  tabs: Tabs,
  { session, cookie, key, handle, at, being, token }: Visit,
): Promise<boolean> {
  if (token !== null) return tokenHolds(portal, token.secret)
  if ((await findSession(store, { cookie, key })) === null) return false
  if (handle === null) return true
  try {
    tabs.require(handle, session)
    await requireLease({ at, being })
    return true
  } catch (error) {
    if (error instanceof TreeosError) return false
    throw error
  }
}

/**
 * A token of a being that has ended, or is not an offspring of its issuer any more, opens nothing, like a
 * revoked one.
 */
async function tokenHolds(at: Portal['at'], secret: string): Promise<boolean> {
  const grant = await verifyToken(at, secret)
  if (grant === null) return false
  try {
    await authorizeGrant(at, grant)
    return true
  } catch (error) {
    if (error instanceof TreeosError) return false
    throw error
  }
}
