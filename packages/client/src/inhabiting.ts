import { isTransient, renewLease } from '@treeos/chain'
import { type BeingName, LIMITS, stanceOf, TreeosError } from '@treeos/core'
import { readerOf } from '@treeos/reality'
import { act, type Connection } from './acts.ts'
import { authorizeActingAs } from './persons.ts'
import { Recurring } from './recurring.ts'

/** Often enough that two renewals may be lost. */
const RENEW_EVERY_MS = (LIMITS.leaseSeconds * 1000) / 4

/** A being that is driven, as long as this process renews the lease. */
export interface Inhabitation {
  readonly being: BeingName
  readonly driver: BeingName
  readonly epoch: number
  /** resolves when the lease is over, with why; never rejects */
  readonly over: Promise<'released' | 'lost'>
  /** Gives the being back to its own mind. Safe to call again. */
  release(): Promise<void>
}

/**
 * Takes a lease on a descendant and keeps it. Until it is released, whoever may act as `as` may act as the being.
 * @param own it acts by its own reach alone; else by that of `as` as well
 * @throws {TreeosError} FORBIDDEN for whoever is no strict descendant, RESOURCE_CONFLICT naming who drives it
 */
export async function inhabit(
  at: Connection,
  { being, as, own = false }: { readonly being: BeingName; readonly as: BeingName; readonly own?: boolean },
): Promise<Inhabitation> {
  const payload = { being: stanceOf(being), ...(own ? { own } : {}) }
  const { result } = await act(at, as, { verb: 'be', operation: 'connect', payload })
  const { epoch } = result as { epoch: number }
  let end: (why: 'released' | 'lost') => void = () => undefined
  const over = new Promise<'released' | 'lost'>((resolve) => {
    end = resolve
  })
  let renewed = Date.now()
  const renewals = new Recurring(
    RENEW_EVERY_MS,
    async () => {
      if (await renewLease(at.db, being, epoch)) renewed = Date.now()
      else end('lost')
    },
    (error) => {
      // Postgres may be away for a moment; once the lease must have run out, it will not come back.
      if (!isTransient(error) || Date.now() - renewed > LIMITS.leaseSeconds * 1000) end('lost')
    },
  )
  renewals.start()
  const release = async (): Promise<void> => {
    await renewals.close()
    try {
      await releaseLease(at, { being, as, epoch })
      end('released')
    } catch (error) {
      end('lost') // nobody renews it any more, so it runs out
      releasing = null
      throw error
    }
  }
  let releasing: Promise<void> | null = null
  void over.then(() => renewals.close())
  return {
    being,
    driver: as,
    epoch,
    over,
    release: () => {
      releasing ??= release()
      return releasing
    },
  }
}

/** A lease that is over already needs no giving back. */
async function releaseLease(
  at: Connection,
  { being, as, epoch }: { being: BeingName; as: BeingName; epoch: number },
): Promise<void> {
  const row = await readerOf(at).being(being)
  if (row?.inhabited?.by == null || row.inhabited.epoch !== epoch) return
  try {
    await act(at, as, { verb: 'be', operation: 'release', payload: { being: stanceOf(being) } })
  } catch (error) {
    if (error instanceof TreeosError && error.code === 'RESOURCE_CONFLICT') return // somebody else was faster
    // Who drives no more may not act any more: what it held ends with that, at the next sweep.
    if (error instanceof TreeosError && error.code === 'FORBIDDEN' && !(await mayAct(at, as))) return
    throw error
  }
}

const mayAct = (at: Connection, as: BeingName): Promise<boolean> =>
  authorizeActingAs(at, as).then(
    () => true,
    () => false,
  )
