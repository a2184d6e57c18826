import type { Breach } from './budget.ts'
import type { Json, JsonObject } from './json.ts'
import type { BeingName, MomentId, RoleName } from './names.ts'
import type { Cognition } from './stack.ts'

/** Lower comes first; among equals the oldest. */
export const PRIORITIES = { human: 1, interactive: 3, background: 4 } as const
export type Priority = keyof typeof PRIORITIES

export function priorityName(rank: number): Priority {
  if (rank <= PRIORITIES.human) return 'human'
  return rank <= PRIORITIES.interactive ? 'interactive' : 'background'
}

/**
 * Why an inbox row is there.
 * - `summon`: another being speaks. It wakes the being; a person's stays open until it is answered
 * - `act`: a call that a person made; its moment runs exactly that call
 * - `event`: the being's own wake (a change, a schedule, an idle timer, a self-continue, a look, a refusal, a failed summon). Only a
 *   self-continue, a look and a refusal have a caller: that of the wake which they go on from
 */
export type WakeKind = 'summon' | 'act' | 'event'

/**
 * The sender of a summon, as it was when it spoke. The substrate fills it in; it is never read from content.
 */
export interface Caller {
  readonly name: BeingName
  /** primary role in the moment that spoke */
  readonly role: RoleName | null
  readonly cognition: Cognition
}

/** One row of an inbox. */
export interface Wake {
  /** the summon's correlation; also the idempotency key of its sender */
  readonly id: string
  readonly being: BeingName
  readonly kind: WakeKind
  /** {@link PRIORITIES} */
  readonly priority: number
  readonly caller: Caller | null
  readonly content: Json
  /** correlation of the first summon of the chain; its own id when it starts one */
  readonly root: string
  /** the correlation that this one answers */
  readonly inReplyTo: string | null
  /** a role that the sender asked for */
  readonly askedRole: RoleName | null
  /**
   * how deep it is in its cause chain: every summon counts but the answer to a question, and every wake by
   * change
   */
  readonly hops: number
  /** steps of a being that led here: self-continues, looks and refusals */
  readonly continues: number
  /** hash of the fact on the sender's reel, for wakes that a fact caused */
  readonly cause: string | null
  /** the wake that this one goes on from, which its being has still to answer; left out for other wakes, and once it has */
  readonly answers?: string
  /** moments in a row that were refused and led here; left out for 0 */
  readonly refusals?: number
  /** false: its sender wants no answer, so none is sent; left out when it may be answered */
  readonly expectReply?: false
  /** the name of the conversation that its sender said it in; left out without one */
  readonly channel?: string
  /** handle of the overlay that its sender gave it; left out without one */
  readonly overlay?: string
  /**
   * its words came from outside of the reality, or from a moment that held such words; left out for all
   * others
   */
  readonly outside?: true
  /**
   * how its being asked to look when it summoned itself; left out where it did not say, and for all other
   * wakes
   */
  readonly orientation?: Orientation
}

/**
 * Where a moment looks: `forward` at the world; `half` at the world and at own past acts that a cause links
 * to it; `inward` at own past acts alone. Only a being itself may ask for one.
 */
export const ORIENTATIONS = ['forward', 'half', 'inward'] as const
export type Orientation = (typeof ORIENTATIONS)[number]
/** An orientation that shows past acts. */
export type LookingBack = Exclude<Orientation, 'forward'>

/**
 * The word for a wake in a role's `triggerOn`: `message`, `schedule`, `change`, `idle`, or `extension:name` where the event's id
 * begins with it. A notice is a message.
 * @returns null for wakes that no role refuses: a person's act, and those by which a being goes on
 */
export function triggerOf({ kind, id }: Pick<Wake, 'kind' | 'id'>): string | null {
  if (kind === 'act' || isContinuation({ kind, id })) return null
  const [begins = ''] = id.split('/')
  return kind === 'event' && (OWN_TRIGGERS.has(begins) || begins.includes(':')) ? begins : 'message'
}

