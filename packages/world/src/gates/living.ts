import { stanceOf, TreeosError } from '@treeos/core'
import type { OperationTarget } from '../read/target.ts'
import type { BeingRow } from '../rows/rows.ts'

/** @throws {TreeosError} BEING_ENDED for a being that was ended: nothing is done to it, and nobody speaks to it or acts as it */
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
