/** The signals of a being: how its workflow hears them, and when each is settled. */
import {
  defineSignal,
  log,
  setDefaultSignalHandler,
  setHandler,
  uuid4,
  workflowInfo,
} from '@temporalio/workflow'
import { CONTENT_BOUNDS, guardJson, type Json, type JsonObject } from '@treeos/core/workflow'
import { ACT_SIGNAL, type RunHints, WAKE_SIGNAL } from '@treeos/protocol/workflow'
import type { RunLength, Silence } from './run.ts'

/** A doorbell without content: the inbox is in Postgres. A lost or duplicated signal costs latency only. */
export const wakeSignal = defineSignal(WAKE_SIGNAL)
/** A small act that a person sends from the Temporal UI. It is the only content that history holds. */
export const actSignal = defineSignal<[JsonObject]>(ACT_SIGNAL)

/**
 * Hears signals in the order in which they came. Those that came before the first task go to the default
 * handler, whatever their names: handlers by name would take all signals of one name first. A signal with
 * another name is counted, because it is in history.
 */
export function hearInOrder(signals: Signals): void {
  setDefaultSignalHandler((name, ...args) => {
    if (name === WAKE_SIGNAL) signals.ring()
    else if (name === ACT_SIGNAL) receiveAct(signals, args[0])
    else signals.refused()
  })
  setHandler(wakeSignal, () => signals.ring(), { description: 'Check the inbox.' })
  setHandler(actSignal, (act) => receiveAct(signals, act), {
    description:
      'Act as this being: {"verb":"summon","target":"@name","content":"…"}. Stays in this history for ever.',
  })
}

function receiveAct(signals: Signals, act: unknown): void {
  if (isSmallJson(act)) signals.act({ id: uuid4(), act })
  else {
    signals.refused()
    log.warn('refused an act sent as a signal: it must be plain JSON of at most 16 KiB')
  }
}

/**
 * Anyone who may signal can send anything. A payload too large for an activity would fail and be retried for
 * ever.
 */
const ACT_BYTES_MAX = 16 * 1024

function isSmallJson(act: unknown): act is Json {
  try {
    guardJson(act, { ...CONTENT_BOUNDS, bytesMax: ACT_BYTES_MAX })
    return true
  } catch {
    return false
  }
}

/** An act that came as a signal. */
export interface SignalledAct {
  readonly id: string
  readonly act: Json
}

/**
 * Settles signals in order, each once.
 *
 * A replay may hear a signal earlier than the run did. This happens when a workflow task reaches its worker
 * late and times out: the worker takes the next task in its place and does not begin anew. History then has
 * the signals of both tasks before the results of both. So the workflow must not act on a signal because it
 * has heard it. It tells `liveMoments` how many signals it has heard, and the result, which is in history,
 * repeats that number. Only this number counts.
 *
 * A doorbell is settled by the result of a `liveMoments` that was called after it. An act goes into the inbox
 * once such a result counts it and all signals before it are settled. The moments that this act causes come
 * before the next act.
 */
export class Signals {
  readonly #run: RunLength
  #heard = 0
  /** signals that the last result counted */
  #known = 0
  #settled = 0
  /** `at` counts signals, from 1 */
  readonly #acts: (SignalledAct & { readonly at: number })[] = []

  constructor(run: RunLength) {
    this.#run = run
  }

  ring(): void {
    this.#heard += 1
  }

  act(signalled: SignalledAct): void {
    this.#heard += 1
    this.#acts.push({ ...signalled, at: this.#heard })
  }

  /** Counts a signal that is not handled, because it is in history. */
  refused(): void {
    this.#heard += 1
  }

  get heard(): number {
    return this.#heard
  }

  /** Whether a signal is not settled yet. All that the workflow may do about it is to call `liveMoments`. */
  get isLeft(): boolean {
    return this.#settled < this.#heard
  }

  /** @param known how many signals the result of `liveMoments` counts */
  settle(known: number): void {
    this.#known = known
    this.#settleTo(Math.min(known, (this.#acts[0]?.at ?? Number.POSITIVE_INFINITY) - 1))
  }

  /** Takes the act to put into the inbox now that the being rests. @returns null when there is none */
  take(): SignalledAct | null {
    const [act] = this.#acts
    if (act === undefined || act.at > this.#known || act.at !== this.#settled + 1) return null
    this.#settleTo(act.at)
    this.#acts.shift()
    return act
  }

  /** Takes all acts that are left, which go into the inbox before the run ends. */
  takeAll(): SignalledAct[] {
    return this.#acts.splice(0)
  }

  #settleTo(settled: number): void {
    if (settled <= this.#settled) return
    this.#run.note('signal', settled - this.#settled)
    this.#settled = settled
  }
}

/**
 * Holds what a replay may see earlier than the run did: signals, the end of a silence, and what the server
 * suggests. The run tells it to `liveMoments`, and only what the result repeats counts.
 */
export class Hinter {
  readonly #signals: Signals
  /** the wait at rest that the next result ends */
  silence: Silence | null = null
  /** the server suggested to continue as new, or the workers of this being have a newer version */
  isEndSuggested = false
  /** the last result was asked for after a silence that ends the run */
  endsRun = false

  constructor(signals: Signals) {
    this.#signals = signals
  }

  /** What to tell `liveMoments`. Replay does not compare it. */
  told(): RunHints {
    const { continueAsNewSuggested, targetWorkerDeploymentVersionChanged } = workflowInfo()
    const isEndSuggested = continueAsNewSuggested || targetWorkerDeploymentVersionChanged
    const idleSeconds = this.silence?.wakesAfter ?? null
    return {
      heard: this.#signals.heard,
      ...(idleSeconds === null ? {} : { idleSeconds }),
      ...(this.silence?.wantsEnd === true ? { endsRun: true } : {}),
      ...(isEndSuggested ? { isEndSuggested } : {}),
    }
  }

  /** Takes what the result of `liveMoments` repeats. */
  answered({ heard, isEndSuggested = false, endsRun }: RunHints): void {
    this.#signals.settle(heard)
    // The timer is kept until now. The task that started it may have ended without the signal that breaks the
    // silence.
    this.silence?.end()
    this.silence = null
    this.isEndSuggested = isEndSuggested
    this.endsRun = endsRun === true
  }
}
