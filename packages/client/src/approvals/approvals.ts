import { ASKED_PREFIX, type BeingName, isJsonObject, type Json, quote, TreeosError } from '@treeos/core'
import { authorizeActingAs, openedIn, type Presence } from '@treeos/reality'
import { findEntry, type InboxEntry, listOpenSummons } from '@treeos/store'

/** A call that waits for the yes of a person. */
export interface ApprovalView {
  /** the moment that asked; with a number behind it for a call that a person changed */
  readonly id: string
  readonly from: string
  readonly call: Json
  /** what the call is done to */
  readonly on: string
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
  /** the moment that asks holds words from outside; left out when it holds none */
  readonly outside?: true
}

/**
 * What waits for the yes of a person, oldest first; without what the person put aside.
 * @throws {TreeosError} BEING_NOT_FOUND, FORBIDDEN when the person may not act as the being
 */
export async function approvals(at: Presence, as: BeingName): Promise<ApprovalView[]> {
  await authorizeActingAs(at, as)
  return viewsOf(at, await listOpenSummons(at.db, as, { prefix: ASKED_PREFIX }))
}

/**
 * The same, page by page.
 * @throws {TreeosError} INVALID_INPUT when `after` names nothing that this being was asked; as
 *   {@link approvals}
 */
export async function approvalsPage(
  at: Presence,
  as: BeingName,
  { after, limit }: { readonly after?: string | undefined; readonly limit: number },
): Promise<{ readonly items: ApprovalView[]; readonly next: string | null }> {
  await authorizeActingAs(at, as)
  if (after !== undefined && (await findEntry(at.db, after))?.being !== as)
    throw new TreeosError('INVALID_INPUT', `${quote(after)} is nothing that you were asked`)
  const entries = await listOpenSummons(at.db, as, { after, limit: limit + 1, prefix: ASKED_PREFIX })
  const shown = entries.slice(0, limit)
  return {
    items: await viewsOf(at, shown),
    next: entries.length > limit ? (shown.at(-1)?.id ?? null) : null,
  }
}

/** Who is asked about a call reads what its being sealed in it. */
async function viewsOf({ db }: Presence, entries: readonly InboxEntry[]): Promise<ApprovalView[]> {
  const views = await Promise.all(
    entries.map(async ({ id, kind, content, outside }) => {
      if (kind !== 'event' || !isJsonObject(content)) return []
      const view = approvalView(content, outside === true)
      return [{ ...view, call: await openedIn(db, id, view.call) }]
    }),
  )
  return views.flat()
}

/** @param isOutside what the entry's own column says: the append insists on it, whatever the content says */
function approvalView(content: { readonly [name: string]: Json }, isOutside: boolean): ApprovalView {
  const { id, actor, call, on, rule, expiresAt, roles, for: whom, driver, outside } = content
  return {
    id: String(id),
    from: String(actor),
    call: call ?? null,
    on: String(on),
    rule: String(rule),
    expiresAt: String(expiresAt),
    roles: Array.isArray(roles) ? roles.map(String) : [],
    ...(typeof whom === 'string' ? { for: whom } : {}),
    ...(typeof driver === 'string' ? { driver } : {}),
    ...(isOutside || outside === true ? { outside: true } : {}),
  }
}
