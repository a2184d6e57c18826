import { isArray, type Json } from '../canonical.ts'
import { genesisHash } from '../hash.ts'
import type { Heads } from '../heads.ts'
import type { LooseFact } from './cover.ts'

/** Where a fact stands on a reel, and what it follows. */
export interface FactLink {
  readonly reel: string
  readonly seq: number
  readonly prev: Json
  readonly hash: string
}

const APPROVAL = 'approval:'

/** The facts that moments of a bundle name, on reels that it does not hold as a whole. */
export class CitedFacts<Place> {
  readonly #hashAt: (reel: string, seq: unknown) => string | undefined
  readonly #loose = new Map<string, LooseFact>()
  /** where those of them are that no moment has named yet */
  readonly #unnamed = new Map<string, Place>()
  /** facts that woke a moment, or that it was shown */
  readonly #named = new Set<string>()
  /** the last fact of each approval, as far as its facts are here from the first on */
  readonly #approvals = new Map<string, { readonly seq: number; readonly hash: string }>()
  /** reels of the yes that moments brought, and that are not here up to it */
  readonly #withoutYes = new Set<string>()
  /** heads that moments read, and that are not here, with their reels */
  readonly #read = new Map<string, string>()

  constructor(hashAt: (reel: string, seq: unknown) => string | undefined) {
    this.#hashAt = hashAt
  }

  /** Takes a fact of a reel without a head. */
  takeLoose(reality: string, { reel, seq, prev, hash }: FactLink, isTombstone: boolean, place: Place): void {
    this.#loose.set(hash, { hash, isTombstone, isProven: false })
    this.#unnamed.set(hash, place)
    if (!reel.startsWith(APPROVAL)) return
    const last = this.#approvals.get(reel) ?? { seq: 0, hash: genesisHash(reality, reel) }
    if (seq === last.seq + 1 && prev === last.hash) this.#approvals.set(reel, { seq, hash })
  }

  /** Whether a reel is here from its first fact on although it has no head: the approval of a call. */
  isWhole = (reel: string): boolean => this.#approvals.has(reel)

  /** A moment wrote it, read it, or was woken by it. */
  name(hash: string): void {
    this.#unnamed.delete(hash)
  }

  /** These facts woke a moment, or its face showed them: an export holds them. */
  require(facts: readonly (Json | undefined)[]): void {
    for (const fact of facts) {
      const hash = isArray(fact) ? (fact[1] === 0 ? null : fact[2]) : fact
      if (typeof hash === 'string') this.#named.add(hash)
    }
  }

  /** Notes what a moment of one being read and the bundle holds as hashes alone. */
  takeHeads({ basis, judgedFrom }: Heads): void {
    for (const [reel, seq] of [...basis, ...judgedFrom.values()])
      if (seq !== 0 && this.#hashAt(reel, seq) === undefined) this.#read.set(`${seq} ${reel}`, reel)
  }

  /**
   * A moment brought the yes on this reel. Its facts stand there for it.
   * @param until number of the last one that it read
   * @returns number of the last one of those that are here
   */
  takeYes(reel: string, until: number): number {
    const last = Math.min(this.#approvals.get(reel)?.seq ?? 0, until)
    for (let seq = 1; seq <= last; seq++) this.name(String(this.#hashAt(reel, seq)))
    return last
  }

  /** The yes that a moment brought is not among the facts of its reel that are here. */
  lacksYes(reel: string): void {
    this.#withoutYes.add(reel)
  }

  looseAt(hash: string): LooseFact | undefined {
    return this.#loose.get(hash)
  }

  /** The facts that no moment named. @returns those that are not tombstones, with their places */
  *unnamed(): Generator<Place> {
    for (const [hash, place] of this.#unnamed) if (this.#loose.get(hash)?.isTombstone !== true) yield place
  }

  tombstones(): LooseFact[] {
    return [...this.#unnamed.keys()].flatMap((hash) => this.#loose.get(hash) ?? [])
  }

  /** In words, what its moments name and it does not hold although an export does. @param here hashes of all links */
  *absent(here: ReadonlySet<string>): Generator<string> {
    const count = [...this.#named].filter((hash) => !here.has(hash)).length
    if (count > 0) yield `${count} facts that woke its moments, or were shown to them, are not in the bundle`
    const lacking = this.#withoutYes.size
    if (lacking > 0) yield `who said yes to ${lacking} of its calls is not in the bundle`
  }

  /** In words, what its moments read that no export of one being holds. */
  *unread(): Generator<string> {
    const reels = new Set(this.#read.values()).size
    if (reels > 0)
      yield `what its moments read of ${reels} other reels, at ${this.#read.size} heads, is in the bundle as hashes alone`
  }
}
