import { type BeingName, type Json, type OutcomeKind, stanceOf } from '@treeos/core'
import { readerOf } from '@treeos/reality'
import { listThreadEntries, type ThreadEntry } from '@treeos/store'
import { toldContent, toldText } from '@treeos/world'
import { pastsFor } from '../access/past-access.ts'
import { see } from '../addresses/see.ts'
import type { SeeConnection } from '../beings/being-snapshot.ts'
import { isAskingBack } from './asks-back.ts'
import { type OwedQuestion, owedQuestions, type ThreadView, thread } from './threads.ts'

/** What was said in a thread, or what woke a being in it. */
export interface ThreadLine {
  readonly id: string
  /** ISO 8601, UTC */
  readonly at: string
  /** null where no being spoke */
  readonly from: string | null
  readonly to: string
  /** whether a being spoke, or something happened that woke one */
  readonly kind: 'words' | 'event'
  /** in plain words what was said or what happened */
  readonly text: string
  readonly content: Json
  readonly inReplyTo: string | null
  /** it is an answer that asks in turn; left out for all others */
  readonly asksBack?: true
  /** of an answer: stances of those whose answers it followed; left out for nobody */
  readonly followed?: readonly string[]
  /** it tells of a failure or a limit */
  readonly notice: boolean
  /** its words come from outside; left out for all others */
  readonly outside?: true
  readonly isOpen: boolean
  /** the moment that it woke; null while there is none */
  readonly moment: {
    readonly n: number
    readonly outcome: OutcomeKind
    /** the code of a failure, a short name of a skip; left out where the kind says all */
    readonly reason?: string
    /** of a failure */
    readonly message?: string
  } | null
}

export interface Conversation extends ThreadView {
  /** oldest first */
  readonly lines: readonly ThreadLine[]
  /**
   * lines between beings whose past the person may not look into, and lines that are older than those shown
   */
  readonly hidden: number
  /** questions that somebody still works on, as far as one may read them */
  readonly owed: readonly OwedQuestion[]
}

const LINES_MAX = 500

/**
 * A thread as a person may read it. Both gates decide whether it sees the thread at all. Of its lines it
 * reads those that a being whose past is open to it said or was told.
 * @throws {TreeosError} as `see`
 */
export async function converse(at: SeeConnection, as: BeingName, id: string): Promise<Conversation> {
  await see(at, as, `thread:${id}`)
  const of = await pastsFor(readerOf(at), as)
  const owed = await owedQuestions(at.db, id, of) // asked first: what is not owed has its answer by then
  const { entries, all } = await listThreadEntries(at.db, id, { of, last: LINES_MAX })
  return { ...(await thread(at.db, id)), lines: entries.map(lineOf), hidden: all - entries.length, owed }
}

export function lineOf({ entry, followed, ended }: ThreadEntry): ThreadLine {
  const content = toldContent(entry)
  return {
    id: entry.id,
    at: new Date(entry.at).toISOString(),
    from: entry.caller === null ? null : stanceOf(entry.caller.name),
    to: stanceOf(entry.being),
    kind: entry.kind === 'event' ? 'event' : 'words',
    text: toldText({ wake: entry, content }, entry.being),
    content,
    inReplyTo: entry.inReplyTo,
    ...(isAskingBack(entry) ? { asksBack: true } : {}),
    ...(followed.length === 0 ? {} : { followed: followed.map(stanceOf) }),
    notice: entry.isNotice,
    ...(entry.outside === true ? { outside: true } : {}),
    isOpen: entry.closedBy === null,
    moment: ended === null ? null : turnEnd(ended),
  }
}

const turnEnd = ({
  n,
  kind,
  reason,
  detail,
}: NonNullable<ThreadEntry['ended']>): NonNullable<ThreadLine['moment']> => ({
  n,
  outcome: kind,
  ...(reason === null ? {} : { reason }),
  ...(detail === null ? {} : { message: detail }),
})
