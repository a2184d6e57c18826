import {
  ASKED_PREFIX,
  type BeingName,
  type Json,
  type Priority,
  priorityName,
  quote,
  stanceOf,
  TreeosError,
} from '@treeos/core'
import { authorizeActingAs, type Presence } from '@treeos/reality'
import { countOpenSummons, findEntry, type InboxEntry, listOpenSummons, listStandings } from '@treeos/store'
import { toldContent, toldText } from '@treeos/world'
import { isAskingBack } from '../threads/asks-back.ts'

/**
 * What an entry asks of its person: an answer (`question`), a yes or a no (`approval`), a decision about a
 * budget (`budget`), words, since an answer asks in turn (`asks-back`). Nothing is asked by an answer to a
 * question of its own (`answer`), a `notice`, an announcement (`news`), and what woke it otherwise (`event`).
 */
export const INBOX_KINDS = [
  'question',
  'approval',
  'budget',
  'asks-back',
  'answer',
  'notice',
  'news',
  'event',
] as const
export type InboxKind = (typeof INBOX_KINDS)[number]

/** An open entry of an inbox, as people see it. */
export interface InboxView {
  readonly correlation: string
  readonly kind: InboxKind
  /** id of the thread that it belongs to */
  readonly thread: string
  readonly from: string | null
  /** the role in which that being spoke; left out without one */
  readonly role?: string
  readonly content: Json
  /** in plain words what was said or what happened */
  readonly text: string
  /** ISO 8601, UTC */
  readonly at: string
  readonly priority: Priority
  /** true: it tells of a failure or a limit, and needs no answer; left out otherwise */
  readonly notice?: true
  /** how many equal notices it stands for, and when the last of them came; left out while it is one */
  readonly times?: number
  /** its words come from outside; left out for all others */
  readonly outside?: true
  readonly latest?: string
}

/** One page of an inbox. */
export interface InboxPage {
  readonly items: InboxView[]
  /** the correlation of the last one, to give as `after`; null: no more wait */
  readonly next: string | null
}

/**
 * What waits for a being's answer or to be read, oldest first.
 * @throws {TreeosError} BEING_NOT_FOUND, FORBIDDEN when the person may not act as the being
 */
export async function inbox(at: Presence, as: BeingName): Promise<InboxView[]> {
  await authorizeActingAs(at, as)
  return described(at.db, await listOpenSummons(at.db, as))
}

/**
 * The same, page by page.
 * @throws {TreeosError} INVALID_INPUT when `after` names no entry of this inbox; as {@link inbox}
 */
export async function inboxPage(
  at: Presence,
  as: BeingName,
  {
    after,
    limit,
    kind,
    isNewestFirst = false,
  }: {
    readonly after?: string | undefined
    readonly limit: number
    /** only these; a flood of others hides none of them */
    readonly kind?: InboxKind | undefined
    readonly isNewestFirst?: boolean
  },
): Promise<InboxPage> {
  await authorizeActingAs(at, as)
  if (after !== undefined && (await findEntry(at.db, after))?.being !== as)
    throw new TreeosError(
      'INVALID_INPUT',
      `${quote(after)} is not an entry of this inbox, so nothing comes after it`,
    )
  const entries = await listOpenSummons(at.db, as, { after, limit: limit + 1, kind, isNewestFirst })
  const items = await described(at.db, entries.slice(0, limit))
  return { items, next: entries.length > limit ? (items.at(-1)?.correlation ?? null) : null }
}

/**
 * What waits in an inbox, counted. Whoever keeps a list of it asks for the list anew once this is another.
 */
export interface InboxCounts {
  /** how many wait of each kind */
  readonly open: Readonly<Record<InboxKind, number>>
  /** when the newest of them came; ISO 8601, UTC; null where nothing waits */
  readonly newest: string | null
}

/** Counts what `inbox` lists. @throws {TreeosError} as {@link inbox} */
export async function inboxCounts(at: Presence, as: BeingName): Promise<InboxCounts> {
  await authorizeActingAs(at, as)
  const counts = await countOpenSummons(at.db, as)
  const countOf = (kind: InboxKind) => counts.find((one) => one.kind === kind)?.count ?? 0
  const open = Object.fromEntries(INBOX_KINDS.map((kind) => [kind, countOf(kind)])) as Record<
    InboxKind,
    number
  >
  const newest = counts.length === 0 ? null : Math.max(...counts.map((one) => one.newest))
  return { open, newest: newest === null ? null : new Date(newest).toISOString() }
}

/** An entry by itself: whether a being is still parked is not asked. */
export function describeInboxEntry(entry: InboxEntry): InboxView {
  const content = toldContent(entry)
  return {
    correlation: entry.id,
    kind: inboxKind(entry),
    thread: entry.root,
    from: entry.caller === null ? null : stanceOf(entry.caller.name),
    ...(entry.caller?.role == null ? {} : { role: entry.caller.role }),
    content,
    text: toldText({ wake: entry, content }, entry.being),
    at: new Date(entry.at).toISOString(),
    priority: priorityName(entry.priority),
    ...(entry.isNotice ? { notice: true } : {}),
    ...(entry.outside === true ? { outside: true } : {}),
    ...(entry.times === 1 ? {} : { times: entry.times, latest: new Date(entry.latest).toISOString() }),
  }
}

/** Describes entries. The notice of a being that is not parked any more asks for nothing. */
async function described(db: Presence['db'], entries: readonly InboxEntry[]): Promise<InboxView[]> {
  const named = [...new Set(entries.flatMap((entry) => parkedIn(entry) ?? []))]
  const parked = new Set((await listStandings(db, named)).flatMap((one) => (one.isParked ? one.being : [])))
  return entries.map((entry) => viewAmong(entry, parked))
}

/** An entry as its person is shown it. @param parked beings that are parked now */
export function viewAmong(entry: InboxEntry, parked: ReadonlySet<BeingName>): InboxView {
  const view = describeInboxEntry(entry)
  const being = parkedIn(entry)
  return being === null || parked.has(being) ? view : { ...view, kind: 'notice' }
}

/** Only TreeOS gives an event an id that begins so; the moment that met the limit follows. */
const PARKED_PREFIX = 'parked/'

/** The being whose parking an entry tells of; null for any other entry. */
export const parkedIn = ({ id, kind }: Pick<InboxEntry, 'id' | 'kind'>): BeingName | null =>
  kind === 'event' && id.startsWith(PARKED_PREFIX) ? (id.split('/')[1] ?? null) : null

function inboxKind(entry: InboxEntry): InboxKind {
  const { id, kind, inReplyTo, isNotice, expectReply } = entry
  if (kind === 'summon' && inReplyTo === null) return expectReply === false ? 'news' : 'question'
  if (kind === 'summon') return isAskingBack(entry) ? 'asks-back' : 'answer'
  if (id.startsWith(ASKED_PREFIX)) return 'approval'
  if (id.startsWith(PARKED_PREFIX)) return 'budget'
  return isNotice ? 'notice' : 'event'
}
