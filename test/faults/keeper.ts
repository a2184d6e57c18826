import { setTimeout as sleep } from 'node:timers/promises'
import type { WorkerProcess } from './worker-process.ts'

const SPAWN_FAILURES_MAX = 20

/** Keeps one worker running: starts another when it ends. */
export class Keeper {
  #worker: WorkerProcess
  #stopped = false
  starts = 1
  readonly #start: () => WorkerProcess

  constructor(first: WorkerProcess, start: () => WorkerProcess) {
    this.#start = start
    this.#worker = first
    void this.#keep()
  }

  get worker(): WorkerProcess {
    return this.#worker
  }

  async #keep(): Promise<void> {
    for (let failures = 0; failures < SPAWN_FAILURES_MAX; failures++) {
      await this.#worker.ended
      if (this.#stopped) return
      if (this.#worker.wasKilled) failures = 0
      else await sleep(250) // its servers are away
      this.#worker = this.#start()
      this.starts += 1
    }
  }

  stop(): void {
    this.#stopped = true
  }
}
