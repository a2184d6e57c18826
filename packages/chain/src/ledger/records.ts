import type {
  BeingName,
  Caller,
  Cognition,
  Digest,
  HeadRef,
  JsonObject,
  MomentId,
  OutcomeKind,
  PinnedStack,
  RoleName,
  Verb,
  Wake,
} from '@treeos/core'

/** What is recorded when a moment opens: with the basis, everything that replay needs. */
export interface OpenRecord {
  readonly v: 1
  readonly moment: MomentId
  readonly n: number
  readonly wake: Omit<Wake, 'content' | 'being'>
  /** the summon that a person's reply answers */
  readonly answers: string | null
  readonly verb: Verb
  readonly caller: Caller | null
  readonly openedAt: number
  readonly zone: string
  readonly hour: number
  readonly dayOfWeek: number
  readonly cognition: { readonly kind: Cognition; readonly script: string | null }
  readonly driver: string | null
  readonly lastSealed: { readonly sealedAt: number; readonly primary: RoleName } | null
  readonly asked: RoleName | null
  readonly program: Digest
  readonly context: JsonObject
  /** of the reels that program and context came from */
  readonly heads: readonly HeadRef[]
  /** of the heads of everything that was read */
  readonly basis: Digest
  /** null when the flow yields no stack: there is nothing to see for */
  readonly face: Digest | null
  /** the thread of its wake was cut; left out when it was not */
  readonly cut?: true
  /** its driver lent it no reach; left out where it did, and where nobody drove it */
  readonly own?: true
}

/** How a moment ended: hash-linked to the record of the being's moment before, sees and failures too. */
export interface MomentRecord {
  readonly v: 1
  readonly being: BeingName
  readonly moment: MomentId
  readonly n: number
  /** null for a moment that a younger life closed */
  readonly wake: string | null
  readonly openedAt: number
  readonly sealedAt: number
  /** of the open record */
  readonly open: Digest
  readonly stack: PinnedStack | null
  readonly stackDigest: Digest | null
  readonly surfaceDigest: Digest | null
  readonly promptDigest: Digest | null
  /** salted: of what the mind answered */
  readonly decision: Digest | null
  readonly outcome: OutcomeKind
  readonly reason: string | null
  /** which rules of the two gates decided */
  readonly by: readonly string[]
  readonly act: Digest | null
  readonly facts: readonly HeadRef[]
}
