import type { JsonObject } from './json.ts'
import type { BeingName, MomentId, ReelId } from './names.ts'
import type { Digest } from './stack.ts'

/** Version of the code that made a fact. Replay must be able to run it. */
export const CODE_VERSION = 'treeos/1'
/** Version of the header's format. */
export const FACT_VERSION = 1

/**
 * The header of a fact: `hash = sha256(tag ‖ prev ‖ canonicalJson(header))`. It is kept for ever. The payload
 * may be erased; its digest stays in the header.
 */
export interface FactHeader {
  readonly v: typeof FACT_VERSION
  readonly reel: ReelId
  /** from 1, without gaps, per reel */
  readonly seq: number
  /** past tense, namespaced: `space:created`, `court:ruled` */
  readonly kind: string
  /** a being's name, or `$reality` for genesis and extensions */
  readonly actor: string
  /** the being that drove the actor, else null */
  readonly driver: BeingName | null
  /** the moment whose act this fact belongs to; null only at genesis */
  readonly moment: MomentId | null
  /** hash of the fact that caused the moment; null without one */
  readonly cause: Digest | null
  /** open time of the moment: ms since 1970 UTC by the clock of Postgres */
  readonly at: number
  readonly payloadHash: Digest
  /** digest of the role stack that the actor wore */
  readonly stack: Digest | null
  readonly code: string
}

/** A fact that an operation decided, before it has a place on a reel. */
export interface FactDraft {
  readonly reel: ReelId
  readonly kind: string
  readonly payload: JsonObject
}

/** A fact on a reel. The payload is null once it is erased. */
export interface Fact {
  readonly header: FactHeader
  readonly payload: JsonObject | null
  readonly hash: Digest
}

/** The last fact of a reel. */
export interface Head {
  readonly reel: ReelId
  /** 0, with the genesis hash, while the reel is empty */
  readonly seq: number
  readonly hash: Digest
}

/** A head as a decision saw it; append compares it with the head it finds. */
export interface SeenHead extends Head {
  /** seq of the last fact that changed what others may rely on */
  readonly stateSeq: number
}

/** A fact as users see it. */
export interface FactRef {
  readonly reel: ReelId
  readonly seq: number
  readonly hash: Digest
  readonly kind: string
}

/** Kind of a summon's fact. It changes no row and no authority, so it never makes another decision stale. */
export const SPEECH_KIND = 'being:summoned'
/** Kinds of the facts that stay where something was erased: what a fact says, or what a moment decided. */
export const FACT_ERASED = 'fact:erased'
export const MOMENT_ERASED = 'moment:erased'
/** Kinds of the facts by which a legal hold begins and ends on a reel. */
export const HOLD_SET = 'hold:set'
export const HOLD_LIFTED = 'hold:lifted'

/** One entry of a basis: a reel, the seq up to which it was read, and the hash there. */
export type HeadRef = readonly [reel: ReelId, seq: number, hash: Digest]
