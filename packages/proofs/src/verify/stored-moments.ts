import { canonicalJson, type Decision, type HeadRef, type Json, type ReelId } from '@treeos/core'
import {
  type Basis,
  basisDigest,
  type Db,
  decodeJson,
  digestOfBytes,
  type EffectRequest,
  type Erasures,
  effectDigests,
  judgedDigest,
  type MomentRecord,
  notedDigest,
  type OpenRecord,
  type RefusalWrite,
  readBases,
  readJudged,
  refusalDigest,
  type StoredEffectBytes,
  saltedDigest,
} from '@treeos/store'
import { faultOfWake } from '@treeos/verify'
import { sql } from 'kysely'
import type { RecordRow } from './read.ts'
import type { BrokenReason, ChainFault } from './verdict.ts'

/** A fault, and the reels it was found by. When one of them is broken, the fault follows from that. */
export interface MomentFault extends ChainFault {
  readonly on: readonly ReelId[]
}

/** Compares what these moments opened with, decided, asked of the outside and wrote with their records. */
export async function faultsOfMoments(
  tx: Db,
  records: readonly RecordRow[],
  erasures: Erasures,
): Promise<MomentFault[]> {
  const moments = records.map(({ moment }) => moment)
  const isAsked = sql<boolean>`moment = any(${moments}::text[])`
  const [opens, bases, judged, decisions, effects, facts, refused] = await Promise.all([
    tx.selectFrom('moment_open').selectAll().where(isAsked).execute(),
    readBases(tx, moments),
    readJudged(tx, moments),
    tx.selectFrom('moment_decision').selectAll().where(isAsked).execute(),
    tx.selectFrom('moment_effect').selectAll().where(isAsked).execute(),
    tx.selectFrom('fact').select(['moment', 'reel', 'seq', 'hash']).where(isAsked).execute(),
    tx.selectFrom('moment_outcome').select(['moment', 'refusal']).where(isAsked).execute(),
  ])
  const refusedOf = new Map(refused.map((row) => [row.moment, row]))
  const openOf = new Map(opens.map((row) => [row.moment, row]))
  const decisionOf = new Map(decisions.map((row) => [row.moment, row]))
  const effectOf = new Map(effects.map((row) => [row.moment, row]))
  const factsOf = Map.groupBy(facts, ({ moment }) => moment)
  return records.flatMap(({ reel, seq, moment, record: bytes }) => {
    const record = readOrNull(() => decodeJson<MomentRecord>(bytes))
    if (record === null) return [] // the walk reports it
    const reasons: BrokenReason[] = []
    if (!isOpenOf(record, openOf.get(moment), bases.get(moment))) reasons.push('open-mismatch')
    if (!isJudgedFrom(record, judged.get(moment), bases.get(moment))) reasons.push('judged-mismatch')
    const isErased = erasures.ofMoment(moment) !== undefined
    const [decision, effect] = [decisionOf.get(moment), effectOf.get(moment)]
    if (!(isErased && decision === undefined) && !isDecisionOf(record, decision))
      reasons.push('decision-mismatch')
    if (!(isErased && effect === undefined) && !isEffectOf(record, effect)) reasons.push('effect-mismatch')
    if (
      !(isErased && refusedOf.get(moment)?.refusal === null) &&
      !isRefusalOf(record, refusedOf.get(moment)?.refusal)
    )
      reasons.push('refusal-mismatch')
    if (!areFactsOf(record, factsOf.get(moment) ?? [])) reasons.push('facts-mismatch')
    return reasons.map((reason) => {
      const wrote = reason === 'facts-mismatch' ? (record.facts ?? []).map(([written]) => written) : []
      return { reel, seq, reason, on: [reel, ...wrote] }
    })
  })
}

type OpenRow = {
  being: string
  n: number
  wake: string
  opened_at: number
  record: Buffer
  face: string | null
}

function isOpenOf(record: MomentRecord, row: OpenRow | undefined, basis: Basis | undefined): boolean {
  if (row === undefined) return false
  const open = readOrNull(() => decodeJson<OpenRecord>(row.record))
  const { salt = '', heads = [], noted = null } = basis ?? {}
  return (
    open !== null &&
    record.open === digestOfBytes(row.record) &&
    faultOfWake(open as unknown as Json, record.being, record.outcome) === null &&
    open.basis === basisDigest(salt, heads) &&
    (open.noted ?? null) === notedDigest(salt, noted) &&
    row.being === record.being &&
    row.n === open.n &&
    row.wake === open.wake.id &&
    row.opened_at === open.openedAt &&
    row.face === open.face
  )
}

function isJudgedFrom(
  { judged }: MomentRecord,
  heads: readonly HeadRef[] | undefined,
  { salt, heads: basis }: Pick<Basis, 'salt' | 'heads'> = { salt: '', heads: [] },
): boolean {
  const reels = basis.map(([reel]) => reel)
  return (judged ?? null) === (heads === undefined ? null : judgedDigest(salt, reels, heads))
}

type EffectRow = StoredEffectBytes & { operation: string }

function isEffectOf({ effect, reason }: MomentRecord, row: EffectRow | undefined): boolean {
  if (effect === undefined) return row === undefined || reason === 'superseded'
  if (row === undefined || canonicalJson(effect) !== canonicalJson(effectDigests(row))) return false
  return readOrNull(() => decodeJson<EffectRequest>(row.request))?.operation === row.operation
}

function isRefusalOf({ refusal }: MomentRecord, stored: Buffer | null | undefined): boolean {
  if (stored == null) return refusal === undefined
  return (
    refusal !== undefined && readOrNull(() => refusalDigest(decodeJson<RefusalWrite>(stored))) === refusal
  )
}

type NamedFact = { reel: string; seq: number; hash: Buffer }

function areFactsOf(record: MomentRecord, facts: readonly NamedFact[]): boolean {
  if (!Array.isArray(record.facts)) return false
  const named = new Set(record.facts.map(([reel, seq, hash]) => `${reel} ${seq} ${hash}`))
  return (
    named.size === facts.length &&
    facts.every(({ reel, seq, hash }) => named.has(`${reel} ${seq} ${hash.toString('hex')}`))
  )
}

type DecisionRow = { kind: string; digest: string; salt: Buffer; bytes: Buffer }

function isDecisionOf({ decision }: MomentRecord, row: DecisionRow | undefined): boolean {
  if (row === undefined || decision === null) return decision === null
  const said = readOrNull(() => decodeJson<Decision>(row.bytes))
  return said?.kind === row.kind && row.digest === decision && saltedDigest(row.salt, row.bytes) === decision
}

function readOrNull<T>(read: () => T): T | null {
  try {
    return read()
  } catch {
    return null
  }
}
