import { CancellationScope, isCancellation, sleep } from '@temporalio/workflow'
import { type Life, REST_SILENCE_MS } from './life.ts'

/** A wait at rest. It has a timer when something is to happen once nothing came for so long. */
export interface Silence {
  /** the run ends when it is over; else the being wakes by itself, if it ever does */
  readonly endsRun: boolean
  readonly isOver: boolean
  /** seconds of silence that wake the being; null unless these are over */
  readonly wakesAfter: number | null
  /** Cancels the timer. A timer that is cancelled in the task that started it is not in history. */
  end(): void
}

/**
 * Begins to wait at rest.
 * @param isLong the run is long, so it ends in silence. A being whose idle time is shorter than this silence goes on until its run is full
 */
export function beginSilence(life: Life, isLong: boolean): Silence {
  const idle = life.idle?.armed === true ? life.idle : null
  const endsRun = isLong && (idle === null || idle.seconds * 1000 > REST_SILENCE_MS)
  const idleMs = (idle?.seconds ?? 0) * 1000 - life.silentMs
  life.silentMs = 0
  let isOver = false
  const scope = new CancellationScope()
  const startTimer = (ms: number, summary: string) =>
    scope
      .run(() => sleep(ms, { summary }))
      .then(() => {
        isOver = true
      })
      .catch((error) => {
        if (!isCancellation(error)) throw error
      })
  if (endsRun) startTimer(REST_SILENCE_MS, 'silence before a new run')
  else if (idle !== null) startTimer(idleMs, `${idle.seconds} s of silence`)
  return {
    endsRun,
    get isOver() {
      return isOver
    },
    get wakesAfter() {
      return isOver && !endsRun ? (idle?.seconds ?? null) : null
    },
    end: () => scope.cancel(),
  }
}
