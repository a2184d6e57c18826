import type { MomentId, OutcomeKind } from '@treeos/core'
import type { Fault } from '@treeos/store'

/** Receives what beats do, for metrics and logs: numbers and names. Only the errors of `fault` may quote contents. */
export interface Observer {
  /** a beat ran */
  beat(name: string, seconds: number): void
  /** a moment ended; called once per moment, by the stamp that committed it */
  outcome(kind: OutcomeKind, reason: string | null, moment: MomentId): void
  /** a model call ended; `lost` means it gave no answer; `tokens` is null when the provider reported none */
  model(
    answer: 'call' | 'see' | 'outputs' | 'failure' | 'lost',
    tokens: { prompt: number; completion: number } | null,
  ): void
  /** a relationship entry or a see-resolver of a role failed, and the moment goes on without it */
  leftOut(what: string, error: unknown): void
  /** an operation failed and is retried, or a rule refused it; history does not get the message */
  error(where: string, error: unknown): void
  /** an attempt of a model, a script, an operation or an effect failed; message and stack are those of the error */
  fault(moment: MomentId, fault: Pick<Fault, 'part' | 'attempt' | 'message' | 'stack'>): void
}

export const noopObserver: Observer = {
  beat() {},
  outcome() {},
  model() {},
  leftOut() {},
  error() {},
  fault() {},
}
