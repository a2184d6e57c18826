/** One run of a being's workflow: how long it becomes, and how it waits. */
import { CancellationScope, isCancellation, sleep } from '@temporalio/workflow'
import { MOMENTS_OF_TASK_MAX } from '@treeos/protocol/workflow'

/**
 * Bounds the length of a run. A being that was evicted from the cache is replayed from the start of its run,
 * within one workflow task. On two busy cores a replay of 1500 events took longer than the task timeout, so
 * that being never resumed.
 */
export const HISTORY_EVENTS_MAX = 500

/**
 * Events after which a being that rests continues as new, about 16 moments. When a wake comes for a being
 * that is in no cache, its run is replayed first, about 3 events in a ms.
 */
export const REST_EVENTS_MAX = 96

/**
 * After a wake broke the silence, the run waits for the next silence once it has this many events more, about
 * 5 moments. Each such wait costs a timer.
 */
export const REST_AGAIN_EVENTS = 32

/**
 * Moments after which a workflow task ends. A ring that came meanwhile is heard then. It has more, up to
 * {@link MOMENTS_OF_TASK_MAX}, only where its first activity lived them. That activity begins no moment
 * that would end after 4.5 s, so the task is not longer than one of 8 slow moments.
 */
const MOMENTS_OF_TASK = 8

/**
 * About how many events each adds to a history. A moment that its worker lived adds at most two: the activity
 * it shares with others, and what the Temporal UI shows of the being when that changes. A moment that the
 * workflow went on with also ends its task, by an activity.
 */
const EVENTS = { signal: 1, task: 3, lived: 2, moment: 8 } as const

/**
 * Estimates how long a run and its present task have become, by counting what happened. The history length
 * that Temporal reports must not decide anything: when a local activity outlasts its task, the server adds
 * tasks, and a replay sees the longer history before that activity.
 */
export class RunLength {
  #events = 0
  #moments = 0

  /** about how many events the run's history has */
  get events(): number {
    return this.#events
  }

  /** Call it for signals, for each moment, and after the run has waited, because another task began then. */
  note(what: keyof typeof EVENTS, times = 1): void {
    this.#events += times * EVENTS[what]
    this.#moments = what === 'lived' ? this.#moments + times : what === 'signal' ? this.#moments : 0
  }

  /** Call it after moments. @returns whether the next one belongs into another task */
  isTaskFull(): boolean {
    return this.#moments >= MOMENTS_OF_TASK
  }

  /** How many moments still belong into this task, at least 1 unless it is full. */
  get room(): number {
    return (this.#moments === 0 ? MOMENTS_OF_TASK_MAX : MOMENTS_OF_TASK) - this.#moments
  }
}

/**
 * A run ends only after such a silence. The server refuses to end a run in a task during which a signal came,
 * and then all that the task did is done again; the next wake of a busy being often comes with the end of a
 * moment.
 */
export const REST_SILENCE_MS = 2000
/** After a wake by silence the being waits again only once it acted, or once a wake came from outside. */
export interface IdleWait {
  readonly seconds: number
  /** false after a wake by silence, until the being waits again */
  readonly armed: boolean
}

/** A wait at rest. It has a timer when something is to happen once nothing came for so long. */
export interface Silence {
  /** the run ends when it is over; else the being wakes by itself, if it ever does */
  readonly endsRun: boolean
  readonly isOver: boolean
  /** the silence that ends the run is over */
  readonly wantsEnd: boolean
  /** seconds of silence that wake the being; null unless these are over */
  readonly wakesAfter: number | null
  /** Cancels the timer. A timer that is cancelled in the task that started it is not in history. */
  end(): void
}

/**
 * Begins to wait at rest.
 * @param isLong the run may end after a silence of `REST_SILENCE_MS`. It does not when the being wakes by its
 *   own idle time first
 */
export function beginSilence(
  life: { readonly idle: IdleWait | null; silentMs: number },
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
    get wantsEnd() {
      return endsRun && timer?.isOver === true
    },
    get wakesAfter() {
      return timer?.isOver === true && !endsRun ? (idle?.seconds ?? null) : null
    },
    end: () => timer?.scope.cancel(),
  }
}

/**
 * Only for a rest that needs a timer: to cancel a scope costs an error with its stack, even when the scope
 * holds no timer.
 */
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
