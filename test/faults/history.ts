/** What the clients of an experiment saw and when: their submits, what came of them, and what they read. */

/** Text that one append adds to a reel. */
export type Entry = string

export interface Append {
  readonly kind: 'append'
  readonly reel: string
  readonly entry: Entry
  /** ms of one clock, before the first statement was sent */
  readonly from: number
  /** when its client learned that it was done; infinite until then */
  to: number
}

export interface Read {
  readonly kind: 'read'
  readonly reel: string
  /** all entries of the reel, in the order that was read */
  readonly entries: readonly Entry[]
  readonly from: number
  readonly to: number
}

export type Operation = Append | Read

/** ms, never backwards */
const clock = (): number => performance.now()

/** Collects the operations of an experiment. */
export class History {
  readonly operations: Operation[] = []
  readonly #open = new Map<string, Append[]>()

  /** @param id names the act; one act may append to several reels */
  begin(id: string, reel: string, entry: Entry): void {
    const append: Append = { kind: 'append', reel, entry, from: clock(), to: Number.POSITIVE_INFINITY }
    this.operations.push(append)
    this.#open.set(id, [...(this.#open.get(id) ?? []), append])
  }

  /** The client learned now that the act is done. */
  end(id: string): void {
    for (const append of this.#open.get(id) ?? []) append.to = clock()
    this.#open.delete(id)
  }

  /** A read that fails saw nothing, so it is left out. */
  async read(reel: string, ask: () => Promise<readonly Entry[]>): Promise<void> {
    const from = clock()
    const entries = await ask()
    this.operations.push({ kind: 'read', reel, entries, from, to: clock() })
  }
}
