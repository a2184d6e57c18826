/** What is read of an entry of an inbox. */
interface InboxWords {
  readonly correlation: string
  readonly content: unknown
}

/** A call that waits for the yes of the person. */
export interface WaitingCall {
  readonly id: string
  readonly call: unknown
  /** what it is done to */
  readonly on: string
  /** the person that drives the being; null for none */
  readonly driver: string | null
  readonly rule: string
  readonly roles: readonly string[]
  /** ISO 8601 */
  readonly expiresAt: string
  /** who woke the being that makes it; null for nobody */
  readonly whom: string | null
  /** its moment holds words from outside */
  readonly isOutside: boolean
}

type UncheckedCall = Readonly<Partial<Record<keyof WaitingCall | 'for' | 'outside', unknown>>>

/** The call that an entry asks about; null for any other entry. Only TreeOS gives entries such an id. */
export function askedIn({ correlation, content }: InboxWords): WaitingCall | null {
  const said = (content ?? {}) as Record<string, unknown>
  const isAsked = correlation.startsWith('asked/') && said.event === 'asked' && typeof said.id === 'string'
  return isAsked ? shownAsked(said) : null
}

/** The call, as the server tells it. */
export function shownAsked({
  id,
  call,
  on,
  driver,
  rule,
  roles,
  expiresAt,
  for: whom,
  outside,
}: UncheckedCall): WaitingCall {
  return {
    id: String(id),
    on: String(on),
    driver: typeof driver === 'string' ? driver : null,
    call,
    rule: String(rule),
    roles: Array.isArray(roles) ? roles.map(String) : [],
    expiresAt: String(expiresAt),
    whom: typeof whom === 'string' ? whom : null,
    isOutside: outside === true,
  }
}

/** What the list of approvals says of a call. */
interface Approval {
  readonly id: string
  readonly call: unknown
  readonly outside?: boolean | undefined
}

/**
 * The call as the person may read it. What an entry of the inbox says holds the ids of sealed words in their
 * place, and its mark from outside is what the content says.
 * @returns null when the call does not wait
 */
export function openedIn(approvals: readonly Approval[], asked: WaitingCall): WaitingCall | null {
  const found = approvals.find(({ id }) => id === asked.id)
  if (found === undefined) return null
  return { ...asked, call: found.call, isOutside: asked.isOutside || found.outside === true }
}
