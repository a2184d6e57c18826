import {
  type Connection,
  keepLease,
  type LeaseRef,
  passkeysOf,
  releaseLease,
  type SignAct,
  takeLease,
} from '@treeos/client'
import { type BeingName, LIMITS, stanceOf, TreeosError } from '@treeos/core'
import { hashOf, isSecret, newSecret } from '../accounts/secrets.ts'

const TABS_MAX_PER_SESSION = 8
/**
 * A tab that was closed and one that is loaded again send the same: one that comes back within this time was
 * loaded again.
 */
const RELOAD_MS = 5_000
const LEASE_MS = LIMITS.leaseSeconds * 1000

/** A tab of a browser that drives a being. */
export interface Tab {
  readonly lease: LeaseRef
  /** the id of the session that took the lease */
  readonly session: string
  /** acts as the driver, without its signature: that is given for each act */
  readonly at: Connection
}

interface KeptTab extends Tab {
  /** releases the being when the tab is not heard of in time */
  silence: NodeJS.Timeout
}

/**
 * The tabs that drive beings. Each tab has a secret of its own, its handle. A lease is renewed only while its
 * tab asks for it, so a lost network, a killed browser and a portal that was started anew end it.
 */
export class Tabs {
  readonly #kept = new Map<string, KeptTab>()
  readonly #onError: (where: string, error: unknown) => void

  constructor(onError: (where: string, error: unknown) => void) {
    this.#onError = onError
  }

  /**
   * Takes a lease for a tab.
   * @param at acts as the driver: the signed-in person, or a being that another tab drives
   * @returns the handle of the tab, which is kept nowhere else
   * @throws {TreeosError} RATE_LIMITED when the session has too many of them; the refusal of the lease
   */
  async take(
    at: Connection,
    { session, as, being }: { readonly session: string; readonly as: BeingName; readonly being: BeingName },
  ): Promise<{ readonly handle: string; readonly lease: LeaseRef }> {
    const own = [...this.#kept.values()].filter((tab) => tab.session === session)
    if (own.length >= TABS_MAX_PER_SESSION)
      throw new TreeosError(
        'RATE_LIMITED',
        `${TABS_MAX_PER_SESSION} tabs of yours drive beings: close one of them`,
      )
    const lease = await takeLease(at, { being, as })
    const handle = newSecret()
    const key = tabKey(handle)
    const { sign: _, ...unsigned } = at
    const tab = { lease, session, at: unsigned, silence: this.#releaseAfter(key, LEASE_MS) }
    this.#kept.set(key, tab)
    return { handle, lease }
  }

  /**
   * The tab with a handle.
   * @throws {TreeosError} FORBIDDEN, the same for a handle that never was, one that is over, and one of
   *   another session
   */
  require(handle: string, session: string): Tab {
    const tab = isSecret(handle) ? this.#kept.get(tabKey(handle)) : undefined
    if (tab !== undefined && tab.session === session) return tab
    throw new TreeosError('FORBIDDEN', 'this tab drives nobody any more', { reason: 'lease-over' })
  }

  /** The tab lives: renews its lease. @returns false when the lease is over */
  async renew(handle: string): Promise<boolean> {
    const key = tabKey(handle)
    const tab = this.#kept.get(key)
    if (tab === undefined) return false
    if (await keepLease(tab.at, tab.lease)) {
      this.#expect(key, LEASE_MS)
      return true
    }
    this.#forget(key)
    return false
  }

  /** The page of the tab went away. Unless it comes back soon, its being is released. */
  leave(handle: string): void {
    this.#expect(tabKey(handle), RELOAD_MS)
  }

  /**
   * Gives the being back to its own mind.
   * @param sign asks for the signature of the driver; left out where it signs nothing
   * @throws {TreeosError} while the signature is not there, and then the tab drives on
   */
  async release(handle: string, sign?: SignAct): Promise<void> {
    const key = tabKey(handle)
    const tab = this.#kept.get(key)
    if (tab === undefined || sign === undefined) return this.#release(key)
    await releaseLease({ ...tab.at, sign }, tab.lease)
    this.#forget(key)
  }

  /** A session ended: so does all that its tabs drive. */
  async releaseOf(session: string): Promise<void> {
    const own = [...this.#kept].filter(([, tab]) => tab.session === session)
    await Promise.all(own.map(([key]) => this.#release(key)))
  }

  /** Renews nothing any more. The leases run out, and workers release them. */
  close(): void {
    for (const key of this.#kept.keys()) this.#forget(key)
  }

  /** The lease of a tab turned out to be over. */
  forget(handle: string): void {
    this.#forget(tabKey(handle))
  }

  #expect(key: string, ms: number): void {
    const tab = this.#kept.get(key)
    if (tab === undefined) return
    clearTimeout(tab.silence)
    tab.silence = this.#releaseAfter(key, ms)
  }

  #releaseAfter(key: string, ms: number): NodeJS.Timeout {
    const timer = setTimeout(() => {
      this.#release(key).catch((error: unknown) => this.#onError('release', error))
    }, ms)
    return timer.unref()
  }

  /** Nobody is there to sign. So a lease of who signs its acts runs out. */
  async #release(key: string): Promise<void> {
    const tab = this.#kept.get(key)
    if (tab === undefined) return
    this.#forget(key) // first: from now on nobody acts by the handle
    if ((await passkeysOf(tab.at, tab.lease.driver)).length > 0) return
    await releaseLease(tab.at, tab.lease)
  }

  #forget(key: string): void {
    clearTimeout(this.#kept.get(key)?.silence)
    this.#kept.delete(key)
  }
}

const tabKey = (handle: string): string => hashOf(handle).toString('hex')

/** What a tab is told of its lease. */
export const shownLease = ({ being, driver }: LeaseRef) => ({
  being: stanceOf(being),
  driver: stanceOf(driver),
  seconds: LIMITS.leaseSeconds,
})
