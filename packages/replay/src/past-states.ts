import {
  type Aside,
  type AsideSource,
  type BeingName,
  beingReel,
  type CitedFact,
  type Digest,
  type Fact,
  type HeadRef,
  type Json,
  type MomentId,
  type PastActs,
  type PastFact,
  parseMomentId,
  type ReelId,
  readPath,
  SPEECH_KIND,
} from '@treeos/core'
import {
  type Db,
  digestOf,
  type Erasures,
  findOpen,
  findOutcome,
  listFactsOfMoment,
  listReels,
  readBlobCached,
  readErasures,
  tellsOutside,
} from '@treeos/store'
import { OUTSIDE, type ReelHead, type RowSource, rowsAtHeads } from '@treeos/world'
import { LoadedReel } from './loaded-reel.ts'

/** Reads past states of a reality. Loads reels on demand and caches them. */
export class PastStates {
  readonly #db: Db
  readonly #reels = new Map<ReelId, LoadedReel>()
  /** cache: blobs that have their digest; they are frozen */
  readonly #checked = new WeakMap<object, Digest>()
  /** cache: when moments were sealed */
  readonly #sealed = new Map<MomentId, number>()

  #erasures: Promise<Erasures> | null = null

  constructor(db: Db) {
    this.#db = db
  }

  /** What was erased until this was asked for the first time. */
  erasures(): Promise<Erasures> {
    this.#erasures ??= readErasures(this.#db)
    return this.#erasures
  }

  /** A reel that is loaded at least up to `seq`. Reels may grow while they are read. */
  async reel(reel: ReelId, seq = 0): Promise<LoadedReel> {
    const erasures = await this.erasures()
    const loaded = this.#loaded(reel, seq)
    if (loaded !== null) return loaded
    const history = this.#reels.get(reel) ?? new LoadedReel(this.#db, reel, erasures)
    this.#reels.set(reel, history)
    await history.catchUp()
    return history
  }

