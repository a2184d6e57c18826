import {
  type BeingName,
  type Cognition,
  fromJson,
  type JsonObject,
  type LeaseIndex,
  stanceOf,
  TreeosError,
} from '@treeos/core'
import type { BeingRow, Inhabited } from './rows.ts'

/** Who decides for a being now: whoever drives it is a person, whatever mind it has of its own. */
export function effectiveCognition({ cognition, inhabited }: BeingRow): Cognition {
  return inhabited?.by == null ? cognition.kind : 'human'
}

/**
 * Who drives this moment. What woke the being by itself was taken before the lease, for none is taken under it: its moment
 * ends as it began.
 * @param lease that the act was put in under; null when it was put in under none
 */
export function driverOf(
  { inhabited }: BeingRow,
  lease: { readonly driver: BeingName; readonly epoch: number } | null,
): BeingName | null {
  if (lease === null || inhabited === undefined || inhabited.by === null) return null
  return inhabited.by === lease.driver && inhabited.epoch === lease.epoch ? lease.driver : null
}

/**
 * An act is a person's. As a being with a mind of its own a person acts under the lease that it was put in with, and no
 * longer.
 * @param lease that the act was put in under; null when it was put in under none
 * @param driver whom the moment of the act was opened with
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

/** Whose reach a being has beside its own while it is driven: its driver's, unless the lease lends none. */
export const lenderOf = ({ inhabited }: BeingRow, driver: BeingName | null): BeingName | null =>
  inhabited?.own === true ? null : driver

/** The mind that a moment is evaluated for. */
export function momentCognition(me: BeingRow, driver: BeingName | null): BeingRow['cognition'] {
  return driver === null ? me.cognition : { kind: 'human', script: null }
}

export function inhabited(row: BeingRow, payload: JsonObject): BeingRow {
  const { epoch, by, under, own } = fromJson<Inhabited>(payload)
  return { ...row, inhabited: { epoch, by, under, ...(own === true ? { own } : {}) } }
}

export function released(row: BeingRow): BeingRow {
  return { ...row, inhabited: { epoch: row.inhabited?.epoch ?? 0, by: null, under: null } }
}

export function leaseOf({ inhabited }: BeingRow): LeaseIndex | null {
  return inhabited === undefined
    ? null
    : { epoch: inhabited.epoch, driver: inhabited.by, under: inhabited.under }
}
