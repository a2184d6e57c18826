import { type KeyObject, sign } from 'node:crypto'
import {
  asJson,
  canonicalJson,
  type Json,
  type JsonObject,
  type MomentId,
  momentsReel,
  parseMomentId,
  TreeosError,
} from '@treeos/core'
import { inSnapshot, type Reality, type StoreDb } from '@treeos/store'
import {
  type DerivedPermission,
  derivePermission,
  PAYLOAD_TYPE,
  preAuthentication,
  RECEIPT_TYPE,
  STATEMENT_TYPE,
} from '@treeos/verify'
import type { Registry } from '@treeos/world'
import type { Kysely } from 'kysely'
import { shorten } from './gaps.ts'
import type { CheckpointedLog } from './log.ts'
import { gatherWitness, noReceipt } from './witness.ts'

/** Who signs receipts: the same that signs checkpoints. */
export interface ReceiptSigner {
  readonly name: string
  /** first bytes of the hash over name and key, as in the signatures of notes */
  readonly id: Uint8Array
  readonly privateKey: KeyObject
}

/** An in-toto statement in a DSSE envelope. */
export type Envelope = JsonObject

export interface IssuedReceipt {
  readonly envelope: Envelope
  readonly derived: DerivedPermission
}

/**
 * A run of facts of which nothing is derived is shown up to this length: a proof that stands for it takes the
 * place of some.
 */
const RUN_MAX = 100

export interface IssueOptions {
  readonly signer: ReceiptSigner
  /** null: the receipt has no checkpoint, and shows every fact */
  readonly log: CheckpointedLog | null
  /**
   * number of facts in the longest run of which nothing is derived that is shown; default 100, Infinity shows
   * all
   */
  readonly longest?: number
}

interface IssuingReality {
  readonly db: Kysely<StoreDb>
  readonly reality: Reality
  readonly registry: Registry
}

/**
 * Writes a receipt of the call that a moment made: what was decided of it and why, with all that the
 * permission follows from.
 * @throws {TreeosError} MOMENT_NOT_FOUND, or INVALID_INPUT for a moment that called nothing, or whose record does not follow from what is
 *   stored: then there is no receipt of it
 */
export async function issueReceipt(
  { db, reality, registry }: IssuingReality,
  moment: MomentId,
  { signer, log, longest = RUN_MAX }: IssueOptions,
): Promise<IssuedReceipt> {
  const whole = await inSnapshot(db, (tx) => gatherWitness({ tx, reality, registry }, moment))
  const proof = log === null ? null : await proofOf(log, moment, whole.derived)
  const { reels, cuts } =
    log === null || proof === null
      ? { reels: whole.witness.reels, cuts: {} }
      : await shorten(whole, log, longest)
  const witness = { ...whole.witness, reels }
  const derived = await derivePermission(witness).catch((error: Error) => {
    throw noReceipt(moment, error.message)
  })
  const statement = {
    _type: STATEMENT_TYPE,
    subject: [{ name: moment, digest: { sha256: derived.hash } }],
    predicateType: RECEIPT_TYPE,
    predicate: {
      ...(witness as unknown as JsonObject),
      proof: proof === null ? null : { ...proof, ...(Object.keys(cuts).length === 0 ? {} : { cuts }) },
    },
  }
  return { envelope: envelopeOf(statement, signer), derived }
}

/** A receipt of each moment, or why there is none: one that has none keeps no other from its own. */
export async function issueReceipts(
  at: IssuingReality,
  moments: readonly MomentId[],
  options: IssueOptions,
): Promise<(Envelope | TreeosError)[]> {
  const made: (Envelope | TreeosError)[] = []
  for (const moment of moments)
    try {
      made.push((await issueReceipt(at, moment, options)).envelope)
    } catch (error) {
      if (!(error instanceof TreeosError) || error.code !== 'INVALID_INPUT') throw error
      made.push(error)
    }
  return made
}

/**
 * Where the log holds the moment, and the last fact of each reel that the permission follows from. Null while
 * it does not hold the moment.
 */
async function proofOf(
  log: CheckpointedLog,
  moment: MomentId,
  { heads }: DerivedPermission,
): Promise<JsonObject | null> {
  const { being, n } = parseMomentId(moment)
  const own = await log.prove(momentsReel(being), n)
  if (own?.seq !== n) return null
  const reels: Record<string, Json> = {}
  for (const [reel, seq] of heads) {
    const proof = seq === 0 ? null : await log.prove(reel, seq)
    if (proof?.seq === seq) reels[reel] = [proof.index, [...proof.path]]
  }
  return { note: log.note, index: own.index, path: [...own.path], reels }
}

/** Signs a statement. */
export function envelopeOf(statement: Json, { name, id, privateKey }: ReceiptSigner): Envelope {
  const body = Buffer.from(canonicalJson(statement), 'utf8')
  const signature = sign(null, preAuthentication(PAYLOAD_TYPE, body), privateKey)
  const keyid = `${name}+${Buffer.from(id).toString('hex')}`
  return asJson({
    payload: body.toString('base64'),
    payloadType: PAYLOAD_TYPE,
    signatures: [{ keyid, sig: signature.toString('base64') }],
  })
}
