import type {
  ActSignature,
  Aside,
  BeingName,
  Caller,
  Cognition,
  Digest,
  HeadRef,
  Json,
  JsonObject,
  LookingBack,
  MomentId,
  OtherRefusal,
  OutcomeKind,
  OverlayRecord,
  OwedAnswer,
  PinnedStack,
  ReelId,
  RoleName,
  Verb,
  WakeRecord,
} from '@treeos/core'

/** What is recorded when a moment opens. With the basis, it is all that replay needs. */
export interface OpenRecord {
  readonly v: 1
  readonly moment: MomentId
  readonly n: number
  readonly wake: WakeRecord
  /** id of the wake that a person's reply answers, or that a look goes on from */
  readonly answers: string | null
  readonly verb: Verb
  readonly caller: Caller | null
  /** whom its being asked for that and has not heard yet, at most 8 of them; left out for nobody */
  readonly unheard?: readonly BeingName[]
  /** whose answers it has got of these, with that of its own wake, in their order; left out for nobody */
  readonly heard?: readonly BeingName[]
  /** the question that it is about and has still to answer; left out for none, and for an act of a person */
  readonly owed?: OwedAnswer
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
  /** heads of the reels that the program and the context were read from */
  readonly heads: readonly HeadRef[]
  /** salted digest of the heads of all that was read */
  readonly basis: Digest
  /** digest of the manifest of the extensions that showed the face */
  readonly code?: string
  /** digest of the face; null when the flow yields no stack, so nothing is shown */
  readonly face: Digest | null
  /** the thread of the wake was cut; left out when it was not */
  readonly cut?: true
  /** version of what a moment shows and of the form of its prompt */
  readonly layout: number
  /** minutes that the reality's zone is ahead of UTC */
  readonly offset: number
  /** salted digest of its `MomentNotes`; left out when that is nothing */
  readonly noted?: Digest
  /** the being was ended; left out while it lives */
  readonly ended?: true
  /**
   * the flow reads the qualities of the place, which the being may not see, so it read none; else left out
   */
  readonly hidden?: true
  /** by which passkey the person of an act signed it; left out without one */
  readonly signed?: ActSignature
  /** the driver lent the being no reach; left out when it did, and when nobody drove the being */
  readonly own?: true
  /**
   * of a moment that brings a yes: the word for the wake of the moment that asked, which its flow reads; left
   * out for any other
   */
  readonly asKind?: string
  /**
   * the moment holds words from outside of the reality: of its wake, or of what it read; left out where it
   * holds none
   */
  readonly outside?: true
  /** where it looked; left out for forward */
  readonly orientation?: LookingBack
  /**
   * the roles that the flow in its shadow would have given, the primary first; left out where they are the
   * same, and without such a flow
   */
  readonly shadow?: readonly RoleName[]
  /**
   * reels with words from outside that only the flow in its shadow read, which do not mark it, sorted; left
   * out for none
   */
  readonly triedOutside?: readonly ReelId[]
}

/**
 * The role that counts as asked for: in a moment with words from outside none does, since these could have
 * asked.
 */
export const askedIn = ({ asked, outside }: Pick<OpenRecord, 'asked' | 'outside'>): RoleName | null =>
  outside === true ? null : asked

/**
 * What a moment read that may name anybody. Its open record has only the digest, so that a receipt of the
 * moment names nobody else.
 */
export interface MomentNotes {
  /** what was read beside rows; left out when nothing was */
  readonly aside?: Aside
  /**
   * What its wake quotes of places and beings: their addresses, which of them the being may not see, and the
   * quality whose change it tells of; and the things whose files it brings. Left out when it quotes nothing.
   */
  readonly quotes?: {
    readonly of: readonly string[]
    readonly unseen: readonly string[]
    readonly change?: { readonly target: string; readonly path: readonly string[] }
    readonly files?: readonly string[]
  }
}

/** What a moment read. It is kept beside the open record, which has digests of it. */
export interface Basis {
  /** 32 random bytes in hex: the salts of its digests follow from it */
  readonly salt: string
  /** the heads of all reels that it read, sorted by reel */
  readonly heads: readonly HeadRef[]
  /** null when it noted nothing */
  readonly noted: MomentNotes | null
}

/**
 * How a moment ended, be it an act, a see or a failure. Linked by hash to the record of the being's moment
 * before.
 */
export interface MomentRecord {
  readonly v: 1
  /** number of the law that said what the moment came to */
  readonly law: number
  readonly being: BeingName
  readonly moment: MomentId
  readonly n: number
  /** null for a moment that a younger life closed */
  readonly wake: string | null
  readonly openedAt: number
  readonly sealedAt: number
  /** digest of the open record */
  readonly open: Digest
  readonly stack: PinnedStack | null
  readonly stackDigest: Digest | null
  readonly surfaceDigest: Digest | null
  readonly promptDigest: Digest | null
  /** salted digest of the decision */
  readonly decision: Digest | null
  readonly outcome: OutcomeKind
  readonly reason: string | null
  /** the rules of the two gates that decided */
  readonly by: readonly string[]
  readonly act: Digest | null
  readonly facts: readonly HeadRef[]
  /** of the call of its model: its prompt is the recorded one and the overlay; left out without one */
  readonly overlay?: OverlayRecord
  /**
   * digest of the heads that its call was judged from and that the basis has not; null where the basis has
   * all of them; left out when no call was judged
   */
  readonly judged?: Digest | null
  /**
   * digest of the manifest of the extensions that composed the prompt and judged the call; left out where it
   * is that of the open record, and where the moment was skipped
   */
  readonly code?: string
  /** salted digests of what was asked of the outside, and of the result; left out without an effect */
  readonly effect?: EffectDigests
  /** what refused the call, where no gate did; left out otherwise */
  readonly beside?: OtherRefusal
  /** what dry-run rules would have said otherwise of its call; left out for nothing */
  readonly shadow?: Json
  /** salted digest of the refusal of its call that is stored with its outcome; left out without one */
  readonly refusal?: Digest
  /**
   * salted digest of what it sent: wakes, changes that wake others, and what it closed; left out for nothing
   */
  readonly sends?: Digest
}

export interface EffectDigests {
  readonly request: Digest
  /** null when there was no result */
  readonly result: Digest | null
}
