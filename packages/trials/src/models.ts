import { setTimeout as sleep } from 'node:timers/promises'
import {
  costOfCall,
  type Model,
  type ModelRequest,
  ModelTransientError,
  type Usage,
} from '@treeos/activities'
import { asJson, type Json, quote, TreeosError, timerMs } from '@treeos/core'
import { digestOf } from '@treeos/store'
import type { KeptAnswer, KeptAnswers } from './kept-answers.ts'
import type { ModelChoice } from './shape.ts'

/**
 * The models of the operator: the default one of the reality, and the named connections. A trial asks no
 * other.
 */
export interface Models {
  readonly model: Model | null
  readonly connections: ReadonlyMap<string, Model>
}

const DEFAULT = 'default'

/** @throws {TreeosError} LLM_NOT_CONFIGURED for a connection that the operator did not name */
export function modelNamed({ model, connections }: Models, { connection, name }: ModelChoice): Model {
  const found = connection === undefined || connection === DEFAULT ? model : connections.get(connection)
  if (found != null) return name === undefined ? found : found.as(name)
  const known = [...(model === null ? [] : [DEFAULT]), ...[...connections.keys()].sort()].join(', ')
  throw new TreeosError(
    'LLM_NOT_CONFIGURED',
    `a trial asks only models that the operator named: there is no ${quote(connection ?? DEFAULT)}; there is ${known || 'none'}`,
  )
}

/** What one trial may use. */
export interface Limits {
  readonly maxCalls?: number | undefined
  /** in the currency of the prices */
  readonly maxCost?: number | undefined
  readonly maxSeconds?: number | undefined
  /** ends it */
  readonly signal?: AbortSignal | undefined
}

/** Why a trial ended before all was asked. */
export type StopReason = 'interrupted' | 'max-calls' | 'max-cost' | 'max-seconds'

export class StoppedError extends Error {
  override readonly name = 'StoppedError'
  readonly why: StopReason

  constructor(why: StopReason) {
    super(`the trial was stopped: ${why}`)
    this.why = why
  }
}

/** What a call came to. */
export interface ModelAnswer<A> {
  readonly answer: A
  readonly usage: Usage | null
  readonly seconds: number
  /** in millionths; null when no price or no usage is known */
  readonly micros: number | null
  /** it was not asked now */
  readonly isKept: boolean
}

const ATTEMPTS_MAX = 3
const DELAY_MS = 500
const MICROS = 1_000_000

/** Calls models within the limits of a trial, or finds what they answered before. */
export class TrialModels {
  calls = 0
  kept = 0
  /** millionths; of calls whose cost is not known, the most that they can have cost */
  micros = 0
  tokens = 0
  readonly #limits: Limits
  readonly #answers: KeptAnswers | null
  readonly #signal: AbortSignal
  readonly #timeout: AbortSignal | null
  #held = 0

  constructor(limits: Limits, answers: KeptAnswers | null) {
    const { maxSeconds, signal } = limits
    this.#limits = limits
    this.#answers = answers
    this.#timeout = maxSeconds === undefined ? null : AbortSignal.timeout(timerMs(maxSeconds))
    this.#signal = AbortSignal.any([signal, this.#timeout].filter((one) => one != null))
  }

