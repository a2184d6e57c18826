import { t } from '../language/index.ts'
import type { InboxEntry } from './entry.ts'
import { senderOf } from './sender.ts'

/** What one looks at together: an entry, or all notices of one cause. */
export interface InboxCase {
  /** the first of them in the order of the list: the case has its address */
  readonly head: InboxEntry
  readonly entries: readonly InboxEntry[]
}

/** Entries as cases, in their order. */
export const casesOf = (entries: readonly InboxEntry[]): InboxCase[] =>
  [...Map.groupBy(entries, causeOf).values()].flatMap((some) => {
    const [head] = some
    return head === undefined ? [] : [{ head, entries: some }]
  })

/** Notices of one event with one code have one cause, whomever they tell of. */
function causeOf({ correlation, kind, content }: InboxEntry): string {
  const { event, code } = (content ?? {}) as { readonly event?: unknown; readonly code?: unknown }
  const isCause = kind === 'notice' && typeof event === 'string' && typeof code === 'string'
  return isCause ? `${event} ${code}` : `entry ${correlation}`
}

/** How often what a case tells of happened: an entry may stand for equal ones. */
export const timesOf = ({ entries }: InboxCase): number =>
  entries.reduce((sum, { times = 1 }) => sum + times, 0)

/** Of whom a case tells: `@ann and 7 more`. */
export function whoIn({ entries }: InboxCase): string {
  const names = [...new Set(entries.map(senderOf))]
  return names.length <= 2
    ? names.join(` ${t('and')} `)
    : t('{{name}} and {{more}} more', { name: names[0] ?? '', more: names.length - 1 })
}

/** Only TreeOS gives an event an id that begins so; the moment that it tells of follows. */
const OF_MOMENT = /^(?:notice|parked)\/([^/]+)\/\d+\/(\d+)(?:\/|$)/

/** The moment that a notice tells of; null for any other entry. */
export function momentIn({
  correlation,
  from,
}: Pick<InboxEntry, 'correlation' | 'from'>): { readonly being: string; readonly n: number } | null {
  const [, being, n] = (from === null ? OF_MOMENT.exec(correlation) : null) ?? []
  return being === undefined ? null : { being, n: Number(n) }
}
