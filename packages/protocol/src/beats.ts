import type {
  BeingName,
  Cognition,
  Decision,
  Digest,
  HeadRef,
  JsonObject,
  MomentId,
  OutcomeKind,
  PinnedStack,
  RoleName,
} from '@treeos/core/workflow'
import type { Program } from '@treeos/roles/workflow'

/**
 * What passes between the workflow and its activities. All of it is in Temporal's history for ever, so it holds ids,
 * names, digests and the slice of the world that a flow reads; never a prompt, a wake's content, a face or an answer.
 */

/** A result with the digest of the arguments it was made from: history does not hold a local activity's arguments. */
export interface Attested<T> {
  readonly args: Digest
  readonly value: T
}

export interface BeginInput {
  readonly being: BeingName
  /** first run id of the execution chain */
  readonly chain: string
}
export interface Begun {
  readonly generation: number
  /** number of the next moment, from 1 without gaps over all generations */
  readonly n: number
}

export interface OpenInput {
  readonly being: BeingName
  readonly generation: number
  readonly n: number
  readonly moment: MomentId
  /** digest of the program the workflow holds; null at the start of a run */
  readonly program: Digest | null
}
export interface OpenedMoment {
  readonly moment: MomentId
  readonly programDigest: Digest
  /** null when the workflow holds this one already */
  readonly program: Program | null
  readonly context: JsonObject
  readonly cognition: Cognition
  readonly asked: RoleName | null
  /** what a role's `triggerOn` must hold; left out where no role of the program has one */
  readonly trigger?: string
  /** its thread was cut; left out when it was not */
  readonly cut?: true
  /** a person decided before the moment opened: there is nothing to think */
  readonly decided: boolean
  /** of the reels that program and context came from */
  readonly heads: readonly HeadRef[]
  /** of everything that was read */
  readonly basis: Digest
  /** left out when the being never wakes by itself */
  readonly idle?: {
    /** of silence, after which it does */
    readonly seconds: number
    /** the wake came from outside, so a silence begins anew with this moment */
    readonly afresh: boolean
  }
}

/** Nothing wakes the being now; after so much silence it wakes by itself. */
export interface Resting {
  readonly resting: true
  readonly idleSeconds: number
}

export interface ThinkInput {
  readonly moment: MomentId
  readonly stack: PinnedStack
}
export interface DecisionRef {
  readonly kind: Decision['kind']
  readonly digest: Digest
}

export interface StampInput {
  readonly being: BeingName
  readonly generation: number
  readonly n: number
  readonly moment: MomentId
  /** null when the moment is skipped */
  readonly stack: PinnedStack | null
  /** why it is skipped; null otherwise */
  readonly skip: string | null
  /** digest of what the mind answered; null when a person decided or the mind failed */
  readonly decision: Digest | null
  /** code of a mind that gave no answer within its retries */
  readonly failed: string | null
  /** code of an effect that came to nothing within its attempts; left out before one is asked for, and when it was done */
  readonly effect?: string
}
/** The act has passed both gates, and does something outside before it is stamped. */
export interface PendingEffect {
  readonly effect: {
    /** the activity that does it has the same name */
    readonly operation: string
    readonly timeoutSeconds: number
    readonly attempts: number
  }
}
export interface StampedMoment {
  readonly moment: MomentId
  readonly kind: OutcomeKind
  readonly reason: string | null
  readonly stack: Digest | null
  readonly surface: Digest | null
  readonly prompt: Digest | null
  /** of the act; null unless the moment is sealed */
  readonly act: Digest | null
  /** of the moment's record, which links to the record before */
  readonly record: Digest
  /** of the reels the act wrote */
  readonly heads: readonly HeadRef[]
  /** wakes in line when this one was closed, at most 1000 */
  readonly waiting: number
}

export interface IntakeInput {
  readonly being: BeingName
  /** made by the workflow, so that a rerun puts in nothing twice */
  readonly id: string
  readonly act: JsonObject
}

export interface IdleInput {
  readonly being: BeingName
  readonly generation: number
  /** number of the next moment */
  readonly n: number
  readonly seconds: number
}

/** A schedule of a being, by name: all that a schedule's workflow is started with. What the schedule says is in the being's row. */
export interface ScheduleRef {
  readonly being: BeingName
  readonly name: string
}

export interface ScheduledInput extends ScheduleRef {
  /** the time it was due, ISO 8601 */
  readonly at: string
}

/** Short, idempotent, within the workflow task. */
export interface LocalBeats {
  beginLife(input: BeginInput): Promise<Attested<Begun>>
  openMoment(input: OpenInput): Promise<Attested<OpenedMoment | Resting | null>>
  stampMoment(input: StampInput): Promise<Attested<StampedMoment | PendingEffect>>
  intake(input: IntakeInput): Promise<Attested<{ readonly accepted: boolean }>>
  wakeIdle(input: IdleInput): Promise<Attested<{ readonly accepted: boolean }>>
  wakeScheduled(input: ScheduledInput): Promise<Attested<{ readonly accepted: boolean }>>
}

/** The one beat that waits for a mind. */
export interface MindBeats {
  think(input: ThinkInput): Promise<DecisionRef>
}

/** What reaches outside of the world, by the name of its operation: request and result are in Postgres. */
export type Effects = Readonly<Record<string, (input: { readonly moment: MomentId }) => Promise<null>>>
