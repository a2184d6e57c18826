/**
 * Bounds the length of a run. A being that was evicted from the cache is replayed from the start of its run, within one
 * workflow task. On two busy cores a replay of 1500 events took longer than the task timeout, so that being never resumed.
 */
export const HISTORY_EVENTS_MAX = 500

/**
 * Events after which a being that rests continues as new, about 12 moments. When a wake comes for a being that is in no cache, its run
 * is replayed first, about 3 events in a ms.
 */
export const REST_EVENTS_MAX = 96

/** After a wake broke the silence, the run waits for the next silence once it has this many events more, about 4 moments. Each such wait costs a timer. */
export const REST_AGAIN_EVENTS = 32

/** Most moments of one workflow task. Signals wait until the task ends. */
const MOMENTS_OF_TASK_MAX = 8

/** About how many events each adds to a history. A moment adds 2 on the short way and 8 on the long way. */
const EVENTS = { signal: 1, task: 3, moment: 4 } as const

/**
 * Estimates how long a run and its present task have become, by counting what happened. The history length that Temporal reports must
 * not decide anything: when a local activity outlasts its task, the server adds tasks, and a replay sees the longer history before that
 * activity.
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
    if (what === 'moment') this.#moments += 1
    if (what === 'task') this.#moments = 0
  }

  /** Call it after a moment. @returns whether the next one belongs into another task */
  isTaskFull(): boolean {
    return this.#moments >= MOMENTS_OF_TASK_MAX
  }

  /** Call it before a moment. @returns whether the one after it still belongs into this task */
  hasRoomForNext(): boolean {
    return this.#moments + 1 < MOMENTS_OF_TASK_MAX
  }
}
