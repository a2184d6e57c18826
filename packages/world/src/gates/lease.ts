import { type BeingName, stanceOf, TreeosError } from '@treeos/core'
import { driverOf } from '../rows/inhabiting.ts'
import type { BeingRow } from '../rows/rows.ts'

/**
 * Checks that a person may still act as this being: as itself if it is a person, else under the lease with which the act was
 * submitted.
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