/** Whether a cut of the thread ends the wake. Wakes by change, schedule or idle timer outlive it. */
export function isOfThread(wake: Pick<Wake, 'kind' | 'id'>): boolean {
  const trigger = triggerOf(wake)
  return trigger === null || trigger === 'message'
}

/** Start of the id of the wake that shows a being what it looked at; the moment that looked follows. */
export const LOOK_PREFIX = 'look/'
/** Start of the id of the wake with which a being goes on after an act; the moment that acted follows. */
export const CONTINUE_PREFIX = 'continue/'
/** Start of the id of the wake with which a model decides again after a refusal; the moment that was refused follows. */
export const REFUSED_PREFIX = 'refused/'

/**
 * Start of the id of the wake by which a being makes the next of several reads that its mind wrote in one answer; the moment of the read
 * before follows. To whoever it is told, it is a wake by which the being goes on.
 */
export const READ_PREFIX = 'read/'

/** Starts of the ids of the wakes that are steps of a being. The moment before follows. */
export const STEP_PREFIXES: readonly string[] = [CONTINUE_PREFIX, LOOK_PREFIX, REFUSED_PREFIX, READ_PREFIX]

/**
 * Start of the id of the wake by which a being carries out a call that was approved; the moment that asked
 * follows.
 */
export const APPROVED_PREFIX = 'approved/'
/** Start of the id of the wake that tells a being that its call was denied; the moment that asked follows. */
export const DENIED_PREFIX = 'denied/'
/** The same for a call that nobody answered in time. */
export const EXPIRED_PREFIX = 'expired/'
/** Start of the id of the inbox entry that asks a person; the moment that asked and the person follow. */
export const ASKED_PREFIX = 'asked/'

const CONTINUATIONS = [...STEP_PREFIXES, APPROVED_PREFIX, DENIED_PREFIX, EXPIRED_PREFIX]

/** Whether a being goes on by this wake with what woke it before. */
export const isContinuation = ({ kind, id }: Pick<Wake, 'kind' | 'id'>): boolean =>
  kind === 'event' && CONTINUATIONS.some((prefix) => id.startsWith(prefix))

/** The approval that a wake carries out: the id of the moment that asked. Null for any other wake. */
export const approvalOf = ({ kind, id }: Pick<Wake, 'kind' | 'id'>): MomentId | null =>
  kind === 'event' && id.startsWith(APPROVED_PREFIX) ? id.slice(APPROVED_PREFIX.length) : null

/** Whether a being makes the next of several reads by this wake. */
export const isQueuedRead = ({ kind, id }: Pick<Wake, 'kind' | 'id'>): boolean =>
  kind === 'event' && id.startsWith(READ_PREFIX)

/**
 * Whether a wake holds the call of its moment, so that no mind is asked: a person's act, a call that was
 * approved, or the next of several reads.
 */
export const holdsCall = (wake: Pick<Wake, 'kind' | 'id'>): boolean =>
  wake.kind === 'act' || approvalOf(wake) !== null || isQueuedRead(wake)

/**
 * Why a wake is there, in one word: `message`, `answer` or `act` of a being; else the first part of the id, which only the substrate and
 * extensions give to such a wake: `continue`, `look`, `refused`, `change`, `schedule`, `idle`, `notice`, …
 */
export function wakeLabel({ kind, id, inReplyTo }: Pick<Wake, 'kind' | 'id' | 'inReplyTo'>): string {
  if (kind === 'act') return 'act'
  if (kind === 'summon') return inReplyTo === null ? 'message' : 'answer'
  if (isQueuedRead({ kind, id })) return 'continue'
  const slash = id.indexOf('/')
  return slash < 0 ? 'event' : id.slice(0, slash)
}

/**
 * The wake that a moment has still to answer: its own, or the one that it goes on from; null once that is
 * answered.
 */
