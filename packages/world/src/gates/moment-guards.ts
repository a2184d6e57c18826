/** What is asked of an act beside the two gates. */
import { type BeingName, stanceOf, type Thread, TreeosError } from '@treeos/core'
import type { OperationTarget } from '../read/target.ts'
import { driverOf } from '../rows/inhabitation.ts'
import type { BeingRow } from '../rows/rows.ts'
import { type GateAnswer, requireAnswer } from './refusal.ts'

/**
 * Checks that a person may still act as this being: as itself if it is a person, else under the lease with
 * which the act was submitted.
 * @param lease under which the act was submitted; null without one
 * @param driver with which the moment of the act was opened
 * @throws {TreeosError} FORBIDDEN
 */
export function requireLease(
  me: BeingRow,
  lease: { readonly driver: BeingName; readonly epoch: number } | null,
  driver: BeingName | null,
): void {
  if (lease === null) {
    if (me.cognition.kind === 'human') return
    throw new TreeosError('FORBIDDEN', `nobody drives ${stanceOf(me.name)}: inhabit it first`)
  }
  const now = driverOf(me, lease)
  if (now !== null && now === driver) return
  throw new TreeosError(
    'FORBIDDEN',
    `the lease of ${stanceOf(lease.driver)} on ${stanceOf(me.name)} is over: inhabit it again`,
  )
}

/**
 * @throws {TreeosError} BEING_ENDED for a being that was ended: nothing is done to it, and nobody speaks to
 *   it or acts as it
 */
export function requireNotEnded(being: BeingRow): void {
  if (being.ended === undefined) return
  const when = new Date(being.ended).toISOString()
  throw new TreeosError(
    'BEING_ENDED',
    `${stanceOf(being.name)} was ended at ${when}: its past can be read, and it lives no more`,
    { being: stanceOf(being.name), ended: when },
  )
}

/** The same for the target of an operation; any other target stands. @throws {TreeosError} BEING_ENDED */
export function requireNotEndedTarget(target: OperationTarget): void {
  if (target.kind === 'being') requireNotEnded(target.being)
}

/** Whether a being has a part in a thread. The first operator has one in all. */
export function askPart(actor: BeingRow, { thread, participants }: Thread): GateAnswer<null> {
  if (actor.parent === null || participants.includes(actor.name)) return { allowed: true, by: null }
  const why = `${stanceOf(actor.name)} has no part in thread ${thread}: only its participants and the operator see, continue or cut it`
  return { allowed: false, refusal: () => new TreeosError('FORBIDDEN', why) }
}

/** @throws {TreeosError} FORBIDDEN */
export const requirePart = (actor: BeingRow, thread: Thread): null => requireAnswer(askPart(actor, thread))
