import type { BeingName, BroughtFile, FactDraft, Json, JsonObject } from '@treeos/core'
import type { Signature } from '@treeos/signature'
import type { WorldReader } from '../read/reader.ts'

/**
 * What an operation does outside the world before it is decided. It runs as an activity of its own, after
 * both gates and before anything is stamped. It may run more than once, so pass its key on as an idempotency
 * key.
 */
export interface Effect {
  /** for one attempt; 1–3600 */
  readonly timeoutSeconds: number
  /** 1–10; the waits between attempts grow */
  readonly attempts: number
  /** it is a task: a child workflow performs it; left out otherwise */
  readonly isTask?: true
  /**
   * it starts a workflow of the host once its moment is sealed, and performs nothing before; left out
   * otherwise
   */
  readonly starts?: StartedWorkflow
  /** names of the secrets of the operator that it is given, and no other effect; none when left out */
  readonly secrets?: readonly string[]
  /**
   * Asked before the effect runs, and again before its result is decided on. What it reads is recorded like
   * what `decide` reads.
   * @throws {TreeosError} for arguments that can never succeed, or for what the world does not allow now
   */
  admit(args: JsonObject, world: WorldReader): void | Promise<void>
  /**
   * @returns what `decide` gets as `effect`; at most 64 KiB of JSON
   * @throws {TreeosError} when no further attempt can succeed: the moment fails with it; other errors are
   *   retried
   */
  perform(at: EffectAttempt): Promise<Json>
  /**
   * Asks the outside what became of an attempt whose answer was lost. Left out: then that stays unknown. It
   * gets the same key and the same arguments, and must change nothing. An error counts as `unknown`, which is
   * asked again.
   */
  check?(at: EffectAttempt): Promise<EffectFound>
}

/** A workflow of the host, which answers in the name of the person whom the act told of it. */
export interface StartedWorkflow {
  /** its type */
  readonly workflow: string
  /** left out: that of the beings */
  readonly taskQueue?: string
}

/** What became of an effect whose answer was lost. `value` is what `perform` would have returned. */
export type EffectFound =
  | { readonly outcome: 'happened'; readonly value: Json }
  | { readonly outcome: 'did-not-happen' }
  | { readonly outcome: 'unknown' }

export interface EffectAttempt {
  readonly actor: BeingName
  /** stance, path or address of the operation's target */
  readonly target: string
  readonly args: JsonObject
  /** an idempotency key: the same in every attempt of one act, and in no other act */
  readonly key: string
  /** the moment whose act it is of, which is also the id of what that act tells another being */
  readonly moment: string
  /** id of the wake that opened the moment */
  readonly wake: string
  /** id of the thread that the moment belongs to */
  readonly thread: string
  /** aborted when the attempt is over */
  readonly signal: AbortSignal
  /** the values of its secrets, by name; what it returns does not hold them, since they are masked there */
  readonly secrets: Readonly<Record<string, string>>
  /** an HTTP client with bounds, that reaches public addresses only */
  readonly fetch: OutsideFetch
  /** runs a command in a sandbox, if the operator turned that on */
  readonly run: OutsideRun
  /** calls the model of the actor */
  readonly ask: AskSignature
  /** keeps a file that came from outside */
  readonly keep: KeepBrought
}

/** A file as the outside gave it. */
export interface OutsideFile {
  /** or a path, of which the last part counts */
  readonly name: string
  /** as the outside says it; null where it says nothing */
  readonly mediaType: string | null
  readonly bytes: Uint8Array
}

/**
 * Keeps the bytes of a file. The act makes a thing of each file that was kept, which the actor holds: the
 * attempt that counts says which. A mind that goes on is shown those that the result names as its `files`.
 * @returns the address of the thing; or in words why the file is not kept. The outside was asked, so that fails
 *   nothing
 */
export type KeepBrought = (
  file: OutsideFile,
) => Promise<{ readonly thing: string } | { readonly why: string }>

/** What an effect gave. */
export interface EffectGiven {
  readonly value: Json
  /** the files that it brought and that are kept; left out for none */
  readonly files?: readonly BroughtFile[]
}

/**
 * Calls the model of the actor by a Signature, within its budgets. Overlays that attach to the Signature are
 * its input `role`; the code gets its outputs and never the overlay.
 * @throws {TreeosError} INVALID_INPUT for inputs that do not fit; LLM_FAILED for an answer that does not;
 *   BUDGET_EXCEEDED; LLM_NOT_CONFIGURED; OVERLAY_LOST; any other error when the model may answer a later
 *   attempt
 */
export type AskSignature = <Inputs, Outputs>(
  signature: Signature<Inputs, Outputs>,
  inputs: Inputs,
) => Promise<Outputs>

/**
 * Runs one command in a sandbox of the machine: no network, no files but those of the system, and bounds on
 * time, memory and output. Its only writable folder is empty and is gone afterwards.
 * @throws {TreeosError} FORBIDDEN while the operator has not turned it on; INVALID_INPUT for a malformed
 *   command; TIMEOUT
 */
export type OutsideRun = (command: readonly string[], options?: OutsideRunOptions) => Promise<OutsideRunEnd>

export interface OutsideRunOptions {
  /** its standard input; none when left out */
  readonly input?: string
  /** default 10, and never longer than the attempt */
  readonly timeoutSeconds?: number
}

/** How a command ended. */
export interface OutsideRunEnd {
  /** 128 and the number of the signal, when a signal ended it */
  readonly exitCode: number
  /** at most 16 KiB each; what is beyond is dropped */
  readonly stdout: string
  readonly stderr: string
  /** true when some of the output was dropped */
  readonly cut: boolean
}

/**
 * Sends one HTTP request. Follows no redirect.
 * @throws {TreeosError} FORBIDDEN for a private address that the operator did not allow; INVALID_INPUT for a
 *   URL that is not http(s); PAYLOAD_TOO_LARGE for more than 1 MiB
 */
export type OutsideFetch = (url: string | URL, request?: OutsideRequest) => Promise<OutsideAnswer>

export interface OutsideRequest {
  /** default GET */
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** for the whole answer; default 10, and never longer than the attempt */
  readonly timeoutSeconds?: number
}

/** An answer whose body has arrived. */
export interface OutsideAnswer {
  readonly status: number
  /** true for a status from 200 to 299 */
  readonly ok: boolean
  header(name: string): string | null
  text(): string
  /** @throws {SyntaxError} */
  json(): unknown
}

/** The effect that an act waits for. The act is decided again once it is done. */
export interface EffectCall {
  readonly operation: string
  readonly actor: BeingName
  readonly target: string
  readonly args: JsonObject
  /** names of the secrets that it is given; left out for none */
  readonly secrets?: readonly string[]
}

/**
 * A call passed both gates, but the effect of its operation is not done yet: decide the call again once it
 * is.
 */
export interface EffectPending {
  readonly kind: 'effect-pending'
  readonly call: EffectCall
  readonly effect: Pick<Effect, 'timeoutSeconds' | 'attempts' | 'isTask'> & {
    /** it has a check; left out otherwise */
    readonly checks?: true
    /** it starts a workflow of the host; left out otherwise */
    readonly starts?: true
  }
  /**
   * the facts by which rules count the act, with the last one on their reels as they were judged; left out
   * for none
   */
  readonly holds?: readonly (FactDraft & { readonly seq: number })[]
}
