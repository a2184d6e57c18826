import type { BeingName, FactDraft } from '@treeos/core'

/** A lease as a client holds it, and puts it in with an act. */
export interface Lease {
  readonly driver: BeingName
  readonly epoch: number
}

/** Who decides: its own mind, or whoever puts in an act for it. */
export type ActDecider =
  | { readonly kind: 'mind' }
  | {
      readonly kind: 'act'
      readonly lease: Lease | null
      /** how many steps had been made when the moment was opened; those that were made when left out */
      readonly openedAt?: number
    }

/** For whom something is done, as it is judged: nothing of this is read from rows. */
export interface Voice {
  readonly actor: BeingName
  /** who drives the actor as it acts or asks */
  readonly driver: BeingName | null
  readonly isPerson: boolean
}

export const MIND: ActDecider = { kind: 'mind' }

/** Every lease that was ever taken, counted from the facts alone: one holds until its being is released. */
export class Leases {
  readonly #taken: { readonly being: BeingName; readonly lease: Lease; readonly at: number }[] = []
  readonly #standing = new Map<BeingName, Lease>()

  /** @param at how many steps had been made */
  heed(facts: readonly FactDraft[], at: number): void {
    for (const { reel, kind, payload } of facts) {
      const being = reel.slice('being:'.length)
      if (kind === 'being:released') this.#standing.delete(being)
      if (kind !== 'being:inhabited') continue
      const lease = { driver: String(payload.by), epoch: Number(payload.epoch) }
      this.#taken.push({ being, lease, at })
      this.#standing.set(being, lease)
    }
  }

  on(being: BeingName): Lease | null {
    return this.#standing.get(being) ?? null
  }

  /** Of a lease that holds: as it should be put in; or else the being's own mind. */
  deciderOf(being: BeingName): ActDecider {
    const lease = this.on(being)
    return lease === null ? MIND : { kind: 'act', lease }
  }

  /** Leases that do not hold: those that are over, in moments opened then and now; forged ones, and none. */
  wrong(being: BeingName): ActDecider[] {
    const now = this.on(being)
    const over = this.#taken.filter((one) => one.being === being && one.lease !== now)
    const forged = now === null ? [] : ['operator', 'mole', 'victim'].filter((one) => one !== now.driver)
    return [
      { kind: 'act', lease: null },
      ...over.flatMap(({ lease, at }): ActDecider[] => [
        { kind: 'act', lease },
        { kind: 'act', lease, openedAt: at },
      ]),
      ...forged.map((driver): ActDecider => ({ kind: 'act', lease: { driver, epoch: now?.epoch ?? 0 } })),
    ]
  }

  /** Whether an act may be put in so. */
  hold(being: BeingName, decider: ActDecider, isHuman: boolean): boolean {
    if (decider.kind === 'mind') return true
    if (decider.lease === null) return isHuman
    // Compared by value: an act names only its driver and epoch, and the leases of two beings may agree in
    // both.
    const standing = this.on(being)
    return decider.lease.driver === standing?.driver && decider.lease.epoch === standing.epoch
  }
}
