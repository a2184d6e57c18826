import type { Breach } from './budget.ts'
import type { Json, JsonObject } from './json.ts'
import type { BeingName, RoleName } from './names.ts'
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
 * - `event`: the being's own wake (a change, a schedule, an idle timer, a self-continue, a failed summon); no caller
 */
export type WakeKind = 'summon' | 'act' | 'event'

/** The sender of a summon, as it was when it spoke. The substrate fills it in; it is never read from content. */
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
  /** summons before this one in its cause chain */
  readonly hops: number
  /** self-continues since the last wake from outside */
  readonly continues: number
  /** hash of the fact on the sender's reel, for wakes that a fact caused */
  readonly cause: string | null
}

/** How much of its own past a moment shows; `forward` shows none. Only a being itself may ask for another one. */
export const ORIENTATIONS = ['forward', 'half', 'inward'] as const
export type Orientation = (typeof ORIENTATIONS)[number]

/**
 * The word for a wake in a role's `triggerOn`: `message`, `schedule`, `change`, `idle`, or `extension:name` where the event's id
 * begins with it. A notice is a message.
 * @returns null for wakes that no role refuses: a person's act, and a self-continue
 */
export function triggerOf({ kind, id }: Pick<Wake, 'kind' | 'id'>): string | null {
  const [begins = ''] = id.split('/')
  if (kind === 'act' || (kind === 'event' && begins === 'continue')) return null
  return kind === 'event' && (OWN_TRIGGERS.has(begins) || begins.includes(':')) ? begins : 'message'
}

/** Whether a cut of the thread ends the wake. Wakes by change, schedule or idle timer outlive it. */
export function isOfThread(wake: Pick<Wake, 'kind' | 'id'>): boolean {
  const trigger = triggerOf(wake)
  return trigger === null || trigger === 'message'
}

const OWN_TRIGGERS: ReadonlySet<string> = new Set(['schedule', 'change', 'idle'])

/** One call of a verb: the decision of a model, a person or a script. */
export type VerbCall =
  | { readonly verb: 'see'; readonly address: string }
  | {
      readonly verb: 'do'
      readonly action: string
      readonly target: string | null
      readonly args: JsonObject
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
      /** a name for the place it was said in, recorded in the fact and read by nothing yet */
      readonly channel?: string
    }
  | { readonly verb: 'be'; readonly operation: string; readonly payload: JsonObject }

/** The decision of one moment. The first one that is recorded counts. */
export type Decision =
  | { readonly kind: 'call'; readonly call: VerbCall; readonly content: string | null }
  | { readonly kind: 'see'; readonly content: string | null }
  | {
      readonly kind: 'failure'
      readonly code: string
      readonly message: string
      /** set by the substrate when no model was called, since the call might have cost too much */
      readonly breach?: Breach
    }

/** How a moment ended. `reason` is a code for a failure, a short name for a skip. */
export const OUTCOMES = ['act', 'see', 'failure', 'skipped'] as const
export type OutcomeKind = (typeof OUTCOMES)[number]

/** A wake of no cause and no caller, which begins a thread of its own, with the given fields in place of these. */
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
