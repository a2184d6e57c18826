import {
  type Account,
  type BeingName,
  CODE_VERSION,
  canonicalJson,
  type Digest,
  FACT_VERSION,
  type FactDraft,
  type FactHeader,
  type FactRef,
  type Json,
  type JsonObject,
  type LeaseIndex,
  LIMITS,
  type MomentId,
  momentsReel,
  type OutcomeKind,
  type ReelId,
  type RowIndex,
  type SeenHead,
  SPEECH_KIND,
  type Wake,
  type Watch,
} from '@treeos/core'
import { sql } from 'kysely'
import type { Db } from '../sql/database.ts'
import { factHash, headerBytes, momentHash, newSalt, payloadHash, utf8 } from './hash.ts'
import type { MomentRecord } from './records.ts'

/** Who acts, when and why: the same for all facts of one act. */
export interface Authorship {
  readonly actor: string
  readonly driver: BeingName | null
  readonly moment: MomentId | null
  readonly cause: Digest | null
  /** ms since 1970 UTC */
  readonly at: number
  readonly stack: Digest | null
}

/** A fact ready to be appended, with the bytes that were hashed. */
export interface BuiltFact {
  readonly ref: FactRef
  readonly prev: Buffer
  readonly header: Buffer
  readonly payloadHash: Buffer
  readonly salt: Buffer
  readonly bytes: Buffer
  readonly changes: boolean
}

/** Gives drafts their places after the heads that were seen, in the order they were decided. */
export function buildFacts(
  heads: ReadonlyMap<ReelId, SeenHead>,
  drafts: readonly FactDraft[],
  by: Authorship,
): BuiltFact[] {
  const last = new Map<ReelId, { seq: number; hash: Buffer }>()
  return drafts.map((draft) => {
    const seen = heads.get(draft.reel)
    if (seen === undefined) throw new Error(`append to ${draft.reel} without having read its head`)
    const before = last.get(draft.reel) ?? { seq: seen.seq, hash: Buffer.from(seen.hash, 'hex') }
    const bytes = utf8(canonicalJson(draft.payload))
    const salt = newSalt()
    const digest = payloadHash(salt, bytes)
    const header: FactHeader = {
      v: FACT_VERSION,
      reel: draft.reel,
      seq: before.seq + 1,
      kind: draft.kind,
      actor: by.actor,
      driver: by.driver,
      moment: by.moment,
      cause: by.cause,
      at: by.at,
      payloadHash: digest.toString('hex'),
      stack: by.stack,
      code: CODE_VERSION,
    }
    const encoded = headerBytes(header)
    const hash = factHash(before.hash, encoded)
    last.set(draft.reel, { seq: header.seq, hash })
    const ref = { reel: draft.reel, seq: header.seq, hash: hash.toString('hex'), kind: draft.kind }
    return {
      ref,
      prev: before.hash,
      header: encoded,
      payloadHash: digest,
      salt,
      bytes,
      changes: draft.kind !== SPEECH_KIND,
    }
  })
}

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

/** `unleased`: the lease under which a driver acts holds no longer. `stale`: a head the decision rested on has moved, so the caller reads and decides again. */
export type Appended =
  | {
      readonly status: 'appended'
      readonly waiting: number
      readonly recordHash: Digest | null
      /** beings that what was changed wakes */
      readonly woken: readonly BeingName[]
    }
  | { readonly status: 'done' }
  | { readonly status: 'stale'; readonly reel: ReelId }
  | { readonly status: 'superseded'; readonly generation: number }
  | { readonly status: 'unleased' }

/**
 * One statement, one transaction: locks, fences, facts, rows, inbox, outcome; all or none. A moment that already has its
 * outcome answers `done`, so a retried stamp is harmless.
 */
