import type { FoundBy } from '../api/deed.ts'
import type { approvalsQuery, inboxQuery } from './queries.ts'

export type Entry = FoundBy<ReturnType<typeof inboxQuery>>['items'][number]

/** The being that a notice tells of. */
const aboutOf = (content: unknown): string | null =>
  typeof content === 'object' && content !== null && 'actor' in content && typeof content.actor === 'string'
    ? content.actor
    : null

/** A being that waits for approval at a limit, and the being whose limit it is. */
export function parkedIn(content: unknown): { readonly being: string; readonly of: string } | null {
  const { event, budget } = (content ?? {}) as { event?: unknown; budget?: { of?: unknown } }
  const being = aboutOf(content)
  if (event !== 'parked' || being === null || typeof budget?.of !== 'string') return null
  return { being: being.slice(1), of: budget.of.slice(1) }
}

/** A call that waits for the yes of the person. */
export interface Asked {
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

type Told = Readonly<Partial<Record<keyof Asked | 'for' | 'outside', unknown>>>

/** The call that an entry asks about; null for any other entry. Only TreeOS gives entries such an id. */
export function askedIn({ correlation, content }: Pick<Entry, 'correlation' | 'content'>): Asked | null {
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
}: Told): Asked {
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

type Approval = Pick<FoundBy<typeof approvalsQuery>['items'][number], 'id' | 'call' | 'outside'>

/**
 * The call as the person may read it. What an entry of the inbox says holds the ids of sealed words in their place, and its mark from outside
 * is what the content says.
 * @returns null when the call does not wait
 */
export function openedIn(approvals: readonly Approval[], asked: Asked): Asked | null {
  const found = approvals.find(({ id }) => id === asked.id)
  if (found === undefined) return null
  return { ...asked, call: found.call, isOutside: asked.isOutside || found.outside === true }
}
