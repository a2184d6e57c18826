import type { Fact, ReelId } from '@treeos/core'
import { type Db, type Erasure, type Erasures, listFactsAfter } from '@treeos/store'
import { ReelHistory } from '@treeos/world'

const PAGE = 2000

/** What a moment read was erased later. */
export class ErasedError extends Error {
  override readonly name = 'ErasedError'

  constructor({ reel, seq, by }: Erasure) {
    super(`what fact ${seq} of ${reel} said was erased by ${by}`)
  }
}

/** A payload is missing, and no fact says that it was erased. */
class LostError extends Error {
  override readonly name = 'LostError'

  constructor(reel: ReelId, seq: number) {
    super(`the payload of fact ${seq} of ${reel} is missing, and no fact says that it was erased`)
  }
}

/** A reel as it is read from the database. */
export class LoadedReel extends ReelHistory {
  readonly #db: Db
  readonly #reel: ReelId
  #loading: Promise<void> | null = null

  constructor(db: Db, reel: ReelId, erasures: Erasures) {
    super((of, seq) => {
      const erasure = erasures.ofFact(of, seq)
      return erasure === undefined
        ? { error: new LostError(of, seq), until: Number.POSITIVE_INFINITY }
        : { error: new ErasedError(erasure), until: erasure.tombstone }
    })
    this.#db = db
    this.#reel = reel
  }

  get isLoading(): boolean {
    return this.#loading !== null
  }

  /** Reads the facts that were added since the last read. */
  catchUp(): Promise<void> {
    this.#loading ??= this.#readOn().finally(() => {
      this.#loading = null
    })
    return this.#loading
  }

  async #readOn(): Promise<void> {
    for (let page: Fact[]; ; ) {
      page = await listFactsAfter(this.#db, this.#reel, this.length, PAGE)
      for (const fact of page) this.take(fact)
      if (page.length < PAGE) return
    }
  }
}
