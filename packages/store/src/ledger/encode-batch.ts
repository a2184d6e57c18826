import { asJson, canonicalJson, LIMITS, momentsReel, type ReelId, type SeenHead } from '@treeos/core'
import { encodeJson } from '../sql/stored-json.ts'
import type { Batch, DecisionWrite, OpenWrite, OutcomeWrite, SettlementWrite } from './batch.ts'
import type { BuiltFact } from './build-facts.ts'
import { encodeBasis, encodeSeqs } from './encode-basis.ts'
import { encodeWake } from './encode-wake.ts'
import { momentHash } from './hash.ts'

/** The argument of the SQL function `append`. */
export function encodeBatch(batch: Batch) {
  const records = batch.moment === null ? null : momentsReel(batch.moment.being)
  const outcome =
    batch.outcome === null || records === null ? null : linkRecord(batch.outcome, batch.heads.get(records))
  return {
    being: batch.moment?.being ?? null,
    moment: batch.moment?.id ?? null,
    generation: batch.moment?.generation ?? null,
    heads: encodeHeads(batch, outcome === null ? null : records),
    facts: batch.facts.map(encodeFact),
    rows: batch.rows.map((row) => ({ ...row, state: canonicalJson(row.state) })),
    inbox: encodeInbox(batch),
    changes: batch.changes.map(({ wake, ...change }) => ({
      ...change,
      event: { ...wake, content: canonicalJson(wake.content) },
    })),
    closes: batch.closes,
    outcome,
    lease: batch.lease ?? null,
    leaseSeconds: LIMITS.leaseSeconds,
    noticesMax: LIMITS.noticesMax,
    thread: batch.thread ?? null,
    ...(batch.open === undefined ? {} : { open: encodeOpen(batch.open) }),
    ...(batch.decision === undefined ? {} : { decision: encodeDecision(batch.decision) }),
    settlement: encodeSettlement(batch.decision?.settlement ?? batch.unused ?? null),
    ...(batch.listensMs === undefined ? {} : { listensMs: batch.listensMs }),
  }
}

const encodeInbox = ({ inbox, outcome }: Batch) =>
  inbox.map((wake, place) => {
    const salt = outcome?.sends?.salts[place]
    return { ...encodeWake(wake), ...(salt === undefined ? {} : { salt: `\\x${salt.toString('hex')}` }) }
  })

function encodeOpen({ n, wake, openedAt, record, basis, face }: OpenWrite) {
  return {
    n,
    wake,
    openedAt,
    record: record.text,
    basis: encodeBasis(basis),
    face: face?.digest ?? null,
    faceBytes: face?.text ?? null,
  }
}

function encodeDecision({ decision, digest, salt, bytes, usage, overlay }: DecisionWrite) {
  return {
    kind: decision.kind,
    digest,
    salt: salt.toString('hex'),
    bytes: bytes.toString('utf8'),
    usage,
    ...(overlay === null ? {} : { overlay: asJson(overlay) }),
  }
}

const encodeSettlement = (settlement: SettlementWrite | null) =>
  settlement === null
    ? null
    : {
        attempt: settlement.attempt,
        tokens: settlement.used?.tokens ?? null,
        micros: settlement.used?.micros ?? null,
      }

/** @param records the reel of the moment's record, when the batch writes one */
function encodeHeads({ heads, facts }: Batch, records: ReelId | null) {
  const written = new Set(facts.map((fact) => fact.ref.reel))
  if (records !== null) written.add(records)
  for (const reel of written) {
    if (!heads.has(reel))
      throw new Error(`the decision did not read the head of ${reel}, which it appends to`)
  }
  return [...heads.values()].map(({ reel, seq, stateSeq }) => ({
    reel,
    seq,
    stateSeq,
    write: written.has(reel),
  }))
}

function encodeFact({ ref, prev, header, payloadHash, salt, bytes, changes }: BuiltFact) {
  return {
    reel: ref.reel,
    seq: ref.seq,
    kind: ref.kind,
    hash: ref.hash,
    prev: prev.toString('hex'),
    header: header.toString('hex'),
    payloadHash: payloadHash.toString('hex'),
    salt: salt.toString('hex'),
    bytes: bytes.toString('hex'),
    changes,
  }
}

function linkRecord(outcome: OutcomeWrite, head: SeenHead | undefined) {
  if (head === undefined) throw new Error("the batch has an outcome, but not the head of the being's records")
  const prev = Buffer.from(head.hash, 'hex')
  const record = encodeJson(outcome.record)
  const { sends, refusal, ...written } = outcome
  return {
    ...written,
    refusal: refusal === undefined ? null : canonicalJson(refusal),
    sent: sends === undefined ? null : canonicalJson(sends.sent),
    result: outcome.result === null ? null : canonicalJson(outcome.result),
    // The message may quote a model's answer, and jsonb accepts neither NUL nor half a surrogate pair.
    detail: outcome.detail?.toWellFormed().replaceAll('\0', '\ufffd') ?? null,
    wake: outcome.record.wake, // the column must equal the hashed record
    judged: outcome.judged?.length ? encodeSeqs(outcome.judged) : null,
    prev: head.hash,
    record: record.toString('hex'),
    hash: momentHash(prev, record).toString('hex'),
  }
}