export const questionOf = (wake: Pick<Wake, 'kind' | 'id'>, answers: string | null): string | null =>
  answers ?? (isContinuation(wake) ? null : wake.id)

/** The question that a moment has to answer: who asked, and how deep in its cause chain. */
export interface OwedAnswer {
  /** the wake by which it was asked */
  readonly id: string
  readonly caller: Caller
  /** of its wake; an answer is as deep, and what is asked for it is one deeper */
  readonly hops: number
}

/** Those of others whose answers a being has got for what it owes, with whoever answers by the wake of its moment. */
export function heardWith(
  { kind, inReplyTo, caller }: Pick<Wake, 'kind' | 'inReplyTo' | 'caller'>,
  before: readonly BeingName[],
  being: BeingName,
): readonly BeingName[] {
  const answers = kind === 'summon' && inReplyTo !== null ? caller : null
  const isNew = answers !== null && answers.name !== being && !before.includes(answers.name)
  return isNew ? [...before, answers.name] : before
}

type AskingWake = Pick<Wake, 'id' | 'kind' | 'caller' | 'inReplyTo' | 'expectReply' | 'hops'>

/** The question that a wake of a being asks; null where its sender wants no answer, gives one, or is the being itself. */
export const askedBy = (
  { id, kind, caller, inReplyTo, expectReply, hops }: AskingWake,
  being: BeingName,
): OwedAnswer | null =>
  kind === 'summon' && caller !== null && caller.name !== being && inReplyTo === null && expectReply !== false
    ? { id, caller, hops }
    : null

/** What an open record says of whom its moment answers. */
export interface OwingRecord {
  readonly wake: AskingWake
  /** of a moment that brings a yes: the word for the wake of the moment that asked; else left out */
  readonly asKind?: string
  readonly caller: Caller | null
  /** the question that it is about, while that is neither answered nor let go; left out for none */
  readonly owed?: OwedAnswer
}

/** Whether a person chose what a moment does: then it answers what that names, whatever the being owes. */
export const isChosen = ({ wake, asKind }: OwingRecord): boolean => wake.kind === 'act' || asKind === 'act'

/** The question that a moment has to answer: the recorded one, which may be left out where its own wake asks it. */
export const owedIn = (open: OwingRecord, being: BeingName): OwedAnswer | null =>
  isChosen(open) ? null : (open.owed ?? askedBy(open.wake, being))

/** Whom a moment answers unless it says otherwise. */
export const askerIn = (open: OwingRecord, being: BeingName): BeingName | null =>
  (isChosen(open) ? open.caller : owedIn(open, being)?.caller)?.name ?? null

/** Whether a being summoned itself. Then nobody waits for it but whoever asked what it still has to answer. */
export const isToSelf = (
  { kind, caller }: Pick<Wake, 'kind'> & Partial<Pick<Wake, 'caller'>>,
  being: BeingName,
): boolean => kind === 'summon' && caller?.name === being

const OWN_TRIGGERS: ReadonlySet<string> = new Set(['schedule', 'change', 'idle'])

/** A look at one address, or at 2 to LIMITS.addressesMax. */
export type SeeCall =
  | { readonly verb: 'see'; readonly address: string }
  | { readonly verb: 'see'; readonly addresses: readonly string[] }

export const addressesOf = (call: SeeCall): readonly string[] =>
  'addresses' in call ? call.addresses : [call.address]

