import type {
  BeingName,
  Cognition,
  Decision,
  Digest,
  Json,
  JsonObject,
  MomentId,
  OutcomeKind,
  PinnedStack,
  RoleName,
} from '@treeos/core/workflow'
import type { Program } from '@treeos/roles/workflow'

/**
 * Inputs and results of the activities that the workflow calls. Temporal's history keeps all of them, so they
 * hold ids, names, digests and the slice of the world that a flow reads. They never hold a prompt, a wake's
 * content, a face or an answer of a model.
 */

/**
 * A result with the digest of its first argument. History does not hold the arguments of a local activity.
 */
export interface AttestedResult<T> {
  readonly args: Digest
  readonly value: T
}

/**
 * What a workflow tells `liveMoments` beside its input. A replay may see it earlier than the run did, so only
 * what the result says again counts.
 */
export interface RunHints {
  /** signals that the workflow has heard */
  readonly heard: number
  /** seconds of silence that wake the being now; left out when it does not wake by itself */
  readonly idleSeconds?: number
  /** true after a silence that ends the run, where no wake waits; otherwise left out */
  readonly endsRun?: true
  /** true when the server suggests that the run ends; otherwise left out */
  readonly isEndSuggested?: boolean
}

/** A result with what the workflow told when it asked. */
export type WithHints<T> = AttestedResult<T> & RunHints

export interface BeginInput {
  readonly being: BeingName
  /** first run id of the workflow's execution chain */
  readonly chain: string
}
export interface BeginResult {
  readonly generation: number
  /** number of the next moment; it counts from 1 over all generations, without gaps */
  readonly n: number
  /**
   * the last moments of the generations before, oldest first: those of which no workflow may have evaluated
   * the flow. The new run does before it lives any. Left out in the first generation
   */
  readonly before?: readonly EvaluatedMoment[]
}

export interface LiveInput {
  readonly being: BeingName
  readonly generation: number
  /** number of the first moment to live */
  readonly n: number
  /** digest of the program the workflow holds; null at the start of a run */
  readonly program: Digest | null
  /** how many moments the worker may live in this workflow task, at least 1 */
  readonly room: number
}

/** What a worker did in one activity. */
export interface LivedMoments {
  /** moments that the worker opened, evaluated and ended, oldest first */
  readonly lived: readonly EndedMoment[]
  /**
   * what comes after these: nothing waits, a moment that the workflow goes on with, or one whose code this
   * worker has not. Left out when the worker stopped after a moment that it lived, which says whether wakes
   * wait
   */
  readonly stop?: RestingBeing | BeingEnded | OpenMoment | ElsewhereMoment | OutdatedMoment
}

/**
 * The code of the moment is not loaded in this worker, and nothing was done. The run waits, so that another
 * worker takes it, and asks again.
 */
export interface ElsewhereMoment {
  readonly elsewhere: { readonly waitMs: number }
}
/**
 * The moment is open, and no worker has the code that it opened with any more. The run ends. A new life
 * closes the moment and opens its wake again.
 */
export interface OutdatedMoment {
  readonly outdated: true
}

/**
 * A moment with what the worker says its flow gave. The workflow evaluates the flow over the same slice, and
 * fails by name when it gives another stack.
 */
export interface EvaluatedMoment {
  readonly opened: OpenedMoment
  /** null when the moment is skipped */
  readonly stack: PinnedStack | null
  /** reason of the skip; left out when it is not skipped */
  readonly skip?: string
}
export interface EndedMoment extends EvaluatedMoment {
  readonly ended: StampedMoment
}
/**
 * A moment whose open record is stored, and which the worker did not end. The workflow evaluates its flow
 * before anything else happens in it.
 */
export interface OpenMoment extends EvaluatedMoment {
  readonly left: PendingEffect | PendingDecision
}
/** The moment is to be decided, unless it is skipped or a person decided, and then stamped. */
export interface PendingDecision {
  readonly decides: true
  /** left out when no worker has asked the mind yet */
  readonly begun?: BegunThought
}

