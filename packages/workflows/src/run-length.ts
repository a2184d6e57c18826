/**
 * Bounds the moments of one workflow task. A task holds up signals, and the server ends one that takes longer than 10 s. So
 * the worst case of a moment on the short way, times this, stays below it.
 */
const MOMENTS_OF_TASK_MAX = 8

/** Events that something adds to a history, about: a moment adds 2 on the short way and 8 on the long way. */
const EVENTS = { signal: 1, task: 3, moment: 4 } as const

/**
 * How long a run and its present task have become. It counts what happened. The length of the history that Temporal tells is no ground
 * for a decision: when a local activity outlasts its task, the server adds tasks, and a replay sees the length after them already before
 * the activity.
 */
export class RunLength {
  #events = 0
  #moments = 0

  /** events of the run's history, about */
  get events(): number {
    return this.#events
  }

  /** Call it for signals, for each moment, and when the run has waited, so that another task began. */
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
