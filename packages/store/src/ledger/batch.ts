import type {
  Account,
  BeingName,
  Decision,
  Digest,
  HeadRef,
  Json,
  JsonObject,
  LeaseIndex,
  MomentId,
  Notice,
  OutcomeKind,
  OverlayRecord,
  ReelId,
  RowIndex,
  SeenHead,
  Wake,
  Watch,
} from '@treeos/core'
import type { BuiltFact } from './build-facts.ts'
import type { WrittenJson } from './hash.ts'
import type { Basis, MomentRecord } from './records.ts'
import type { RefusalWrite } from './refusal-digest.ts'
import type { SendsCommitment } from './sends-digest.ts'

/** A row of the projection that append writes. */
export interface RowWrite extends Pick<RowIndex, 'place' | 'parent' | 'cognition'> {
  readonly key: string
  readonly reel: ReelId
  readonly state: Json
  readonly foldedSeq: number
  /** the paths whose change wakes this being; null leaves its watches as they are */
  readonly watches: readonly Watch[] | null
  /** a being's budget, and whether it is parked; null leaves both as they are */
  readonly account?: Account | null
  /** who drives a being from now on; null leaves it as it is */
  readonly lease?: LeaseIndex | null
}

/** Values that this batch changes. Append wakes every being that watches one of them. */
export interface WakingChange {
  readonly reel: ReelId
  /** other names under which the change can be watched, besides its reel */
  readonly scopes: readonly string[]
  readonly paths: readonly string[]
  /** the new scalars at some of the paths */
  readonly values: JsonObject
  readonly wake: Pick<Wake, 'content' | 'priority' | 'root' | 'hops' | 'cause' | 'outside'>
}

/** The end of a moment. Its record is linked by hash to the being's record before. */
export interface OutcomeWrite {
  readonly n: number
  readonly kind: OutcomeKind
  readonly reason: string | null
  /** the answer to the asker of an act; for people, so it is not hashed */
  readonly result: Json
  /** null where `refusal` tells it */
  readonly detail: string | null
  /** why a gate refused it, or which name nothing has; left out for anything else */
  readonly refusal?: RefusalWrite
  readonly wake: string | null
  readonly sealedAt: number
  readonly primaryRole: string | null
  readonly record: MomentRecord
  /** the heads that its call was judged from and that its basis has not; left out when no call was judged */
  readonly judged?: readonly HeadRef[]
  /** what it sent; left out for nothing */
  readonly sends?: SendsCommitment
}

/** How a moment was opened. It is written after the snapshot that it records, and the first write wins. */
export interface OpenWrite {
  readonly moment: MomentId
  readonly being: BeingName
  readonly n: number
  readonly wake: string
  readonly openedAt: number
  /** the open record */
  readonly record: WrittenJson
  readonly basis: Basis
  /** stored as a blob under its digest; null when nothing is shown */
  readonly face: WrittenJson | null
}

/** What a moment decided, with its salted digest. The first write wins. */
export interface DecisionWrite {
  readonly decision: Decision
  readonly digest: Digest
  readonly salt: Buffer
  /** the decision as it is stored */
  readonly bytes: Buffer
  /** of the model; null where none was called, or it reported none */
  readonly usage: Json
  /** of the budgets that paid for the call; null where none did */
  readonly settlement: SettlementWrite | null
  /** of the call of its model; null where it had none */
  readonly overlay: OverlayRecord | null
  /** digest of what its model was shown, without the overlay; left out where none was asked */
  readonly prompt?: Digest | undefined
}

/** What an attempt of a model call really cost; `used` is null when the cost is unknown. */
export interface SettlementWrite {
  readonly attempt: number
  readonly used: { readonly tokens: number; readonly micros: number | null } | null
}

export interface Batch {
  readonly reality: string
  /** null for facts that no being's act made: genesis, installed roles, lapsed leases */
  readonly moment: { readonly id: MomentId; readonly being: BeingName; readonly generation: number } | null
  /** all heads that the decision read, by reel */
  readonly heads: ReadonlyMap<ReelId, SeenHead>
  /** facts of one reel are in their order */
  readonly facts: readonly BuiltFact[]
  readonly rows: readonly RowWrite[]
  readonly inbox: readonly (Wake | Notice)[]
  readonly changes: readonly WakingChange[]
  /** ids of inbox rows that this act answers, besides its own wake */
  readonly closes: readonly string[]
  readonly outcome: OutcomeWrite | null
  /**
   * the thread of what the moment answers, which was not cut when it was read; left out when the outcome does
   * not rely on it
   */
  readonly thread?: string
  /** the open record, when it is not stored before the outcome */
  readonly open?: OpenWrite
  /** the decision, when it is not stored before the outcome */
  readonly decision?: DecisionWrite
  /** of a reservation that no call used; left out when the moment has none */
  readonly unused?: SettlementWrite
  /**
   * ms after the append in which the being's run looks for wakes itself; left out when the run may rest at
   * once
   */
  readonly listensMs?: number
  /** epoch of the lease under which a driver acts; left out when the being decided for itself */
  readonly lease?: number
}