export interface OpenedMoment {
  readonly moment: MomentId
  /** digest of the open record, which covers all that the moment saw */
  readonly open: Digest
  /** digest of the program that the moment is evaluated by */
  readonly programDigest: Digest
  /**
   * left out when the workflow holds that program: the one that its input named, or that of the moment before
   */
  readonly program?: Program
  readonly context: JsonObject
  readonly cognition: Cognition
  readonly asked: RoleName | null
  /** compared with the `triggerOn` of each role; left out when no role of the program has one */
  readonly trigger?: string
  /** true when the thread of the wake was cut; left out otherwise */
  readonly cut?: true
  /** true when the being was ended; left out while it lives */
  readonly ended?: true
  /** true when a person decided before the moment opened, so `think` is not called */
  readonly decided: boolean
  /** left out when the being never wakes by itself */
  readonly idle?: {
    /** the being wakes by itself after this many seconds of silence */
    readonly seconds: number
    /** true when the wake came from outside: the silence is counted again from this moment */
    readonly afresh: boolean
  }
}

/** No wake waits for the being. */
export interface RestingBeing {
  readonly resting: true
  /** it wakes by itself after this silence; left out when it never does */
  readonly idleSeconds?: number
  /** true after a silence that ends the run, where no wake waits; otherwise left out */
  readonly endsRun?: true
  /** who decides for it now; left out when nobody ever inhabited it, since its moments then say it */
  readonly cognition?: Cognition
}

/** No wake waits for the being, and it was ended: its workflow ends too. */
export interface BeingEnded {
  readonly over: true
}

export interface ThinkInput {
  readonly moment: MomentId
  readonly stack: PinnedStack
  /** a worker asked the mind already, within the workflow task; left out when none did */
  readonly begun?: BegunThought
}
/** A call of the mind that `liveMoments` began, or an earlier run of it. */
export interface BegunThought {
  /** the model gave no answer, and is asked again after `retryMs`; left out when the call may be under way */
  readonly lost?: LostCall
}
export interface LostCall {
  readonly code: 'LLM_TIMEOUT' | 'LLM_FAILED'
  /** names the status of the answer; quotes nothing */
  readonly message: string
  readonly retryMs: number
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
  /** reason of the skip; null when the moment is not skipped */
  readonly skip: string | null
  /** digest of the decision; null when a person decided or `think` failed */
  readonly decision: Digest | null
  /** error code when `think` failed in all its attempts; null otherwise */
  readonly failed: string | null
  /**
   * error code when the effect failed in all its attempts; left out before the effect is requested and after
   * it succeeded
   */
  readonly effect?: string
}
/** The act passed both gates. The workflow must run its effect before it stamps the moment. */
export interface PendingEffect {
  readonly effect: {
    /** name of the operation, and of the activity that performs its effect */
    readonly operation: string
    readonly timeoutSeconds: number
    readonly attempts: number
    /** it is performed by a child workflow; left out otherwise */
    readonly isTask?: true
    /** it can be asked what became of it; left out otherwise */
    readonly checks?: true
    /** it starts a workflow of the host; left out otherwise */
    readonly starts?: true
  }
  /** digest of the decision, when the mind decided within `liveMoments`; left out otherwise */
  readonly decision?: Digest
}
/** The outcome of a moment, as far as the workflow uses it, and what attests the rest. */
export interface StampedMoment {
  readonly kind: OutcomeKind
  readonly reason: string | null
  /**
   * what the mind called, in names that the worker knows: `see`, `summon`, `do court:rule`; left out where it
   * called nothing, and where the moment was stamped before
   */
  readonly did?: string
  /** hash of the moment's record, which links to the record before */
  readonly record: Digest
  /** open wakes in the inbox after this one was closed, at most 1000 */
  readonly waiting: number
}

/** The moment is stamped, and its record has another stack than the workflow gives. */
export interface OtherStack {
  readonly recorded: Pick<EvaluatedMoment, 'stack' | 'skip'>
}