  /**
   * @param ask calls the model; its answer has to be JSON
   * @throws {StoppedError}; {ModelTransientError} of the last try; {TreeosError} INVALID_INPUT when only kept
   *   answers count and this one was not kept
   */
  async ask<A extends { readonly usage: Usage | null }>(
    model: Model,
    request: ModelRequest,
    ask: (request: ModelRequest) => Promise<A>,
  ): Promise<ModelAnswer<A>> {
    const key = keptAnswerKey(model, request)
    const known = this.#answers?.find(key)
    if (known !== undefined) return this.#again(model, known)
    if (this.#answers?.isOnly === true)
      throw new TreeosError('INVALID_INPUT', `the file of kept answers has none for a call of ${model.name}`)
    const answered = await this.#within(model, request, ask)
    this.#answers?.keep({
      call: key,
      model: model.name,
      answer: answered.answer as unknown as Json,
      seconds: answered.seconds,
    })
    return answered
  }

  #again<A extends { readonly usage: Usage | null }>(
    model: Model,
    { answer, seconds }: KeptAnswer,
  ): ModelAnswer<A> {
    this.kept += 1
    const read = answer as unknown as A
    return { answer: read, usage: read.usage, seconds, micros: microsOf(model, read.usage), isKept: true }
  }

  async #within<A extends { readonly usage: Usage | null }>(
    model: Model,
    request: ModelRequest,
    ask: (request: ModelRequest) => Promise<A>,
  ): Promise<ModelAnswer<A>> {
    for (let attempt = 1; ; attempt++) {
      const bounded = { ...request, signal: this.#signal, ...this.#answerLimit(model, request) }
      const worst = this.#hold(model, bounded)
      const started = performance.now()
      try {
        const answer = await ask(bounded)
        const micros = microsOf(model, answer.usage)
        this.#settle(worst, micros)
        if (answer.usage !== null) this.tokens += answer.usage.promptTokens + answer.usage.completionTokens
        const seconds = Math.round(performance.now() - started) / 1000
        return { answer, usage: answer.usage, seconds, micros, isKept: false }
      } catch (error) {
        this.#settle(worst, error instanceof ModelTransientError && error.isFree ? 0 : null)
        if (this.#signal.aborted) throw this.#stopped()
        if (!(error instanceof ModelTransientError) || attempt >= ATTEMPTS_MAX) throw error
        await sleep(DELAY_MS * 2 ** (attempt - 1), undefined, { signal: this.#signal }).catch(() => {
          throw this.#stopped()
        })
      }
    }
  }

  #stopped(): StoppedError {
    return new StoppedError(this.#timeout?.aborted === true ? 'max-seconds' : 'interrupted')
  }

  /** A cost is bounded only where the answer is. */
  #answerLimit(model: Model, { maxTokens }: ModelRequest): { maxTokens?: number } {
    if (maxTokens !== undefined || this.#limits.maxCost === undefined) return {}
    return { maxTokens: model.answerTokensMax }
  }

  /** Takes a call and the most that it can cost from the limits. */
  #hold(model: Model, request: ModelRequest): number {
    if (this.#signal.aborted) throw this.#stopped()
    const { maxCalls, maxCost } = this.#limits
    if (maxCalls !== undefined && this.calls >= maxCalls) throw new StoppedError('max-calls')
    const known = worstOf(model, request)
    if (known === null && maxCost !== undefined)
      throw new TreeosError(
        'INVALID_INPUT',
        `a limit of cost takes the price of ${model.name}: name it in the file of TREEOS_PRICES, or limit the calls`,
      )
    const worst = known ?? 0
    if (maxCost !== undefined && this.micros + this.#held + worst > maxCost * MICROS)
      throw new StoppedError('max-cost')
    this.calls += 1
    this.#held += worst
    return worst
  }

  #settle(worst: number, micros: number | null): void {
    this.#held -= worst
    this.micros += micros ?? worst
  }
}

const microsOf = (model: Model, usage: Usage | null): number | null =>
  usage === null ? null : costOfCall(usage, model.price).micros

/** The most that a call can cost, in millionths; null where no price is known. */
export const worstOf = (model: Model, request: ModelRequest): number | null =>
  costOfCall(
    {
      promptTokens: model.boundPrompt(request),
      completionTokens: request.maxTokens ?? model.answerTokensMax,
    },
    model.price,
  ).micros

/** Names a call: the same prompt and tools of the same model have the same name. */
function keptAnswerKey({ name, connection }: Model, { prompt, tools, forceToolCall }: ModelRequest): string {
  const told: Json = asJson({ model: name, connection: connection ?? null, prompt, tools, forceToolCall })
  return digestOf(told)
}