/** One call of a verb: the decision of a model, a person or a script. */
export type VerbCall =
  | SeeCall
  | {
      readonly verb: 'do'
      readonly operation: string
      readonly target: string | null
      readonly args: JsonObject
      /** handle of an overlay for the model calls of its skill or task; the text is in a vault, never here */
      readonly overlay?: string
    }
  | {
      readonly verb: 'summon'
      /** null: the being that woke this one */
      readonly target: string | null
      readonly content: Json
      /** null: the wake's own correlation, when the target is the being that woke this one */
      readonly inReplyTo: string | null
      readonly priority?: Priority
      readonly role?: RoleName
      readonly orientation?: Orientation
      /** the thread it continues, by its id; left out, it belongs to the thread of the moment that says it */
      readonly thread?: string
      /** the name of a conversation: all threads in which something was said under this name */
      readonly channel?: string
      /**
       * handle of an overlay for the model call that this summon causes; the text is in a vault, never here
       */
      readonly overlay?: string
      /** left out: false where a being announces, in a role with `selfContinue: true`; else true */
      readonly expectReply?: boolean
    }
  | { readonly verb: 'be'; readonly operation: string; readonly args: JsonObject }

export type DoCall = Extract<VerbCall, { readonly verb: 'do' }>

/** Which model was asked to decide, and how. It is part of what it decided, so that the chain holds it. */
export interface DecidingModel {
  /** the name that it was asked by */
  readonly asked: string
  /** the name that its server gave it in the answer; null where it gave none */
  readonly named: string | null
  /** of its connection; left out for the default one of the reality */
  readonly connection?: string
  /** all that the request said beside prompt and tools, or its digest where that is long */
  readonly settings: JsonObject
}

/** The decision of one moment. The first one that is recorded counts. */
export type Decision = (
  | {
      readonly kind: 'call'
      readonly call: VerbCall
      readonly content: string | null
      /**
       * the model called nothing: its prose is the answer, as its role says; left out where it called a tool
       */
      readonly prose?: true
      /** how many calls the model wrote after this one, none of which was made; left out for none */
      readonly ignoredCalls?: number
      /**
       * the other calls of the same answer, where all are reads: each is made in a moment of its own, before the
       * model is asked again. At most {@link LIMITS.readsMax}; left out for none
       */
      readonly reads?: readonly DoCall[]
    }
  | { readonly kind: 'see'; readonly content: string | null }
  | {
      readonly kind: 'failure'
      readonly code: string
      readonly message: string
      /** set by the substrate when no model was called, since the call might have cost too much */
      readonly breach?: Breach
      /** what the model wrote could not be read as a call; left out for any other failure */
      readonly miscall?: true
    }
) & {
  /** left out where no model was asked */
  readonly model?: DecidingModel
}

/**
 * How a moment ended. `reason` is a code for a failure, a short name for a skip; `waiting` for a person's yes
 * to its call.
 */
export const OUTCOMES = ['act', 'see', 'failure', 'skipped', 'waiting'] as const
export type OutcomeKind = (typeof OUTCOMES)[number]

/**
 * Reasons that refuse a call and are not rules of the two gates. No reel holds them, so a replay cannot ask
 * about such a refusal again.
 * - `thread`: the thread was cut meanwhile
 * - `inbox`: what it answers was answered before, or an inbox was full
 * - `lease`: the lease of its driver had expired
 * - `effect`: its effect gave no result
 * - `erasing`: what it erases is not there any more, or others rest on it
 * - `storage`: Postgres cannot store it, or a guard of the record refuses it
 * - `count`: another act that the same rule counts waits for the outside
 */
export type OtherRefusal = 'thread' | 'inbox' | 'lease' | 'effect' | 'erasing' | 'storage' | 'count'

/** A wake that tells of a failure or a limit. */
export interface Notice extends Wake {
  /** notices to one person that share it are one entry with a count */
  readonly notice: string
}

/**
 * A wake of no cause and no caller, which begins a thread of its own, with the given fields in place of
 * these.
 */
export const newWake = (
  given: Pick<Wake, 'id' | 'being' | 'kind' | 'priority' | 'content'> & Partial<Wake>,
): Wake => ({
  caller: null,
  root: given.id,
  inReplyTo: null,
  askedRole: null,
  hops: 0,
  continues: 0,
  cause: null,
  ...given,
})
