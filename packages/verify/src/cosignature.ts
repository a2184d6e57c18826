import { verify } from 'node:crypto'
import type { NoteSignature, VerifierKey } from './signature.ts'

/** A witness outside, as a policy names it. */
export interface OutsideWitness extends VerifierKey {
  /** in the policy; nothing outside of it has this name */
  readonly label: string
  /** where it takes checkpoints; null where the policy does not say so */
  readonly url: string | null
}

/**
 * A witness says that at this time the checkpoint was the largest one it had seen of the log, and that it
 * began with all before.
 */
export interface WitnessCosignature {
  /** the witness, by its name in the policy */
  readonly by: string
  /** seconds since 1970, by the clock of the witness */
  readonly at: number
}

/** Bytes of a time, and of an ed25519 signature. */
const [TIME, SIGNATURE] = [8, 64]

/**
 * Reads a timestamped signature of C2SP tlog-cosignature, ed25519.
 * @param text of the checkpoint, with its last line break
 * @returns when the witness signed, in seconds since 1970
 * @throws {Error} when this witness did not sign this text
 */
function readCosignature(text: string, { label, key }: OutsideWitness, bytes: Buffer): number {
  const at = bytes.length === TIME + SIGNATURE ? Number(bytes.readBigUInt64BE()) : 0
  if (!Number.isSafeInteger(at) || at < 1) throw new Error(`the cosignature of ${label} names no time`)
  const signed = Buffer.from(`cosignature/v1\ntime ${at}\n${text}`)
  if (!verify(null, signed, key, bytes.subarray(TIME)))
    throw new Error(`the cosignature of ${label} is not one of it over this checkpoint and this time`)
  return at
}

/**
 * Who of these witnesses cosigned a checkpoint, and when, at the latest. Signatures of others are passed
 * over.
 * @throws {Error} for a line with the name and key of one of them that is not its signature
 */
export function cosignedBy(
  text: string,
  signatures: readonly NoteSignature[],
  witnesses: readonly OutsideWitness[],
): WitnessCosignature[] {
  return witnesses.flatMap((witness) => {
    const own = signatures.filter(({ name, id }) => name === witness.name && witness.id.equals(id))
    const times = own.map(({ bytes }) => readCosignature(text, witness, bytes))
    return times.length === 0 ? [] : [{ by: witness.label, at: Math.max(...times) }]
  })
}
