import type { BeingName, Json, JsonObject } from '@treeos/core'

/**
 * What an operation does outside of the world before it is decided. It runs as an activity of its own, after both gates and
 * before anything is stamped, and may run again: whoever it asks should know its key.
 */
export interface Effect {
  /** of one attempt; 1–300 */
  readonly timeoutSeconds: number
  /** 1–10: a failed one is made again, later and later */
  readonly attempts: number
  /** @throws {TreeosError} for arguments that it would never be done with */
  check(args: JsonObject): void | Promise<void>
  /**
   * @returns what `decide` is given; at most 64 KiB of JSON
   * @throws {TreeosError} for what no further attempt would change: the moment fails with it; any other error is tried again
   */
  perform(at: EffectInput): Promise<Json>
}

export interface EffectInput {
  readonly actor: BeingName
  /** stance, path or address of what the operation is done to */
  readonly target: string
  readonly args: JsonObject
  /** the same in every attempt, and of no other act: an idempotency key */
  readonly key: string
  /** aborted when the attempt is over */
  readonly signal: AbortSignal
}

/** What an act waits for: it is decided again once that is done. */
export interface EffectCall {
  readonly operation: string
  readonly actor: BeingName
  readonly target: string
  readonly args: JsonObject
}

/** A call passed both gates, but the effect of its operation is not done yet: decide the call again once it is. */
export interface EffectPending {
  readonly kind: 'effect-pending'
  readonly call: EffectCall
  readonly effect: Pick<Effect, 'timeoutSeconds' | 'attempts'>
}
