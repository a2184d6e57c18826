import type { BeingName, FactDraft, ReelId, Thread, Wake } from '@treeos/core'
import type { EffectCall, EffectGiven } from '../extend/effect.ts'
import type { BeingRow, ThreadRow } from '../rows/rows.ts'
import type { Asker } from '../verbs/act-inputs.ts'
import type { CatalogRows } from '../verbs/catalogs.ts'

/** An entry of an inbox, and what closed it. */
export type KnownEntry = Wake & { readonly closedBy: string | null }

/** What a moment asked of the outside, and what came back; null while nothing did. */
export interface KnownEffect {
  readonly request: {
    readonly [Part in keyof EffectCall]: unknown
  } & {
    /** what its key follows from; both are left out of older ones */
    readonly cause?: unknown
    readonly key?: unknown
  }
  readonly result:
    | EffectGiven
    | { readonly error: { readonly code: string; readonly message: string } }
    | null
}

/**
 * What the law asks and no reel answers. A worker answers from the database as it is now; a replay from what
 * is recorded of the moment, as far as it is. The first four are recorded beside the moments that they tell
 * of. The others change with time, and nothing keeps what they were.
 */
export interface LiveQuestions {
  /** an entry of an inbox by its id; null when there is none */
  entry(id: string): Promise<KnownEntry | null>
  /**
   * the being that sent a wake, as it was when it spoke; null without one, or when its moment is not known
   */
  asker(wake: Wake): Promise<Asker | null>
  /** the effect of the moment; null while it asked for none */
  effect(): Promise<KnownEffect | null>
  /** the facts by which the act is counted whose effect is under way */
  heldCounts(): Promise<readonly Pick<FactDraft, 'reel' | 'payload'>[]>

  /** a thread as it is now; null when there is none */
  thread(id: string): Promise<Thread | null>
  /** who cut a thread; null while nobody has */
  cut(thread: string): Promise<ThreadRow | null>
  /** open entries of an inbox, and those of them that one sender sent */
  room(of: BeingName, sender: BeingName): Promise<{ readonly open: number; readonly ofSender: number }>
  /** wakes in a chain so far, counted up to its limit */
  chain(root: string): Promise<number>
  /** steps that a being took for what this wake is about: wakes by which it goes on after an act, a look or a refusal */
  continues(being: BeingName, wake: string): Promise<number>
  /** questions that a being asked for what this wake is about, and those of them that are open */
  asked(wake: string): Promise<{ readonly all: number; readonly open: number }>
  /** whether something is still to come of a question beside a wake */
  isOpen(question: string, but: string): Promise<boolean>
  /** calls that wait for a yes: of a being, and of all beings whose nearest person is the same */
  waiting(
    asker: BeingName,
    person: BeingName | null,
  ): Promise<{ readonly ofAsker: number; readonly ofPerson: number }>
  /**
   * a reel of these on which the act of another moment is counted next, since its effect is under way; null
   * without one
   */
  heldByOther(reels: readonly ReelId[]): Promise<ReelId | null>
  /** why what a tombstone names cannot be erased; null when it can, and for any other fact */
  whyNotErasable(fact: FactDraft): Promise<string | null>
  /** the rows that the catalogs of roles and operations are made from */
  catalogs(): CatalogRows
}

export type LiveQuestion = keyof LiveQuestions

/** What a conclusion rests on beside what the reader has read. */
export interface RestsOn {
  /** sorted */
  readonly live: readonly LiveQuestion[]
  /** operations of extensions that were asked, sorted */
  readonly code: readonly string[]
}

/** The same answers, and which questions were asked. */
export class AskedQuestions {
  readonly #live = new Set<LiveQuestion>()
  readonly #code = new Set<string>()
  readonly questions: LiveQuestions

  constructor(live: LiveQuestions) {
    const noting = <Q extends LiveQuestion>(question: Q): LiveQuestions[Q] => {
      const ask = live[question] as (...given: unknown[]) => unknown
      return ((...given: unknown[]) => {
        this.#live.add(question)
        return ask.apply(live, given)
      }) as LiveQuestions[Q]
    }
    this.questions = {
      entry: noting('entry'),
      asker: noting('asker'),
      effect: noting('effect'),
      heldCounts: noting('heldCounts'),
      thread: noting('thread'),
      cut: noting('cut'),
      room: noting('room'),
      chain: noting('chain'),
      continues: noting('continues'),
      asked: noting('asked'),
      isOpen: (question, but) => live.isOpen(question, but), // of what is sent, not of what the call comes to
      waiting: noting('waiting'),
      heldByOther: noting('heldByOther'),
      whyNotErasable: noting('whyNotErasable'),
      catalogs: noting('catalogs'),
    }
  }

  noteCode(operation: string): void {
    this.#code.add(operation)
  }

  get restsOn(): RestsOn {
    return { live: [...this.#live].sort(), code: [...this.#code].sort() }
  }
}

/** Questions that a replay or a verifier has to answer: what is recorded of the moment, and its thread as it is now. */
type PastQuestion = 'entry' | 'asker' | 'effect' | 'heldCounts' | 'thread'

/**
 * Answers for a call of a past moment: what is recorded, and else what lets it pass.
 * @param more what is known besides
 */
export const pastLive = (
  recorded: Pick<LiveQuestions, PastQuestion>,
  more: Partial<LiveQuestions> = {},
): LiveQuestions => nothingLive({ ...more, ...recorded })

/**
 * Answers for a call that is decided beside any moment: nothing waits, nobody asked and every inbox has room.
 * Whoever knows better gives the questions that it can answer.
 */
export const nothingLive = (known: Partial<LiveQuestions> = {}): LiveQuestions => ({
  entry: async () => null,
  asker: async () => null,
  effect: async () => null,
  heldCounts: async () => [],
  thread: async () => null,
  cut: async () => null,
  room: async () => ({ open: 0, ofSender: 0 }),
  chain: async () => 0,
  continues: async () => 0,
  asked: async () => ({ all: 0, open: 0 }),
  isOpen: async () => false,
  waiting: async () => ({ ofAsker: 0, ofPerson: 0 }),
  heldByOther: async () => null,
  whyNotErasable: async () => null,
  catalogs: () => {
    throw new Error('no catalog is shown here')
  },
  ...known,
})

/** A being of which only the name and its maker matter. */
export type Sender = Pick<BeingRow, 'name' | 'parent'>
