import type { FactHeader, HeadRef } from './fact.ts'
import type { Json } from './json.ts'
import type { BeingName, MatterId, MomentId, ReelId, RoleName } from './names.ts'

/**
 * What a moment read beside rows: single facts, and tables that are not reels. The open record keeps it, so
 * that replay reads the same. Facts are kept by reference, so their content can still be erased. A field is
 * absent when nobody asked for it.
 */
export interface Aside {
  /**
   * the last words between the being and others in the thread of its wake, oldest first; without the wake
   * itself
   */
  readonly said?: { readonly facts: readonly HeadRef[]; readonly earlier: number }
  /** facts of the being's last act */
  readonly did?: readonly HeadRef[]
  /** the primary role that each being wore in its last act; without those that never acted */
  readonly wore?: Readonly<Record<BeingName, RoleName>>
  /** open wakes of the being, other than that of the moment */
  readonly waiting?: { readonly wakes: readonly WaitingWake[]; readonly more: number }
  /** open threads that the being has a part in */
  readonly threads?: { readonly threads: readonly OpenThread[]; readonly more: number }
  /** what a search of notes found */
  readonly recalled?: RecalledNotes
  /** what a moment that looks back read of the being's own past acts */
  readonly past?: PastActs<HeadRef>
}

/** What a search of notes is for. */
export interface RecallAsked {
  /** the words that are searched for */
  readonly about: string
  /** whose notes are searched, besides those of the being itself: its makers */
  readonly makers: readonly BeingName[]
  /** spaces whose notes are searched, whoever wrote them */
  readonly places: readonly string[]
  /** true: notes from outside that nobody vouched for are found, too */
  readonly outside: boolean
}

export type SeenNotes = (ids: readonly MatterId[]) => Promise<ReadonlySet<MatterId>>

/** What a search of notes found, best first: replay reads it, and searches nothing. */
export interface RecalledNotes {
  readonly notes: readonly {
    readonly id: MatterId
    /** 0: of the being itself, 1: of a maker, 2: of another, 3: from outside */
    readonly rank: number
    /** how well it fits, within its rank, in thousandths */
    readonly score: number
  }[]
  /** notes of the being itself that fit, too, and are not among them */
  readonly more: number
  /** notes of the being itself that fit, are from outside, and wait until somebody vouches for them */
  readonly held: number
  /** the search failed, so nothing is known of notes; left out for one that did not */
  readonly failed?: true
}

/** Own past acts of a being, the newest first: their facts, each followed by what it caused. */
export interface PastActs<Of> {
  readonly facts: readonly Of[]
  /** acts that were found and left out, since the newest are enough */
  readonly earlier: number
  /** acts that were not searched, since they are too long ago; left out for 0 */
  readonly unasked?: number
  /** one of the facts was written in a moment that held words from outside; left out where none was */
  readonly outside?: true
}

/** A wake in an inbox, without its content. */
export interface WaitingWake {
  readonly id: string
  readonly kind: string
  readonly from: BeingName | null
  readonly thread: string
  /** ms since 1970 UTC */
  readonly at: number
}

export interface OpenThread {
  readonly thread: string
  /** open wakes, of the being and from it */
  readonly open: number
  /** the others, sorted */
  readonly with: readonly BeingName[]
}

/** Most facts, wakes and threads that one moment reads. */
export const ASIDE_BOUNDS = { saidMax: 24, didMax: 8, wakesMax: 16, threadsMax: 8, recalledMax: 24 } as const

/**
 * Of a moment that looks back: most acts that it searches and reads, and most facts of one act, and of what
 * one act caused.
 */
export const PAST_BOUNDS = { searchedMax: 1000, actsMax: 16, factsMax: 8, causedMax: 8 } as const

/** A fact that a moment cites. */
export interface CitedFact {
  readonly ref: HeadRef
  readonly kind: string
  /** null once it is erased */
  readonly payload: Json
}

/** A fact of the past, with what its header says of how it came about. */
export interface PastFact extends CitedFact, Pick<FactHeader, 'actor' | 'at' | 'cause'> {
  readonly moment: MomentId
}

/** What a moment reads beside rows. The answers are recorded with the moment, see `Aside`. */
export interface AsideSource {
  /**
   * words between the being and others in the thread of its wake, oldest first, and how many came before them
   */
  said(): Promise<{ readonly facts: readonly CitedFact[]; readonly earlier: number }>
  /** facts of the being's last act */
  did(): Promise<readonly CitedFact[]>
  /** the primary role of the last act of each of these beings; without those that never acted */
  wore(beings: readonly BeingName[]): Promise<Readonly<Record<BeingName, RoleName>>>
  waiting(): Promise<NonNullable<Aside['waiting']>>
  threads(): Promise<NonNullable<Aside['threads']>>
  /**
   * notes that fit
   * @param seen those of these ids that the being may see; replay does not ask, since only these are recorded
   */
  recalled(asked: RecallAsked, seen: SeenNotes): Promise<RecalledNotes>
  /** own past acts that a cause links to one of these reels; all of them for null */
  past(reels: readonly ReelId[] | null): Promise<PastActs<PastFact>>
}

/** For a world without moments and inboxes. */
export const NO_ASIDE: AsideSource = {
  said: async () => ({ facts: [], earlier: 0 }),
  did: async () => [],
  wore: async () => ({}),
  waiting: async () => ({ wakes: [], more: 0 }),
  threads: async () => ({ threads: [], more: 0 }),
  recalled: async () => ({ notes: [], more: 0, held: 0 }),
  past: async () => ({ facts: [], earlier: 0 }),
}