export async function append(db: Db, batch: Batch): Promise<Appended> {
  const written = new Set(batch.facts.map((fact) => fact.ref.reel))
  const records = batch.moment === null ? null : momentsReel(batch.moment.being)
  if (records !== null && batch.outcome !== null) written.add(records)
  const heads = [...batch.heads.values()].map((head) => ({
    reel: head.reel,
    seq: head.seq,
    stateSeq: head.stateSeq,
    write: written.has(head.reel),
  }))
  for (const reel of written) {
    if (!batch.heads.has(reel)) throw new Error(`append to ${reel} without having read its head`)
  }
  const outcome =
    batch.outcome === null || records === null ? null : linkRecord(batch.outcome, batch.heads.get(records))
  const message = {
    being: batch.moment?.being ?? null,
    moment: batch.moment?.id ?? null,
    generation: batch.moment?.generation ?? null,
    heads,
    facts: batch.facts.map((fact) => ({
      reel: fact.ref.reel,
      seq: fact.ref.seq,
      kind: fact.ref.kind,
      hash: fact.ref.hash,
      prev: fact.prev.toString('hex'),
      header: fact.header.toString('hex'),
      payloadHash: fact.payloadHash.toString('hex'),
      salt: fact.salt.toString('hex'),
      bytes: fact.bytes.toString('hex'),
      changes: fact.changes,
    })),
    rows: batch.rows.map((row) => ({ ...row, state: canonicalJson(row.state) })),
    inbox: batch.inbox.map(encodeWake),
    changes: batch.changes.map(({ wake, ...change }) => ({
      ...change,
      event: { ...wake, content: canonicalJson(wake.content) },
    })),
    closes: batch.closes,
    outcome,
    lease: batch.lease ?? null,
    leaseSeconds: LIMITS.leaseSeconds,
  }
  const { rows } = await sql<{
    answer: SqlAnswer
  }>`select treeos.append(${JSON.stringify(message)}::jsonb) as answer`.execute(db)
  const answer = rows[0]?.answer
  if (answer === undefined) throw new Error('append gave no answer')
  if (answer.status === 'appended') return { ...answer, recordHash: outcome?.hash ?? null }
  return answer
}

type SqlAnswer =
  | { status: 'appended'; waiting: number; woken: BeingName[] }
  | { status: 'done' }
  | { status: 'stale'; reel: ReelId }
  | { status: 'superseded'; generation: number }
  | { status: 'unleased' }

function linkRecord(outcome: OutcomeWrite, head: SeenHead | undefined) {
  if (head === undefined) throw new Error('an outcome needs the head of its records')
  const prev = Buffer.from(head.hash, 'hex')
  const record = utf8(canonicalJson(outcome.record))
  return {
    ...outcome,
    result: outcome.result === null ? null : canonicalJson(outcome.result),
    // A message for people, which may quote what a mind said: jsonb takes neither NUL nor half a character.
    detail: outcome.detail?.toWellFormed().replaceAll('\0', '\ufffd') ?? null,
    wake: outcome.record.wake, // no column says what the hashed record does not
    prev: head.hash,
    record: record.toString('hex'),
    hash: momentHash(prev, record).toString('hex'),
  }
}

function encodeWake(wake: Wake) {
  return {
    id: wake.id,
    being: wake.being,
    kind: wake.kind,
    priority: wake.priority,
    caller: wake.caller?.name ?? null,
    callerRole: wake.caller?.role ?? null,
    callerCognition: wake.caller?.cognition ?? null,
    content: utf8(canonicalJson(wake.content)).toString('hex'),
    root: wake.root,
    inReplyTo: wake.inReplyTo,
    askedRole: wake.askedRole,
    hops: wake.hops,
    continues: wake.continues,
    cause: wake.cause,
  }
}

/** Locks heads before anything is read, so that a decision that was overtaken before is not overtaken again. */
export async function lockHeads(tx: Db, reels: readonly ReelId[]): Promise<void> {
  await sql`select treeos.lock_heads(${reels}::text[])`.execute(tx)
}
