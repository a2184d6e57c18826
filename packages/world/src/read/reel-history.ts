import { type Digest, type Fact, type ReelId, SPEECH_KIND } from '@treeos/core'
import { contentsAfter } from '../rows/contents.ts'
import { evolve, rowKeyOf } from '../rows/evolve.ts'
import type { Row } from '../rows/rows.ts'
import type { KindInPlace } from './reader.ts'

/**
 * Why the payload of a fact is not there, and from which fact on the row is known again, since its tombstone
 * says so.
 */
export interface LostPayload {
  readonly error: Error
  /** seq of the tombstone; infinite without one */
  readonly until: number
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

  readonly #whyLost: (reel: ReelId, seq: number) => LostPayload

  /** @param whyLost is asked about each fact without its payload */
  constructor(whyLost: (reel: ReelId, seq: number) => LostPayload) {
    this.#whyLost = whyLost
  }

  /** Adds the next fact of the reel. */
  take(fact: Fact): void {
    const { reel, seq, kind, actor, at } = fact.header
    this.#facts.push(fact)
    this.#seqs.set(fact.hash, seq)
    if (kind !== SPEECH_KIND) this.#changes.push(seq)
    const draft = { reel, kind, payload: fact.payload ?? {} } // an erased one never names a role
    const key = rowKeyOf(draft)
    if (key === null) return
    if (fact.payload === null) {
      this.#gaps.push({ key, from: seq, ...this.#whyLost(reel, seq) })
      return
    }
    const states = this.#states.get(key) ?? []
    this.#states.set(key, states)
    try {
      states.push({ seq, row: evolve(states.at(-1)?.row ?? null, { ...draft, actor, at }) })
    } catch (cause) {
      const error = new Error(`fact ${seq} of ${reel} does not fold to a row`, { cause })
      this.#gaps.push({ key, from: seq, until: Number.POSITIVE_INFINITY, error })
    }
  }

  get length(): number {
    return this.#facts.length
  }

  /**
   * The row as it was after `seq` facts; null when there was none.
   * @throws the error of a payload that is not there, while its fact may have been part of the row; an error
   *   after a fact that does not fold
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

  /**
   * Seq of the last fact for which a condition holds, by binary search: it must hold for all facts before. 0
   * when none.
   */
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