/** A moment whose worker and workflow disagree. */
export interface StackDifference {
  readonly moment: MomentId
  /** what the worker says, or the record */
  readonly recorded: Pick<EvaluatedMoment, 'stack' | 'skip'>
  /** what the workflow gives */
  readonly given: Pick<EvaluatedMoment, 'stack' | 'skip'>
}
/** Digests of both stacks, as records have them; null for a moment that is skipped. */
export interface DifferentDigests {
  readonly recorded: Digest | null
  readonly given: Digest | null
  /** a person accepted the difference, so the being goes on; left out otherwise */
  readonly isAccepted?: true
}

export interface IntakeInput {
  readonly being: BeingName
  /** made by the workflow, so that a rerun adds no second row */
  readonly id: string
  /** whatever came: any plain JSON */
  readonly act: Json
}

/**
 * A schedule of a being, by name. A schedule's workflow starts with this alone; its settings are in the
 * being's row.
 */
export interface ScheduleRef {
  readonly being: BeingName
  readonly name: string
}

export interface ScheduledInput extends ScheduleRef {
  /** the time it was due, ISO 8601 */
  readonly at: string
}

/** Local activities: short, idempotent, run within the workflow task. */
export interface LocalBeats {
  beginLife(input: BeginInput): Promise<AttestedResult<BeginResult>>
  /** @param told not a part of what replay compares */
  liveMoments(input: LiveInput, told: RunHints): Promise<WithHints<LivedMoments>>
  stampMoment(
    input: StampInput,
  ): Promise<AttestedResult<StampedMoment | PendingEffect | OtherStack | ElsewhereMoment>>
  reportDifference(input: StackDifference): Promise<AttestedResult<DifferentDigests>>
  intake(input: IntakeInput): Promise<AttestedResult<{ readonly accepted: boolean }>>
  wakeScheduled(input: ScheduledInput): Promise<AttestedResult<{ readonly accepted: boolean }>>
}

/**
 * Input of a task's workflow. What the task takes and gives is in Postgres, with the effect of the moment.
 */
export interface TaskInput {
  readonly moment: MomentId
  readonly n: number
  readonly effect: PendingEffect['effect']
}

/** Input of the workflow that calls a workflow of the host for a moment. */
export interface CallRef {
  readonly moment: MomentId
}
/** What a moment called. It is in the history of the calling workflow, and in no being's. */
export interface CalledWorkflow {
  readonly workflow: string
  readonly taskQueue: string
  readonly id: string
  readonly input: Json
}
/** How a workflow of the host ended: with its result, or with the type and the message of its failure. */
export type CalledEnd =
  | { readonly result: Json }
  | { readonly error: { readonly type: string; readonly message: string } }

/** Regular activities of `treeosCall`, the workflow that calls a workflow of the host. */
export interface CallBeats {
  /** @returns null where the moment did not act, so that nothing is called */
  treeosReadCall(input: CallRef): Promise<CalledWorkflow | null>
  /** answers in the name of the person whom the moment told of it */
  treeosEndCall(input: CallRef & { readonly ended: CalledEnd }): Promise<null>
}

/** The regular activity that waits for a decision. */
export interface ThinkBeats {
  think(input: ThinkInput): Promise<DecisionRef | ElsewhereMoment>
}

/**
 * Activities that perform effects, by the name of the operation. Postgres holds their requests and results.
 */
export type Effects = Readonly<Record<string, (input: PerformInput) => Promise<null | EffectElsewhere>>>

/** What an activity of an effect does: performs it, or asks what became of it. */
export interface PerformInput {
  readonly moment: MomentId
  /** its answer was lost; left out when it is to be performed */
  readonly check?: true
  /** attempts before, of an activity that was then left to a worker with its code; left out for none */
  readonly made?: number
}
/** The code of the effect is not loaded in this worker, and this attempt did nothing. */
export interface EffectElsewhere {
  readonly elsewhere: { readonly waitMs: number; readonly made: number }
}
