import type { RunLength } from './run-length.ts'
import type { SignalledAct, Signals } from './signals.ts'

/** What a run of versions 1 to 4 heard by signals, and what of it is still to be done. */
export interface OlderSignals extends Signals {
  /** nothing is to be done before the next signal */
  readonly isCalm: boolean
  /** What to tell `openMoment`, which finds all wakes whose doorbells were heard before. Its result says it again. */
  heard(): [heard: number] | []
  /** @param heard as the result of `openMoment` says; a worker of an older version does not say it */
  settle(heard: number | undefined): void
  /** Acts to put into the inbox before the next moments. @param bySilence the run goes on by a timer */
  take(bySilence: boolean): SignalledAct[]
  /** Acts to put into the inbox before the run ends. */
  takeAll(): SignalledAct[]
}

/**
 * For runs of versions 3 and 4. A doorbell is settled by the result of an `openMoment` that was asked after it. An act is put into the
 * inbox when all signals before it are settled, and moments follow it before the next act is taken. Yet these runs begin a silence only
 * when no signal is left, which a replay may see otherwise: see docs/late-tasks.md.
 */
export class SettledSignals implements OlderSignals {
  readonly #run: RunLength
  #heard = 0
  #settled = 0
  /** `at` counts signals, from 1 */
  #acts: (SignalledAct & { readonly at: number })[] = []
  #looks: boolean

  /** @param looks a wake may have come before this run */
  constructor(run: RunLength, looks: boolean) {
    this.#run = run
    this.#looks = looks
  }

  ring(): void {
    this.#heard += 1
  }

  act(signalled: SignalledAct): void {
    this.#heard += 1
    this.#acts.push({ ...signalled, at: this.#heard })
  }

  refused(): void {
    this.#heard += 1
  }

  get isCalm(): boolean {
    return !this.#looks && this.#settled === this.#heard
  }

  heard(): [number] {
    return [this.#heard]
  }

  settle(heard = this.#heard): void {
    const beforeAct = (this.#acts[0]?.at ?? Number.POSITIVE_INFINITY) - 1
    this.#settleTo(Math.min(heard, beforeAct))
  }

  take(bySilence: boolean): SignalledAct[] {
    const looks = this.#looks
    this.#looks = false
    if (bySilence || looks || this.#acts[0]?.at !== this.#settled + 1) return []
    this.#settleTo(this.#settled + 1)
    return this.#acts.splice(0, 1)
  }

  takeAll(): SignalledAct[] {
    if (this.#acts.length > 0) this.#looks = true
    return this.#acts.splice(0)
  }

  #settleTo(settled: number): void {
    if (settled <= this.#settled) return
    this.#run.note('signal', settled - this.#settled)
    this.#settled = settled
  }
}

/** For runs of versions 1 and 2, which asked when a signal had come. Their histories must replay. */
export class NotedSignals implements OlderSignals {
  readonly #run: RunLength
  #rung: boolean
  readonly #acts: SignalledAct[] = []

  /** @param rung a wake may have come before this run */
  constructor(run: RunLength, rung: boolean) {
    this.#run = run
    this.#rung = rung
  }

  ring(): void {
    this.#run.note('signal')
    this.#rung = true
  }

  act(signalled: SignalledAct): void {
    this.#run.note('signal')
    this.#acts.push(signalled)
  }

  refused(): void {
    this.#run.note('signal')
  }

  get isCalm(): boolean {
    return !this.#rung && this.#acts.length === 0
  }

  heard(): [] {
    return []
  }

  settle(): void {
    // asks instead
  }

  take(): SignalledAct[] {
    this.#rung = false
    return this.#acts.splice(0)
  }

  takeAll(): SignalledAct[] {
    if (this.#acts.length > 0) this.#rung = true
    return this.#acts.splice(0)
  }
}
