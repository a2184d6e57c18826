import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { BeingName, MomentId } from '@treeos/core'
import {
  announceCall,
  type DecisionWrite,
  endCall,
  newDecision,
  recordDecision,
  renewCall,
  type StoredDecision,
} from '@treeos/store'
import { LRUCache } from 'lru-cache'
import { withPostgresRetry } from '../guard/guard.ts'
import { newAttempt, type OpeningReservation } from '../model/ask-within-budgets.ts'
import { ModelTransientError } from '../model/model.ts'
import { type FaultDeps, reportFault } from '../moments/fault.ts'
import type { CallCanceller } from './cancels.ts'

/** What a mind decided, and what the call of its model used. */
export type MindResult = Pick<DecisionWrite, 'decision' | 'usage' | 'settlement' | 'overlay' | 'prompt'>

/** One attempt of a mind to decide. */
export interface MindAttempt {
  /** number of the reservation; no two attempts of a moment have the same */
  readonly attempt: number
  readonly signal: AbortSignal
  /** what is reserved for this attempt; null: nothing yet */
  readonly reservation: OpeningReservation | null
}

/** Where a call that was handed over stores its decision. */
export interface CallDeps extends FaultDeps {
  readonly memory: FaultDeps['memory'] & {
    readonly calls: MindCalls
    readonly cancels: CallCanceller
  }
}

/** A quarter of the time after which this process would count as dead. */
const RENEW_MS = 3000
/** The `think` of a call that failed comes within this time, or it is in another process. */
const JOINED_MS_MAX = 5000

/** As long as activities may go on in a worker that shuts down. */
const CLOSE_GRACE_MS = 5000

/**
 * Default of the most calls that workflow tasks of a process wait for at once: somewhat more than half of the
 * 40 tasks that the SDK's worker has at once, so that beings whose minds are quick find room beside them.
 */
const SHORT_CALLS_MAX = 24

/** Calls of minds that are under way in this process, having begun within a workflow task. */
export class MindCalls {
  readonly #calls = new Map<MomentId, MindCall>()
  /** those that a workflow task waits for */
  readonly #short = new Set<MindCall>()
  readonly #shortMax: number

  /** @param shortMax most calls that workflow tasks wait for at once */
  constructor(shortMax = SHORT_CALLS_MAX) {
    this.#shortMax = shortMax
  }

  /** Whether another workflow task may wait for a call. */
  get hasRoom(): boolean {
    return this.#short.size < this.#shortMax
  }

  /** calls under way */
  get size(): number {
    return this.#calls.size
  }

  get(moment: MomentId): MindCall | undefined {
    return this.#calls.get(moment)
  }

  /** Begins the call of a moment, unless it is under way. */
  begin(
    moment: MomentId,
    reservation: OpeningReservation | null,
    ask: (at: MindAttempt) => Promise<MindResult>,
  ): MindCall {
    const known = this.#calls.get(moment)
    if (known !== undefined) return known
    const call = new MindCall(moment, (signal) =>
      ask({ attempt: reservation?.attempt ?? newAttempt(), signal, reservation }),
    )
    this.#calls.set(moment, call)
    this.#short.add(call)
    return call
  }

  /** No workflow task waits for the call any more. */
  release(call: MindCall): void {
    this.#short.delete(call)
  }

