import { ASKED_PREFIX, type BeingName, isJsonObject, type Json } from '@treeos/core'
import { authorizeActingAs, type Presence } from '@treeos/reality'
import { listOpenSummons } from '@treeos/store'

/** A call that waits for the yes of a person. */
export interface ApprovalView {
  /** the moment that asked */
  readonly id: string
  readonly from: string
  readonly call: Json
  /** address of the rule that asks */
  readonly rule: string
  /** ISO 8601, UTC */
  readonly expiresAt: string
  /** the roles that it wears, the primary first */
  readonly roles: readonly string[]
  /** who woke it; left out when no being did */
  readonly for?: string
  /** the person that drives it; left out without one */
  readonly driver?: string
}

/**
 * What waits for the yes of a person, oldest first; without what the person put aside.
 * @throws {TreeosError} BEING_NOT_FOUND, FORBIDDEN when the person may not act as the being
 */
export async function approvals(at: Presence, as: BeingName): Promise<ApprovalView[]> {
  await authorizeActingAs(at, as)
  return (await listOpenSummons(at.db, as)).flatMap(({ id, kind, content }) =>
    kind === 'event' && id.startsWith(ASKED_PREFIX) && isJsonObject(content) ? [viewOf(content)] : [],
  )
}

function viewOf(content: { readonly [name: string]: Json }): ApprovalView {
  const { approval, actor, call, rule, expiresAt, roles, for: whom, driver } = content
  return {
    id: String(approval),
    from: String(actor),
    call: call ?? null,
    rule: String(rule),
    expiresAt: String(expiresAt),
    roles: Array.isArray(roles) ? roles.map(String) : [],
    ...(typeof whom === 'string' ? { for: whom } : {}),
    ...(typeof driver === 'string' ? { driver } : {}),
  }
}
