import type { OutcomeKind } from '@treeos/core'

/** Told of what beats do, in numbers and names; never of contents. For metrics and logs. */
export interface Observer {
  /** a beat ran */
  beat(name: string, seconds: number): void
  /** a moment ended; told once, by the stamp that committed it */
  outcome(kind: OutcomeKind, reason: string | null): void
  /** a model was asked and answered; tokens are null when the provider told none */
  model(
    answer: 'call' | 'see' | 'failure' | 'lost',
    tokens: { prompt: number; completion: number } | null,
  ): void
  /** a token or a see-resolver of a role came to nothing, and its moment goes on without it */
  leftOut(what: string, error: unknown): void
  /** something went wrong and is retried, or was refused by a rule; the message stays here */
  error(where: string, error: unknown): void
}

export const noopObserver: Observer = { beat() {}, outcome() {}, model() {}, leftOut() {}, error() {} }