  /** The same without waiting; null for a reel that is not loaded so far. */
  #loaded(reel: ReelId, seq: number): LoadedReel | null {
    const history = this.#reels.get(reel)
    return history === undefined || history.isLoading || history.length < seq ? null : history
  }

  /** The fact of a reel that has this hash. */
  async find(reel: ReelId, hash: Digest): Promise<Fact | undefined> {
    const history = await this.reel(reel)
    const found = history.findByHash(hash)
    if (found !== undefined) return found
    await history.catchUp()
    return history.findByHash(hash)
  }

  /** A blob, checked against its digest. One that was read before is returned without a promise. */
  blob(digest: Digest): Json | null | Promise<Json | null> {
    const found = readBlobCached(this.#db, digest)
    return found instanceof Promise
      ? found.then((value) => this.#checkedBlob(digest, value))
      : this.#checkedBlob(digest, found)
  }

  #checkedBlob(digest: Digest, value: Json | null): Json | null {
    if (value === null || (typeof value === 'object' && this.#checked.get(value) === digest)) return value
    if (digestOf(value) !== digest) throw new Error(`the blob ${digest} has another digest`)
    if (typeof value === 'object') this.#checked.set(value, digest)
    return value
  }

  /**
   * The world at the heads of a basis. Reading a reel that the basis does not cite rejects: the moment did
   * not read it.
   * @param more.sealedBy reads such a reel up to the facts sealed by then, in ms since 1970 UTC: other
   *   extensions than those of the moment may read more
   * @param readings what the moment read beside rows; nothing when left out
   */
  cited(
    basis: readonly HeadRef[],
    readings: MomentReadings | null = null,
    { sealedBy = null }: { readonly sealedBy?: number | null } = {},
  ): RowSource {
    const source = this.#source(basis, (reel) =>
      sealedBy === null
        ? Promise.reject(new Error(`the moment's basis does not cite ${reel}`))
        : this.#headSealedBy(reel, sealedBy),
    )
    return { ...source, aside: this.#asideOf(readings) }
  }

  /**
   * The world at the heads of a basis. A reel that the basis does not cite is read up to the facts sealed by
   * `openedAt`, so that a what-if can read more than the moment did.
   * @param openedAt ms since 1970 UTC, when the moment opened
   * @param readings as for `cited`: a what-if reads nothing else beside rows
   */
  citedOrSealedBy(
    basis: readonly HeadRef[],
    openedAt: number,
    readings: MomentReadings | null = null,
  ): RowSource {
    const head = (reel: ReelId) => this.#headSealedBy(reel, openedAt)
    return {
      ...this.#source(basis, head),
      aside: this.#asideOf(readings),
      keysOfBeings: async () => {
        const reels = (await listReels(this.#db)).filter((reel) => reel.startsWith('being:'))
        const heads = await Promise.all(reels.map(head))
        return reels.filter((_, i) => (heads[i]?.seq ?? 0) > 0)
      },
    }
  }

  async #headSealedBy(reel: ReelId, at: number): Promise<ReelHead> {
    const history = await this.reel(reel)
    const seq = await history.lastWhere((fact) => this.#isSealedBy(fact, at))
    return { seq, hash: history.fact(seq)?.hash ?? '' }
  }

  /** Facts hold no commit time. The moment that wrote a fact was sealed within milliseconds of the commit. */
  async #isSealedBy({ header }: Fact, openedAt: number): Promise<boolean> {
    if (header.moment === null) return header.at <= openedAt
    const known = this.#sealed.get(header.moment)
    const sealedAt = known ?? (await findOutcome(this.#db, header.moment))?.sealedAt ?? header.at
    this.#sealed.set(header.moment, sealedAt)
    return sealedAt <= openedAt
  }

  /**
   * What a moment read beside rows, as its open record says. Facts are read from their reels, and must be
   * what they are said to be.
   */
  #asideOf(readings: MomentReadings | null): AsideSource {
    const { said, did, wore, waiting, threads, recalled, past } = readings?.aside ?? {}
    const facts = (refs: readonly HeadRef[], requires: (fact: Fact) => boolean) =>
      Promise.all(refs.map((ref) => this.#citedFact(ref, requires)))
    return {
      said: async () => ({
        facts: await facts(said?.facts ?? [], (fact) => isSaidTo(fact, readings)),
        earlier: said?.earlier ?? 0,
      }),
      did: () => facts(did ?? [], ({ header }) => header.actor === readings?.being),
      wore: async (beings) =>
        Object.fromEntries(Object.entries(wore ?? {}).filter(([being]) => beings.includes(being))),
      waiting: async () => waiting ?? { wakes: [], more: 0 },
      threads: async () => threads ?? { threads: [], more: 0 },
      recalled: async () => recalled ?? { notes: [], more: 0, held: 0 },
      past: () => this.#pastActs(past ?? { facts: [], earlier: 0 }, readings),
    }
  }

  /** Own past acts, and what their facts caused. Where their words are from is asked again. */
  async #pastActs(
    { facts: refs, ...told }: PastActs<HeadRef>,
    readings: MomentReadings | null,
  ): Promise<PastActs<PastFact>> {
    const hashes = new Set(refs.map(([, , hash]) => hash))
    const isOwn = ({ header: { moment, cause } }: Fact) =>
      (moment !== null && parseMomentId(moment).being === readings?.being) ||
      (cause !== null && hashes.has(cause))
    const facts = await Promise.all(
      refs.map(async (ref) => {
        const cited = await this.#citedFact(ref, isOwn)
        const { header } = (await this.reel(ref[0], ref[1])).fact(ref[1]) as Fact
        const { actor, at, cause, moment } = header
        return { ...cited, actor, at, cause, moment: moment ?? '' }
      }),
    )
    const outside = await Promise.all(facts.map((fact) => this.#tellsOutside(fact)))
    const isGone = facts.some(({ payload }) => payload === null) // then it may have said so
    const isOutside = outside.includes(true) || (isGone && told.outside === true)
    if (isOutside !== (told.outside === true))
      throw new Error('it says otherwise where the words of its past acts are from')
    return { facts, ...told }
  }

  async #tellsOutside({ moment, payload }: PastFact): Promise<boolean> {
    const [open, ended, wrote] = await Promise.all([
      findOpen(this.#db, moment),
      findOutcome(this.#db, moment),
      listFactsOfMoment(this.#db, moment),
    ])
    const isMarked = wrote.some(({ kind }) => kind === OUTSIDE)
    return tellsOutside({ open: open?.record ?? null, ended: ended?.record ?? null, isMarked, payload })
  }

  async #citedFact([reel, seq, hash]: HeadRef, requires: (fact: Fact) => boolean): Promise<CitedFact> {
    const fact = (await this.reel(reel, seq)).fact(seq)
    if (fact?.hash !== hash) throw new Error(`fact ${seq} of ${reel} differs from the cited one`)
    if (!requires(fact)) throw new Error(`fact ${seq} of ${reel} is not what the moment cites it as`)
    return { ref: [reel, seq, hash], kind: fact.header.kind, payload: fact.payload }
  }

  #source(heads: readonly HeadRef[], uncited: (reel: ReelId) => Promise<ReelHead>): Omit<RowSource, 'aside'> {
    const reels = {
      ready: (reel: ReelId, seq: number) => this.#loaded(reel, seq),
      load: (reel: ReelId, seq: number) => this.reel(reel, seq),
    }
    return { ...rowsAtHeads(heads, reels, uncited), blob: (digest) => this.blob(digest) }
  }
}

/** A moment, for what it read beside rows. */
export interface MomentReadings {
  readonly being: BeingName
  readonly aside?: Aside | undefined
  readonly wake: { readonly root: string }
}

/**
 * Whether a fact is speech to or from the being in the thread of its wake. An erased one tells only that it
 * is speech.
 */
function isSaidTo({ header, payload }: Fact, readings: MomentReadings | null): boolean {
  if (header.kind !== SPEECH_KIND || readings === null) return false
  if (payload === null) return true
  const isOfThread = readPath(payload, ['root']) === readings.wake.root
  return (
    isOfThread && (header.reel === beingReel(readings.being) || readPath(payload, ['to']) === readings.being)
  )
}
