import { type BeingName, LIMITS, stanceOf, TreeosError } from '@treeos/core'
import { authorizeActingAs, type Presence, readerOf } from '@treeos/reality'
import { isTransient, renewLease } from '@treeos/store'
import { act } from '../summons/act.ts'
import type { Connection } from '../summons/connection.ts'
import { RecurringWork } from './recurring-work.ts'

/** A lease survives two lost renewals. */
const RENEW_EVERY_MS = (LIMITS.leaseSeconds * 1000) / 4

/** The right to decide for a being, for as long as somebody renews it. */
export interface LeaseRef {
  readonly being: BeingName
  readonly driver: BeingName
  readonly epoch: number
}

/** A being that a person drives. It lasts while this process renews the lease. */
export interface Inhabitation extends LeaseRef {
  /** resolves with the reason when the lease ends; never rejects */
  readonly over: Promise<'released' | 'lost'>
  /** Gives the being back to its own mind. Safe to call again. */
  release(): Promise<void>
}

export interface InhabitRequest {
  readonly being: BeingName
  readonly as: BeingName
  /** true: the being acts within its own reach only; else within the reach of `as` too */
  readonly own?: boolean
}

/**
 * Takes a lease on a descendant. It ends unless somebody renews it: {@link keepLease}.
 * @throws {TreeosError} FORBIDDEN when the being does not descend from `as`; RESOURCE_CONFLICT naming the
 *   current driver
 */
export async function takeLease(
  at: Connection,
  { being, as, own = false }: InhabitRequest,
): Promise<LeaseRef> {
  const args = { being: stanceOf(being), ...(own ? { own } : {}) }
  const { result } = await act(at, as, { verb: 'be', operation: 'connect', args })
  const { epoch } = result as { epoch: number }
  return { being, driver: as, epoch }
}

/** @returns false when the lease is over; it can never hold again */
export const keepLease = ({ db }: Pick<Connection, 'db'>, { being, epoch }: LeaseRef): Promise<boolean> =>
  renewLease(db, being, epoch)

/**
 * Takes a lease on a descendant and renews it. While the lease lasts, a person who may act as `as` may act as
 * the being.
 * @throws {TreeosError} as {@link takeLease}
 */
export async function inhabit(at: Connection, request: InhabitRequest): Promise<Inhabitation> {
  const lease = await takeLease(at, request)
  let end: (why: 'released' | 'lost') => void = () => undefined
  const over = new Promise<'released' | 'lost'>((resolve) => {
    end = resolve
  })
  let renewed = Date.now()
  const renewals = new RecurringWork(
    RENEW_EVERY_MS,
    async () => {
      if (await keepLease(at, lease)) renewed = Date.now()
      else end('lost')
    },
    (error) => {
      // Retries while Postgres is unavailable, until the lease must have expired.
      if (!isTransient(error) || Date.now() - renewed > LIMITS.leaseSeconds * 1000) end('lost')
    },
  )
  renewals.start()
  const release = async (): Promise<void> => {
    await renewals.close()
    try {
      await releaseLease(at, lease)
      end('released')
    } catch (error) {
      end('lost') // the renewals have stopped, so the lease expires
      releasing = null
      throw error
    }
  }
  let releasing: Promise<void> | null = null
  void over.then(() => renewals.close())
  return {
    ...lease,
    over,
    release: () => {
      releasing ??= release()
      return releasing
    },
  }
}

/** Releases a lease. Does nothing when it has already ended. */
export async function releaseLease(at: Connection, { being, driver: as, epoch }: LeaseRef): Promise<void> {
  const row = await readerOf(at).being(being)
  if (row?.inhabited?.by == null || row.inhabited.epoch !== epoch) return
  try {
    await act(at, as, { verb: 'be', operation: 'release', args: { being: stanceOf(being) } })
  } catch (error) {
    if (error instanceof TreeosError && error.code === 'RESOURCE_CONFLICT') return // already released
    // A driver whose own lease ended may no longer act. The next sweep of a worker releases the leases that
    // it held.
    if (error instanceof TreeosError && error.code === 'FORBIDDEN' && !(await mayActAs(at, as))) return
    throw error
  }
}

/** Whether who is connected may act as a being now. @throws any error but FORBIDDEN */
export const mayActAs = (at: Presence, as: BeingName): Promise<boolean> =>
  authorizeActingAs(at, as).then(
    () => true,
    (error: unknown) => {
      if (error instanceof TreeosError && error.code === 'FORBIDDEN') return false
      throw error
    },
  )
