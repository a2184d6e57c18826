const ENTRIES = 0
const SLOT = 1
const LENGTH = 2

/**
 * What a workflow thread is doing, in memory that it shares with the main thread. The main thread can read it while the thread is
 * inside a workflow that does not return.
 */
export class Watch {
  readonly shared: SharedArrayBuffer
  readonly #cells: Int32Array

  constructor(shared = new SharedArrayBuffer(LENGTH * Int32Array.BYTES_PER_ELEMENT)) {
    this.shared = shared
    this.#cells = new Int32Array(shared)
  }

  /** Called by the thread. @param slot number of the workflow that it enters */
  enter(slot: number): void {
    Atomics.store(this.#cells, SLOT, slot)
    Atomics.add(this.#cells, ENTRIES, 1)
  }

  /** Called by the thread. */
  leave(): void {
    Atomics.add(this.#cells, ENTRIES, 1)
  }

  /** Called by the main thread. @returns null while the thread is in no workflow; entries are numbered, so a new one differs */
  entered(): { entry: number; slot: number } | null {
    const slot = Atomics.load(this.#cells, SLOT)
    const entry = Atomics.load(this.#cells, ENTRIES)
    return entry % 2 === 0 ? null : { entry, slot }
  }
}
