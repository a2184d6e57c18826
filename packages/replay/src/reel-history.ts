import { type Digest, type Fact, type ReelId, SPEECH_KIND } from '@treeos/core'
import { type Db, type Erasure, type Erasures, listFactsAfter } from '@treeos/store'
import { contentsAfter, evolve, type KindInPlace, type Row, rowKeyOf } from '@treeos/world'

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

/** One reel with the states of its rows after every fact, so that it can return the state at any seq. */
export class ReelHistory {
  readonly #facts: Fact[] = []
  /** by row key: the states in order, each with the seq of the fact that made it */
  readonly #states = new Map<string, { seq: number; row: Row | null }[]>()
  readonly #changes: number[] = []
  readonly #seqs = new Map<Digest, number>()

  /** where rows are not known: from a fact without its payload until its tombstone */
  readonly #gaps: { key: string; from: number; until: number; error: Error }[] = []

  /** cache: of each kind, what was asked for last; moment after moment asks for the same */
  readonly #contents = new Map<KindInPlace, { readonly seq: number; readonly keys: readonly string[] }>()

  readonly #db: Db
  readonly #reel: ReelId
  readonly #erasures: Erasures
  #loading: Promise<void> | null = null

  constructor(db: Db, reel: ReelId, erasures: Erasures) {
    this.#db = db
    this.#reel = reel
    this.#erasures = erasures
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
      for (const fact of page) this.#take(fact)
      if (page.length < PAGE) return
    }
  }

  #take(fact: Fact): void {
    const { reel, seq, kind, actor, at } = fact.header
    this.#facts.push(fact)
    this.#seqs.set(fact.hash, seq)
    if (kind !== SPEECH_KIND) this.#changes.push(seq)
    const draft = { reel, kind, payload: fact.payload ?? {} } // an erased one never names a role
    const key = rowKeyOf(draft)
    if (key === null) return
    if (fact.payload === null) {
      const erasure = this.#erasures.ofFact(reel, seq)
      const error = erasure === undefined ? new LostError(reel, seq) : new ErasedError(erasure)
      this.#gaps.push({ key, from: seq, until: erasure?.tombstone ?? Number.POSITIVE_INFINITY, error })
      return
    }
    const states = this.#states.get(key) ?? []
    states.push({ seq, row: evolve(states.at(-1)?.row ?? null, { ...draft, actor, at }) })
    this.#states.set(key, states)
  }

  get isLoading(): boolean {
    return this.#loading !== null
  }

  get length(): number {
    return this.#facts.length
  }

  /**
   * The row as it was after `seq` facts; null when there was none.
   * @throws {ErasedError} while a fact that was erased later may have been part of it
   * @throws {LostError}
   */
  rowAt(key: string, seq: number): Row | null {
    const gap = this.#gaps.find((each) => each.key === key && each.from <= seq && seq < each.until)
    if (gap !== undefined) throw gap.error
    return lastUpTo(this.#states.get(key) ?? [], seq, (state) => state.seq)?.row ?? null
  }

  /** Seq of the last fact up to `seq` that is not speech, so that it changed state; 0 when there is none. */
  stateSeqAt(seq: number): number {
    return lastUpTo(this.#changes, seq, (changed) => changed) ?? 0
  }

  fact(seq: number): Fact | undefined {
    return this.#facts[seq - 1]
  }

  findByHash(hash: Digest): Fact | undefined {
    return this.fact(this.#seqs.get(hash) ?? 0)
  }

  /** Seq of the last fact for which a condition holds, by binary search: it must hold for all facts before. 0 when none. */
  async lastWhere(holds: (fact: Fact) => Promise<boolean>): Promise<number> {
    let low = 0
    let high = this.#facts.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (await holds(this.#facts[middle] as Fact)) low = middle + 1
      else high = middle
    }
    return low
  }

  /** Keys of what lay in the place of this reel after `seq` facts, sorted. */
  contentsAt(kind: KindInPlace, seq: number): readonly string[] {
    const known = this.#contents.get(kind)
    if (known?.seq === seq) return known.keys
    const keys = contentsAfter(this.upTo(seq), kind)
    this.#contents.set(kind, { seq, keys })
    return keys
  }

  /** Facts 1 to `seq`. */
  upTo(seq: number): readonly Fact[] {
    return this.#facts.slice(0, seq)
  }
}

/** The last item whose seq is at most `seq`. @param items sorted by seq */
function lastUpTo<T>(items: readonly T[], seq: number, seqOf: (item: T) => number): T | undefined {
  let low = 0
  let high = items.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (seqOf(items[middle] as T) <= seq) low = middle + 1
    else high = middle
  }
  return items[low - 1]
}
