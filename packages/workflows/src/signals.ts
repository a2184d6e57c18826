import type { JsonObject } from '@treeos/core/workflow'
import type { RunLength } from './run-length.ts'

/** An act that came as a signal. */
export interface SignalledAct {
  readonly id: string
  readonly act: JsonObject
}

/**
 * Settles signals in their order, each once, by what results say. A replay may hear a signal earlier than the run did: when a task
 * reaches its worker late and ends, its worker goes on with the next one without beginning anew. History then names all signals of both
 * tasks before the results of both. So what the workflow does never depends on whether a signal was heard, only on what `openMoment`
 * says of it: the workflow tells it how many signals it has heard, and the result, which is in history, says it again.
 *
 * A doorbell is settled by the result of an `openMoment` that was asked after it. An act is put into the inbox when such a result knows
 * of it and all signals before it are settled. The moments that follow come before the next act.
 */
export class Signals {
  readonly #run: RunLength
  #heard = 0
  /** signals that the last result knew of */
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

  /** An act came that nobody takes. It is counted, since it is in history. */
  refused(): void {
    this.#heard += 1
  }

  get heard(): number {
    return this.#heard
  }

  /** A signal is not settled. The workflow may only ask `openMoment` because of it. */
  get isLeft(): boolean {
    return this.#settled < this.#heard
  }

  /** @param known as the result of `openMoment` says */
  settle(known: number): void {
    this.#known = known
    this.#settleTo(Math.min(known, (this.#acts[0]?.at ?? Number.POSITIVE_INFINITY) - 1))
  }

  /** The act to put into the inbox now, at rest; null when there is none. */
  take(): SignalledAct | null {
    const [act] = this.#acts
    if (act === undefined || act.at > this.#known || act.at !== this.#settled + 1) return null
    this.#settleTo(act.at)
    this.#acts.shift()
    return act
  }

  /** Acts to put into the inbox before the run ends. */
  takeAll(): SignalledAct[] {
    return this.#acts.splice(0)
  }

  #settleTo(settled: number): void {
    if (settled <= this.#settled) return
    this.#run.note('signal', settled - this.#settled)
    this.#settled = settled
  }
}
