import type {
  Account,
  BeingName,
  Json,
  JsonObject,
  LeaseIndex,
  MomentId,
  OutcomeKind,
  ReelId,
  RowIndex,
  SeenHead,
  Wake,
  Watch,
} from '@treeos/core'
import type { BuiltFact } from './build-facts.ts'
import type { MomentRecord } from './records.ts'

/** A row of the projection as append writes it. */
export interface RowWrite extends Pick<RowIndex, 'place' | 'parent' | 'cognition'> {
  readonly key: string
  readonly reel: ReelId
  readonly state: Json
  readonly foldedSeq: number
  /** what wakes this being when it changes; null leaves it as it is */
  readonly watches: readonly Watch[] | null
  /** a being's budget and whether it is parked; null leaves them as they are */
  readonly account?: Account | null
  /** who drives a being from now on; null leaves it as it is */
  readonly lease?: LeaseIndex | null
}

/** Values that this append changes: it wakes every being that watches one of them. */
export interface Change {
  readonly reel: ReelId
  /** what else it can be watched as, beside its reel */
  readonly scopes: readonly string[]
  readonly paths: readonly string[]
  /** scalars at some of the paths */
  readonly values: JsonObject
  readonly wake: Pick<Wake, 'content' | 'priority' | 'root' | 'hops' | 'cause'>
}

/** The end of a moment: its record is hash-linked to the being's record before. */
export interface OutcomeWrite {
  readonly n: number
  readonly kind: OutcomeKind
  readonly reason: string | null
  /** what the asker is told of an act; kept for people, not hashed */
  readonly result: Json
  readonly detail: string | null
  readonly wake: string | null
  readonly sealedAt: number
  readonly primaryRole: string | null
  readonly record: MomentRecord
}

export interface Batch {
  readonly reality: string
  /** null at genesis, where no being acts */
  readonly moment: { readonly id: MomentId; readonly being: BeingName; readonly generation: number } | null
  /** every head the decision read, by reel */
  readonly heads: ReadonlyMap<ReelId, SeenHead>
  /** those of one reel in their order */
  readonly facts: readonly BuiltFact[]
  readonly rows: readonly RowWrite[]
  readonly inbox: readonly Wake[]
  readonly changes: readonly Change[]
  /** inbox rows that this act answers, beside its own wake */
  readonly closes: readonly string[]
  readonly outcome: OutcomeWrite | null
  /** epoch of the lease under which a driver acts; left out where the being decided for itself */
  readonly lease?: number
}
