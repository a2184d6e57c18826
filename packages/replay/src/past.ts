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

/** Reads past states of a reality. Loads reels on demand and caches them. */
export class Past {
  readonly #db: Db
  readonly #reels = new Map<ReelId, ReelHistory>()
  /** cache: when moments were sealed */
  readonly #sealed = new Map<MomentId, number>()

  constructor(db: Db) {
    this.#db = db
  }

  /** A reel that is loaded at least up to `seq`. Reels may grow while they are read. */
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

  /** A blob, checked against its digest. */
  async blob(digest: Digest): Promise<Json | null> {
    const value = await getBlobCached(this.#db, digest)
    if (value !== null && digestOf(value) !== digest) throw new Error(`the blob ${digest} has another digest`)
    return value
  }

  /** The world at the heads of a basis. Reading a reel that the basis does not cite rejects: the moment did not read it. */
  cited(basis: readonly HeadRef[]): RowSource {
    return this.#source(basis, (reel) =>
      Promise.reject(new Error(`the moment's basis does not cite ${reel}`)),
    )
  }

  /**
   * The world at the heads of a basis. A reel that the basis does not cite is read up to the facts sealed by `openedAt`, so
   * that a what-if can read more than the moment did.
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

  /** Facts hold no commit time. The moment that wrote a fact was sealed within milliseconds of the commit. */
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
              throw new Error(`fact ${seq} of ${reel} differs from the cited one`)
            const state = asJson(history.rowAt(key, seq))
            return { key, state, head: { reel, seq, hash, stateSeq: history.stateSeqAt(seq) } }
          }),
        ),
      keysInPlace: async (place, kind) =>
        contentsAfter(
          await factsOf(place.startsWith('@') ? `being:${place.slice(1)}` : `space:${place}`),
          kind,
        ),
      keysOfBeings: () => Promise.reject(new Error('no moment reads the list of all beings')),
      keysOfChildren: async (being) => childrenAfter(await factsOf(`being:${being}`)),
    }
  }
}
