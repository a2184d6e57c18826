import { type Db, digestOf, getBlobCached, listReels, readOutcome } from '@treeos/chain'
import {
  asJson,
  type Digest,
  type Fact,
  type HeadRef,
  type Json,
  type MomentId,
  type ReelId,
  reelOfKey,
} from '@treeos/core'
import { childrenAfter, contentsAfter, type RowSource } from '@treeos/world'
import { ReelHistory } from './reel-history.ts'

/** The reels of a reality, loaded as they are asked for and kept for the moments after. */
export class Past {
  readonly #db: Db
  readonly #reels = new Map<ReelId, ReelHistory>()
  /** when moments were sealed, as it was asked for */
  readonly #sealed = new Map<MomentId, number>()

  constructor(db: Db) {
    this.#db = db
  }

  /** @param seq that it is asked for: beings live on while their past is read, and cite what came since */
  async reel(reel: ReelId, seq = 0): Promise<ReelHistory> {
    const history = this.#reels.get(reel) ?? new ReelHistory(this.#db, reel)
    const isNew = !this.#reels.has(reel)
    this.#reels.set(reel, history)
    if (isNew || history.isLoading || history.length < seq) await history.catchUp()
    return history
  }

  /** The fact of a reel that has this hash. */
  async find(reel: ReelId, hash: Digest): Promise<Fact | undefined> {
    const history = await this.reel(reel)
    const found = history.findByHash(hash)
    if (found !== undefined) return found
    await history.catchUp()
    return history.findByHash(hash)
  }

  /** Kept content, checked against the digest it is kept under. */
  async blob(digest: Digest): Promise<Json | null> {
    const value = await getBlobCached(this.#db, digest)
    if (value !== null && digestOf(value) !== digest)
      throw new Error(`what is kept as ${digest} is something else`)
    return value
  }

  /** The world as a basis cites it. A reel that the basis does not cite was not read, and cannot be read here. */
  cited(basis: readonly HeadRef[]): RowSource {
    return this.#source(basis, (reel) =>
      Promise.reject(new Error(`the moment's basis does not cite ${reel}`)),
    )
  }

  /**
   * The same, and of what the basis does not cite all that was sealed by then: for moments as they never were.
   * @param openedAt ms since 1970 UTC, when the moment opened
   */
  citedOrSealedBy(basis: readonly HeadRef[], openedAt: number): RowSource {
    const head = async (reel: ReelId) => {
      const history = await this.reel(reel)
      const seq = await history.lastWhere((fact) => this.#isSealedBy(fact, openedAt))
      return { seq, hash: history.fact(seq)?.hash ?? '' }
    }
    return {
      ...this.#source(basis, head),
      keysOfBeings: async () => {
        const reels = (await listReels(this.#db)).filter((reel) => reel.startsWith('being:'))
        const heads = await Promise.all(reels.map(head))
        return reels.filter((_, i) => (heads[i]?.seq ?? 0) > 0)
      },
    }
  }

  /** A fact has no hour of its commit; the moment that wrote it was sealed within milliseconds of it. */
  async #isSealedBy({ header }: Fact, openedAt: number): Promise<boolean> {
    if (header.moment === null) return header.at <= openedAt
    const known = this.#sealed.get(header.moment)
    const sealedAt = known ?? (await readOutcome(this.#db, header.moment))?.sealedAt ?? header.at
    this.#sealed.set(header.moment, sealedAt)
    return sealedAt <= openedAt
  }

  #source(
    basis: readonly HeadRef[],
    headOfUncited: (reel: ReelId) => Promise<{ seq: number; hash: Digest }>,
  ): RowSource {
    const cited = new Map(basis.map(([reel, seq, hash]) => [reel, { seq, hash }]))
    const headOf = async (reel: ReelId) => cited.get(reel) ?? headOfUncited(reel)
    const factsOf = async (reel: ReelId): Promise<readonly Fact[]> => {
      const { seq } = await headOf(reel)
      return (await this.reel(reel, seq)).upTo(seq)
    }
    return {
      blob: (digest) => this.blob(digest),
      rows: (keys) =>
        Promise.all(
          keys.map(async (key) => {
            const reel = reelOfKey(key)
            const { seq, hash } = await headOf(reel)
            const history = await this.reel(reel, seq)
            if (seq > 0 && history.fact(seq)?.hash !== hash)
              throw new Error(`${reel}#${seq} is not the fact that was cited`)
            const state = asJson(history.rowAt(key, seq))
            return { key, state, head: { reel, seq, hash, stateSeq: history.stateSeqAt(seq) } }
          }),
        ),
      keysInPlace: async (place, kind) =>
        contentsAfter(
          await factsOf(place.startsWith('@') ? `being:${place.slice(1)}` : `space:${place}`),
          kind,
        ),
      keysOfBeings: () => Promise.reject(new Error('a moment sees no list of all beings')),
      keysOfChildren: async (being) => childrenAfter(await factsOf(`being:${being}`)),
    }
  }
}
