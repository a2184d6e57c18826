import {
  asJson,
  beingReel,
  type Digest,
  type HeadRef,
  type ReelId,
  reelOfKey,
  type SeenHead,
} from '@treeos/core'
import { childrenAfter } from '../rows/contents.ts'
import type { KindInPlace, RowSource } from './reader.ts'
import type { ReelHistory } from './reel-history.ts'

/** Reels with their facts, from wherever they are. */
export interface Reels {
  /** a reel that is there at least up to `seq`; null for one that must be loaded first */
  ready(reel: ReelId, seq: number): ReelHistory | null
  load(reel: ReelId, seq: number): Promise<ReelHistory>
}

export interface ReelHead {
  readonly seq: number
  readonly hash: Digest
}

/** A reel, and its head at the time of the moment: a source reads no later facts. */
interface ReelAtHead {
  readonly history: ReelHistory
  readonly head: SeenHead
}

const reelOfPlace = (place: string): ReelId =>
  place.startsWith('@') ? `being:${place.slice(1)}` : `space:${place}`

/**
 * The rows of a world as they stood at these heads, folded from reels.
 * @param uncited the head of a reel that is not among them, or an error
 */
export function rowsAtHeads(
  heads: readonly HeadRef[],
  reels: Reels,
  uncited: (reel: ReelId) => Promise<ReelHead>,
): Omit<RowSource, 'aside' | 'blob'> {
  const cited = new Map(heads.map(([reel, seq, hash]) => [reel, { seq, hash }]))
  const read = new Map<ReelId, ReelAtHead>()
  const atHead = (reel: ReelId, history: ReelHistory, { seq, hash }: ReelHead): ReelAtHead => {
    if (seq > 0 && history.fact(seq)?.hash !== hash)
      throw new Error(`fact ${seq} of ${reel} differs from the cited one`)
    const found = { history, head: { reel, seq, hash, stateSeq: history.stateSeqAt(seq) } }
    read.set(reel, found)
    return found
  }
  /**
   * Null while the reel must be loaded first. Most are loaded, and a promise for each row costs more than the
   * row.
   */
  const ready = (reel: ReelId): ReelAtHead | null => {
    const found = read.get(reel)
    if (found !== undefined) return found
    const head = cited.get(reel)
    const history = head === undefined ? null : reels.ready(reel, head.seq)
    return head === undefined || history === null ? null : atHead(reel, history, head)
  }
  const load = async (reel: ReelId): Promise<ReelAtHead> => {
    const head = cited.get(reel) ?? (await uncited(reel))
    return atHead(reel, await reels.load(reel, head.seq), head)
  }
  const ofContents = <T>(place: string, kind: KindInPlace, tell: (keys: readonly string[]) => T) => {
    const reel = reelOfPlace(place)
    const told = ({ history, head }: ReelAtHead) => tell(history.contentsAt(kind, head.seq))
    const found = ready(reel)
    return found === null ? load(reel).then(told) : told(found)
  }
  const rowAt = (key: string, { history, head }: ReelAtHead) => ({
    key,
    state: asJson(history.rowAt(key, head.seq)),
    head,
  })
  return {
    rows: (keys) => {
      let missing: Set<ReelId> | null = null
      for (const key of keys) {
        const reel = reelOfKey(key)
        if (ready(reel) === null) missing = (missing ?? new Set()).add(reel)
      }
      const told = () => keys.map((key) => rowAt(key, read.get(reelOfKey(key)) as ReelAtHead))
      return missing === null ? told() : Promise.all([...missing].map(load)).then(told)
    },
    keysInPlace: (place, kind, most = null) =>
      ofContents(place, kind, (keys) => keys.slice(0, most ?? undefined)),
    countInPlace: (place, kind) => ofContents(place, kind, (keys) => keys.length),
    // Who reads all beings reads all their rows, so the basis cites each of them.
    keysOfBeings: async () =>
      heads.flatMap(([reel, seq]) => (reel.startsWith('being:') && seq > 0 ? [reel] : [])).sort(),
    keysOfChildren: async (being) => {
      const reel = beingReel(being)
      const { history, head } = ready(reel) ?? (await load(reel))
      return childrenAfter(history.upTo(head.seq))
    },
  }
}
