import { randomInt } from 'node:crypto'
import type { MomentId } from '@treeos/core'
import { type ClaimResult, type Cost, type Db, type SettlementWrite, settle } from '@treeos/store'

/** What was reserved for the model call of a moment when it opened, before the length of its prompt was known. */
export interface Reservation {
  /** number of the reservation */
  readonly attempt: number
  /** null when no budget stands above the being: nothing needs to be reserved */
  readonly cost: Cost | null
  /** true once a call has it, which then settles it */
  isTaken: boolean
}

export const ZERO_COST: Cost = { tokens: 0, micros: 0 }

/** Below 0 and at random: a call that is made again after a crash has a reservation of its own. */
export const newAttempt = (): number => -randomInt(1, 2 ** 31)

/** How much more is reserved in advance than the last call could cost. What is too much is given back when the call is settled. */
const ROOM = 1.25

export const withRoom = ({ tokens, micros }: Cost): Cost => ({
  tokens: Math.ceil(tokens * ROOM),
  micros: micros === null ? null : Math.ceil(micros * ROOM),
})

/** @returns null when nothing was reserved, so that the call reserves what it needs */
export function reservationOf(
  { attempt, cost }: { readonly attempt: number; readonly cost: Cost },
  reserved: ClaimResult['reserved'],
): Reservation | null {
  if (reserved === null) return null
  return { attempt, cost: reserved === 'free' ? null : cost, isTaken: false }
}

/** Whether a reservation bounds a call. One without a price was not checked against a budget of money. */
export const covers = (reserved: Cost, worst: Cost): boolean =>
  reserved.tokens >= worst.tokens &&
  (worst.micros === null
    ? reserved.micros === null
    : reserved.micros !== null && reserved.micros >= worst.micros)

/** The settlement of a reservation that no call took; null when there is nothing to give back. */
export const unusedOf = (reservation: Reservation | null): SettlementWrite | null =>
  reservation === null || reservation.isTaken || reservation.cost === null
    ? null
    : { attempt: reservation.attempt, used: ZERO_COST }

/** Gives a reservation back that no call took. */
export async function releaseReservation(
  db: Db,
  moment: MomentId,
  reservation: Reservation | null,
): Promise<void> {
  const unused = unusedOf(reservation)
  if (unused !== null) await settle(db, { moment, attempt: unused.attempt }, ZERO_COST)
}
