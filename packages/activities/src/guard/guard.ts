/** What wraps the work of activities, and whom it tells. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Context } from '@temporalio/activity'
import { ApplicationFailure } from '@temporalio/common'
import type { MomentId, OutcomeKind } from '@treeos/core'
import { type AttestedResult, FINAL_ERRORS } from '@treeos/protocol'
import { type AttemptFault, digestOf, isTransient } from '@treeos/store'

/**
 * Receives what beats do, for metrics and logs: numbers and names. Only the errors of `fault` may quote
 * contents.
 */
export interface Observer {
  /** a beat ran */
  beat(name: string, seconds: number): void
  /** a moment ended; called once per moment, by the stamp that committed it. @param thread of its wake */
  outcome(kind: OutcomeKind, reason: string | null, moment: MomentId, thread: string): void
  /** a model call ended; `lost` means it gave no answer; `tokens` is null when the provider reported none */
  model(
    answer: 'call' | 'see' | 'outputs' | 'failure' | 'lost',
    tokens: { prompt: number; completion: number } | null,
  ): void
  /** a relationship entry or a see-resolver of a role failed, and the moment goes on without it */
  leftOut(what: string, error: unknown): void
  /** an operation failed and is retried, or a rule refused it; history does not get the message */
  error(where: string, error: unknown): void
  /**
   * an attempt of a model, a script, an operation or an effect failed; message and stack are those of the
   * error.
   * @param thread of its wake, where this process knows it
   */
  fault(
    moment: MomentId,
    fault: Pick<AttemptFault, 'part' | 'attempt' | 'message' | 'stack'>,
    thread?: string,
  ): void
  /** the worker begins; its load may be read at any time from now on */
  load(read: () => WorkerLoad): void
}

/** What a worker has to do at this instant. */
export interface WorkerLoad {
  /** steps of moments that wait for their turn, because as many as may be are under way */
  readonly stepsWaiting: number
  /** minds that are asked now */
  readonly mindsAsked: number
}

export const noopObserver: Observer = {
  beat() {},
  outcome() {},
  model() {},
  leftOut() {},
  error() {},
  fault() {},
  load() {},
}

/**
 * Puts the class and code of an error into history, without its message. Messages of Postgres and of
 * providers quote rows and prompts, and history keeps failures for ever. The message goes to the observer.
 */
export function guarded<I, O>(
  name: string,
  observe: Observer,
  run: (input: I) => Promise<O>,
): (input: I) => Promise<O> {
  return async (input) => {
    const started = performance.now()
    try {
      return await run(input)
    } catch (error) {
      if (error instanceof ApplicationFailure) throw error
      observe.error(name, error)
      const type = error instanceof Error ? error.name : 'Error'
      const code = (error as { code?: unknown }).code
      const known = typeof code === 'string' && /^[A-Z0-9_]{2,32}$/.test(code) ? ` ${code}` : ''
      const isFinal = FINAL_ERRORS.includes(type)
      throw ApplicationFailure.create({
        type,
        message: isFinal && error instanceof Error ? error.message : `${name} failed:${known || ` ${type}`}`,
        nonRetryable: isFinal,
      })
    } finally {
      observe.beat(name, (performance.now() - started) / 1000)
    }
  }
}

/**
 * Adds the digest of the arguments to a local activity's result. Replay compares it, since history omits the
 * arguments.
 */
export function attested<I, O>(run: (input: I) => Promise<O>): (input: I) => Promise<AttestedResult<O>> {
  return async (input) => ({ args: digestOf(input), value: await run(input) })
}

/** With heartbeats Temporal notices a killed worker within seconds and moves the activity to another one. */
const HEARTBEAT_MS = 3000

export async function heartbeating<T>(work: () => Promise<T>): Promise<T> {
  const beat = setInterval(() => Context.current().heartbeat(), HEARTBEAT_MS)
  try {
    return await work()
  } finally {
    clearInterval(beat)
  }
}

const WAIT_MS_MIN = 200
const WAIT_MS_MAX = 2000

/**
 * Retries work while Postgres is unavailable, until the activity is cancelled. An activity with few attempts
 * would use them up in an outage of seconds, and the moment would fail although the model is fine.
 * @param work must be idempotent
 */
export async function withPostgresRetry<T>(observe: Observer, work: () => Promise<T>): Promise<T> {
  const { cancellationSignal: signal } = Context.current()
  for (let wait = WAIT_MS_MIN; ; wait = Math.min(2 * wait, WAIT_MS_MAX)) {
    try {
      return await work()
    } catch (error) {
      if (!isTransient(error) || signal.aborted) throw error
      observe.error('waiting for Postgres', error)
      await sleep(wait, undefined, { signal })
    }
  }
}
