import {
  type ActSignature,
  asJson,
  type BeingName,
  canonicalJson,
  isJsonObject,
  type VerbCall,
} from '@treeos/core'
import { type Presence, readerOf } from '@treeos/reality'
import { sha256 } from '@treeos/store'
import { PASSKEYS } from '@treeos/world'

/** An act that waits for its signature. */
export interface ActToSign {
  readonly being: BeingName
  /** who acts: the being itself, or its driver */
  readonly signer: BeingName
  readonly call: VerbCall
  readonly answers: string | null
}

/**
 * @returns null where its signer has no passkey for acts
 * @throws {TreeosError} while its signature is not there
 */
export type SignAct = (
  act: ActToSign,
) => Promise<{ readonly salt: string; readonly signed: ActSignature } | null>

/**
 * What a passkey signs for an act, as the challenge of its assertion. The handle of an overlay is not signed:
 * it is made afterwards.
 * @param salt 32 random bytes in hex. The decision of the act has it, so it is erased with the call
 * @param at ms since 1970 UTC, when its signature was asked for
 * @returns base64url
 * @see docs/formats.md, "Signed acts"
 */
export function actChallenge(
  reality: string,
  { being, signer, call, answers }: ActToSign,
  { salt, at }: { readonly salt: string; readonly at: number },
): string {
  const { overlay: _, ...said } = { overlay: null, ...call }
  const nonce = signedCorrelation(salt)
  const asked = { treeos: 'act.v1', reality, being, signer, call: asJson(said), answers, nonce, salt, at }
  return sha256(canonicalJson(asked)).toString('base64url')
}

/**
 * The correlation of a signed act. It follows from the salt: so nobody signs its way into a thread of others,
 * or signs twice with one salt.
 */
export function signedCorrelation(salt: string): string {
  const bytes = sha256(`treeos.act.v1\0${salt}`)
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80 // a UUID of version 8: made by a rule of its own
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  const hex = bytes.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join(
    '-',
  )
}

/** The ids of the passkeys by which a person signs, as the record has them. */
export async function passkeysOf(at: Presence, person: BeingName): Promise<readonly string[]> {
  const passkeys = (await readerOf(at).being(person))?.qualities[PASSKEYS] ?? null
  return isJsonObject(passkeys) ? Object.keys(passkeys) : []
}
