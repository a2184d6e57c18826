import { CancellationScope, isCancellation, sleep } from '@temporalio/workflow'

/**
 * A run ends only after such a silence. The server refuses to end a run in a task during which a signal came, and then all that the
 * task did is done again; the next wake of a busy being often comes with the end of a moment.
 */
export const REST_SILENCE_MS = 2000
/** After a wake by silence the being waits again only once it acted, or once a wake came from outside. */
export interface Idle {
  readonly seconds: number
  /** false after a wake by silence, until the being waits again */
  readonly armed: boolean
}

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
 * @param isLong the run may end after a silence of `REST_SILENCE_MS`. It does not when the being wakes by its own idle time first
 */
export function beginSilence(
  life: { readonly idle: Idle | null; silentMs: number },
  isLong: boolean,
): Silence {
  const idle = life.idle?.armed === true ? life.idle : null
  const endsRun = isLong && (idle === null || idle.seconds * 1000 > REST_SILENCE_MS)
  const { silentMs } = life
  life.silentMs = 0
  const timer = endsRun
    ? startTimer(REST_SILENCE_MS, 'silence before a new run')
    : idle && startTimer(idle.seconds * 1000 - silentMs, `${idle.seconds} s of silence`)
  return {
    endsRun,
    get isOver() {
      return timer?.isOver === true
    },
    get wakesAfter() {
      return timer?.isOver === true && !endsRun ? (idle?.seconds ?? null) : null
    },
    end: () => timer?.scope.cancel(),
  }
}

/** Only for a rest that needs a timer: to cancel a scope costs an error with its stack, even when the scope holds no timer. */
function startTimer(
  ms: number,
  summary: string,
): { readonly scope: CancellationScope; readonly isOver: boolean } {
  const scope = new CancellationScope()
  const timer = { scope, isOver: false }
  scope
    .run(() => sleep(ms, { summary }))
    .then(() => {
      timer.isOver = true
    })
    .catch((error) => {
      if (!isCancellation(error)) throw error
    })
  return timer
}
