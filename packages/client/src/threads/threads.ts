import { type BeingName, mendedBy, quote, stanceOf, type Thread, TreeosError } from '@treeos/core'
import type { Presence } from '@treeos/reality'
import {
  type Db,
  listOpenQuestions,
  listThreads,
  listThreadsOf,
  listThreadWords,
  type ThreadsWanted,
  type ThreadWords,
  threadOf,
} from '@treeos/store'
import { openTo } from '../access/past-access.ts'
import { markOf, shortenedEntry, shownWords } from '../beings/entry-words.ts'

/** A thread as people see it: one wake, and every wake and act that it caused. */
export interface ThreadView extends Pick<Thread, 'thread' | 'state' | 'wakes' | 'open' | 'acts' | 'depth'> {
  /** when its first and its last wake arrived; ISO 8601, UTC */
  readonly began: string
  readonly moved: string
  /** stances of the beings that were woken in it, or woke another */
  readonly participants: readonly string[]
}

/** A question that has no answer yet. */
export interface OwedQuestion {
  readonly id: string
  /** stances: who asked, and who has to answer */
  readonly from: string
  readonly to: string
  /** id of the question for which it was asked, where that is owed, too; left out for none */
  readonly for?: string
}

/**
 * The questions of a thread that somebody still works on, oldest first.
 * @param of only what a being may read, by its own past and those of its offspring; null: all
 */
export const owedQuestions = async (
  db: Db,
  root: string,
  of: BeingName | null = null,
): Promise<OwedQuestion[]> =>
  (await listOpenQuestions(db, root, of)).map(({ id, asker, being, for: asked }) => ({
    id,
    from: stanceOf(asker),
    to: stanceOf(being),
    ...(asked === null ? {} : { for: asked }),
  }))

/** Threads, the one with the latest wake first. */
export async function threads(db: Db, which: ThreadsWanted): Promise<ThreadView[]> {
  return (await listThreads(db, which)).threads.map(threadView)
}

/** A thread in a list, with the words by which one knows it again. */
export interface ListedThread extends ThreadView {
  /** what it began with, shortened; null where nothing of it may be read */
  readonly subject: string | null
  /** its subject comes from outside; left out for all others */
  readonly outside?: true
  /** what was said in it last, shortened; `outside`: these words come from outside */
  readonly last: { readonly from: string | null; readonly words: string; readonly outside?: true } | null
  readonly channel: string | null
}

/**
 * Threads that a person has a part in, page by page; the first operator's are all, unless they are to be
 * `with` another being. A page may hold fewer than were asked for. Of their words it shows those that were
 * said by or to a being whose past is open to the person.
 */
export async function threadsOf(
  at: Presence,
  as: BeingName,
  which: ThreadsWanted,
): Promise<{ readonly threads: ListedThread[]; readonly next: number | null }> {
  const of = await openTo(at, as)
  const isOfAll = of === null && which.with === undefined
  const page = await (isOfAll ? listThreads(at.db, which) : listThreadsOf(at.db, as, which))
  const parts = isOfAll ? [] : [as, ...(which.with === undefined ? [] : [which.with])]
  const mine = page.threads.filter(({ participants }) => parts.every((one) => participants.includes(one)))
  const words = await listThreadWords(
    at.db,
    mine.map(({ thread }) => thread),
    of,
  )
  const known = new Map(words.map((one) => [one.thread, one]))
  return { threads: mine.map((one) => listedOf(one, known.get(one.thread))), next: page.next }
}

/** What threads began with, shortened, as far as it may be read. @param of null: all */
export const subjectsOf = async (
  db: Db,
  ids: readonly string[],
  of: BeingName | null,
): Promise<Map<string, string>> =>
  new Map((await listThreadWords(db, ids, of)).map(({ thread, first }) => [thread, shortenedEntry(first)]))

/** A thread in a list. @param words undefined where nothing of it may be read */
export function listedOf(thread: Thread, words: ThreadWords | undefined): ListedThread {
  const view = threadView(thread)
  if (words === undefined) return { ...view, subject: null, last: null, channel: null }
  const { first, last, channel } = words
  const from = last.caller === null ? null : stanceOf(last.caller.name)
  const told = { from, ...shownWords(last) }
  return { ...view, subject: shortenedEntry(first), ...markOf(first), last: told, channel }
}

/** One thread by its id. @throws {TreeosError} CORRELATION_NOT_FOUND */
export async function thread(db: Db, id: string): Promise<ThreadView> {
  const tally = await threadOf(db, id)
  if (tally !== null) return threadView(tally)
  throw new TreeosError(
    'CORRELATION_NOT_FOUND',
    `no thread ${quote(id)} began in this reality, and nothing was said in a channel of that name`,
    mendedBy({ name: 'list-threads' }),
  )
}

export function threadView({
  thread,
  state,
  wakes,
  open,
  acts,
  depth,
  began,
  moved,
  participants,
}: Thread): ThreadView {
  return {
    thread,
    state,
    began: new Date(began).toISOString(),
    moved: new Date(moved).toISOString(),
    wakes,
    open,
    acts,
    depth,
    participants: participants.map(stanceOf),
  }
}