  /** Forgets a call that has ended. */
  end(call: MindCall): void {
    this.release(call)
    if (this.#calls.get(call.moment) === call) this.#calls.delete(call.moment)
  }

  /**
   * The worker shuts down. A `think` elsewhere waits for calls that were handed over, so these may end within
   * a grace time: aborted, they would be made again. Aborts the others at once. Resolves once all have ended.
   */
  async close(graceMs = CLOSE_GRACE_MS): Promise<void> {
    const calls = [...this.#calls.values()]
    const abort = (some: readonly MindCall[]) => {
      for (const call of some) call.abort(new Error('the worker shuts down'))
    }
    abort(calls.filter((call) => !call.isHandedOver))
    const late = setTimeout(abort, graceMs, calls)
    await Promise.allSettled(calls.map((call) => call.ended))
    clearTimeout(late)
  }
}

export class MindCall {
  readonly moment: MomentId
  /** ms of `performance.now()` */
  readonly started = performance.now()
  readonly thought: Promise<MindResult>
  readonly #controller = new AbortController()
  readonly #worker = randomUUID()
  #recorded: Promise<StoredDecision> | null = null
  #isJoined = false

  constructor(moment: MomentId, ask: (signal: AbortSignal) => Promise<MindResult>) {
    this.moment = moment
    this.thought = ask(this.#controller.signal)
    this.thought.catch(() => undefined) // it may fail before anybody waits for it
  }

  /** its decision is stored by this process, whoever waits for it */
  get isHandedOver(): boolean {
    return this.#recorded !== null
  }

  /** settles when nothing of the call is under way any more */
  get ended(): Promise<unknown> {
    return this.#recorded ?? this.thought
  }

  abort(reason: unknown): void {
    this.#controller.abort(reason)
  }

  /**
   * Goes on with the call after its workflow task, until its decision is stored. A row in Postgres tells a
   * `think` in another process that this one makes the call. Resolves once the row is stored.
   */
  async handOver(deps: CallDeps): Promise<void> {
    if (this.#recorded !== null) return
    const { db, memory, observe } = deps
    memory.calls.release(this)
    const onError = (error: unknown) => observe.error('announcing a call', error)
    if (!(await announceCall(db, this.moment, this.#worker))) this.abort(givenUp(this.moment))
    if (this.#recorded !== null) return // handed over meanwhile
    const renewal = setInterval(() => {
      renewCall(db, this.moment, this.#worker).then((isOurs) => {
        if (!isOurs) this.abort(givenUp(this.moment))
      }, onError) // the next one may succeed
    }, RENEW_MS)
    const forget = memory.cancels.onCancel(deps, this.moment, (reason) => this.abort(reason))
    this.#recorded = this.#record(deps).finally(async () => {
      clearInterval(renewal)
      forget()
      memory.calls.end(this)
      await endCall(db, this.moment, this.#worker).catch(onError)
    })
    this.#recorded.catch(() => undefined) // `think` gets the error, if it comes in time
  }

  /**
   * Waits for the decision of the call. It gives the call up when the signal aborts. Hands it over where
   * `liveMoments` could not: its open record was stored, and then Postgres failed.
   * @throws {ModelTransientError} when the model may answer a later attempt
   */
  async join(deps: CallDeps, signal: AbortSignal): Promise<StoredDecision> {
    this.#isJoined = true
    const abort = () => this.abort(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    try {
      await withPostgresRetry(deps.observe, () => this.handOver(deps))
      if (this.#recorded === null) throw new Error(`the call of ${this.moment} was not handed over`)
      return await this.#recorded
    } finally {
      signal.removeEventListener('abort', abort)
    }
  }

  async #record(deps: CallDeps): Promise<StoredDecision> {
    const { db, memory, observe } = deps
    try {
      const thought = await this.thought
      const write = newDecision(thought.decision, thought)
      const stored = await withPostgresRetry(observe, () => recordDecision(db, this.moment, write))
      memory.moments.decided(this.moment, stored)
      return stored
    } catch (error) {
      if (error instanceof ModelTransientError) await this.#reportUnlessJoined(deps, error)
      throw error
    }
  }

  /** Whoever joins a call also reports its failure, and decides what follows. */
  async #reportUnlessJoined(deps: CallDeps, error: ModelTransientError): Promise<void> {
    const seconds = (performance.now() - this.started) / 1000
    for (const until = performance.now() + JOINED_MS_MAX; !this.#isJoined && performance.now() < until; )
      await sleep(POLL_MS)
    if (!this.#isJoined)
      await reportFault(deps, this.moment, { part: 'model', attempt: error.tried, seconds, error })
  }
}

const POLL_MS = 20

const givenUp = (moment: MomentId) => new Error(`the call of ${moment} was given up`)

/**
 * Default of the longest time in which a mind decides on the short way. A moment costs about half there, so
 * it is long enough for most answers of a model. It stays well below the 8 s after which the worker asks for
 * more time for a task, and below the 5 s that a worker gives its tasks when it stops.
 */
const SHORT_MIND_MS = 4000
const REMEMBERED_MAX = 5000
const MEAN_OVER = 16

/** So many minds under way are a crowd. */
const CROWD = 16
/** How much later a statement may be sent in a crowd, of the time that its minds take, and in ms. */
const HELD = { share: 0.04, msMax: 40 } as const

/**
 * Least time from one statement to the next of its kind, in ms, so that more claims or appends share one. A
 * lone append costs Postgres twice as much as one of several. A crowd of slow minds does not notice the wait.
 */
export const heldMsOf = ({ calls, pace }: { readonly calls: MindCalls; readonly pace: MindPace }): number =>
  calls.size < CROWD ? 0 : Math.min(HELD.msMax, HELD.share * pace.meanMs)

/**
 * How long the last calls of minds took. A being whose mind was slow goes the long way, until one of its
 * calls is short.
 */
export class MindPace {
  readonly #ms = new LRUCache<string, number>({ max: REMEMBERED_MAX })
  readonly #shortMs: number
  #meanMs = 0

  /** @param shortMs longest time of a mind on the short way; 0: no mind decides there */
  constructor(shortMs = SHORT_MIND_MS) {
    this.#shortMs = shortMs
  }

  get shortMs(): number {
    return this.#shortMs
  }

  /** how long models take on average, the last calls most, in ms */
  get meanMs(): number {
    return this.#meanMs
  }

  /** @param model name; null for a script */
  remember(being: BeingName, model: string | null, ms: number): void {
    this.#ms.set(`being ${being}`, ms)
    if (model === null) return
    this.#ms.set(`model ${model}`, ms)
    this.#meanMs += (ms - this.#meanMs) / MEAN_OVER
  }

  /** Judges a being that has not decided yet by the last call of its model. */
  isSlow(being: BeingName, model: string | null): boolean {
    const ms = this.#ms.get(`being ${being}`) ?? (model === null ? undefined : this.#ms.get(`model ${model}`))
    return (ms ?? 0) >= this.#shortMs
  }
}
