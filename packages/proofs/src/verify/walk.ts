import type { ReelId } from '@treeos/core'
import { genesisHash } from '@treeos/store'
import type { BrokenReason, ChainFault } from './verdict.ts'

interface WalkedLink {
  readonly reel: ReelId
  readonly seq: number
  readonly prev: Buffer
  readonly hash: Buffer
}

interface ReelStanding {
  readonly seq: number
  readonly hash: Buffer
  readonly stateSeq: number
}

/** Checks the links of one chain after another, and compares the end of each chain with its head. */
export class Walk {
  readonly broken = new Map<ReelId, ChainFault>()
  chains = 0
  readonly #reality: string
  readonly #heads: Map<ReelId, ReelStanding>
  #reel: ReelId | null = null
  /** the last link of the reel that had no fault, or its origin */
  readonly #last = { seq: 0, hash: genesisHash('', ''), stateSeq: 0 }

  constructor(reality: string, heads: Map<ReelId, ReelStanding>) {
    this.#reality = reality
    this.#heads = heads
  }

  /** @param link its hash is copied */
  step(link: WalkedLink, faultOfBody: () => BrokenReason | null, changes: boolean): void {
    const { reel, seq } = link
    if (reel !== this.#reel) this.#begin(reel)
    if (this.broken.has(reel)) return
    const expected = this.#last.seq + 1
    let reason: BrokenReason | null = 'seq-gap'
    if (seq === expected) reason = link.prev.equals(this.#last.hash) ? faultOfBody() : 'prev-mismatch'
    if (reason !== null) this.report({ reel, seq: expected, reason })
    else this.#moveTo({ seq, hash: link.hash, stateSeq: changes ? seq : this.#last.stateSeq })
  }

  /** Call after the last link. A head without a chain must stand at its genesis. */
  end(): void {
    this.#finish()
    for (const [reel, head] of this.#heads) this.#compare(reel, head, this.#origin(reel))
  }

  /** Keeps only the first fault of a chain. */
  report(fault: ChainFault): void {
    const known = this.broken.get(fault.reel)
    if (known === undefined || fault.seq < known.seq) this.broken.set(fault.reel, fault)
  }

  #begin(reel: ReelId): void {
    this.#finish()
    this.chains += 1
    this.#reel = reel
    this.#moveTo(this.#origin(reel))
  }

  #moveTo({ seq, hash, stateSeq }: ReelStanding): void {
    this.#last.seq = seq
    this.#last.stateSeq = stateSeq
    hash.copy(this.#last.hash)
  }

  #finish(): void {
    const reel = this.#reel
    if (reel === null) return
    if (!this.broken.has(reel)) this.#compare(reel, this.#heads.get(reel), this.#last)
    this.#heads.delete(reel)
    this.#reel = null
  }

  #compare(reel: ReelId, head: ReelStanding | undefined, { seq, hash, stateSeq }: ReelStanding): void {
    if (head?.seq === seq && head.stateSeq === stateSeq && head.hash.equals(hash)) return
    this.report({ reel, seq, reason: 'head-mismatch' })
  }

  #origin(reel: ReelId): ReelStanding {
    return { seq: 0, hash: genesisHash(this.#reality, reel), stateSeq: 0 }
  }
}
