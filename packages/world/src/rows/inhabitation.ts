import { type BeingName, type Cognition, fromJson, type JsonObject, type LeaseIndex } from '@treeos/core'
import type { BeingRow, RowLease } from './rows.ts'

/** Who decides for a being now. Only persons drive, so a driven being counts as human. */
export function effectiveCognition({ cognition, inhabited }: BeingRow): Cognition {
  return inhabited?.by == null ? cognition.kind : 'human'
}

/**
 * Who drives a moment. A moment that no driver's act opened is the being's own, even if a lease begins before
 * it ends.
 * @param lease under which the act was submitted; null without one
 */
export function driverOf(
  { inhabited }: BeingRow,
  lease: { readonly driver: BeingName; readonly epoch: number } | null,
): BeingName | null {
  if (lease === null || inhabited === undefined || inhabited.by === null) return null
  return inhabited.by === lease.driver && inhabited.epoch === lease.epoch ? lease.driver : null
}

/**
 * The being whose reach a driven being has in addition to its own: its driver, unless the lease lends none.
 */
export const lenderOf = ({ inhabited }: BeingRow, driver: BeingName | null): BeingName | null =>
  inhabited?.own === true ? null : driver

/** The cognition that the flow of a moment is evaluated for. */
export function momentCognition(me: BeingRow, driver: BeingName | null): BeingRow['cognition'] {
  return driver === null ? me.cognition : { kind: 'human', script: null }
}

export function inhabited(row: BeingRow, payload: JsonObject): BeingRow {
  const { epoch, by, under, own } = fromJson<RowLease>(payload)
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
