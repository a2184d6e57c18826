import { stanceOf, type Thread, TreeosError } from '@treeos/core'
import type { BeingRow } from '../rows/rows.ts'

/** @throws {TreeosError} FORBIDDEN for anyone who has no part in it, the first operator apart */
export function requirePart(actor: BeingRow, { thread, participants }: Thread): void {
  if (actor.parent === null || participants.includes(actor.name)) return
  throw new TreeosError(
    'FORBIDDEN',
    `${stanceOf(actor.name)} has no part in thread ${thread}: only its participants and the operator see, continue or cut it`,
  )
}
