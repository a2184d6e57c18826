import type { JsonObject } from './json.ts'
import type { BeingName, MomentId, ReelId } from './names.ts'
import type { Digest } from './stack.ts'

/** Version of the code that made a fact: what replay must be able to run again. */
export const CODE_VERSION = 'treeos/1'
/** Version of the header's own form. */
export const FACT_VERSION = 1

/**
 * What is hashed of a fact beside its payload: `hash = sha256(tag ‖ prev ‖ canonicalJson(header))`.
 * Everything in it is there for ever; a payload may be erased, its digest stays.
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
  /** the person's being that inhabited the actor, else null */
  readonly driver: BeingName | null
  /** the moment whose act this fact belongs to; null only at genesis */
  readonly moment: MomentId | null
  /** hash of the fact that caused the moment, where one did */
  readonly cause: Digest | null
  /** ms since 1970 UTC by Postgres' clock: the moment's open time */
  readonly at: number
  readonly payloadHash: Digest
  /** digest of the role stack worn */
  readonly stack: Digest | null
  readonly code: string
}

/** A fact as an operation decides it, before it has a place in a chain. */
export interface FactDraft {
  readonly reel: ReelId
  readonly kind: string
  readonly payload: JsonObject
}

/** A fact as it stands on a reel; payload is null once erased. */
export interface Fact {
  readonly header: FactHeader
  readonly payload: JsonObject | null
  readonly hash: Digest
}

/** Where a chain stands. */
export interface Head {
  readonly reel: ReelId
  /** 0 and the genesis hash when nothing was written yet */
  readonly seq: number
  readonly hash: Digest
}

/** A head as a decision saw it; append compares it with the head it finds. */
export interface SeenHead extends Head {
  /** seq of the last fact that changed what others may rely on */
  readonly stateSeq: number
}

/** A fact as users are told of it. */
export interface FactRef {
  readonly reel: ReelId
  readonly seq: number
  readonly hash: Digest
  readonly kind: string
}

/** Speech changes no row and no one's authority, so that a busy speaker never makes others' decisions stale. */
export const SPEECH_KIND = 'being:summoned'

/** A reel, how far it was read, and the hash there: one citation of a basis. */
export type HeadRef = readonly [reel: ReelId, seq: number, hash: Digest]
