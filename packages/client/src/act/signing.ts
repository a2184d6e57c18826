import { asJson, canonicalJson } from '@treeos/core'
import { sha256 } from '@treeos/store'
import type { ActToSign } from './acts.ts'

/**
 * What a passkey signs for an act, as the challenge of its assertion. The handle of an overlay is not signed: it is made afterwards.
 * @param nonce the correlation that the act will have
 * @param at ms since 1970 UTC, when its signature was asked for
 * @returns base64url
 * @see docs/formats.md, "Signed acts"
 */
export function actChallenge(
  reality: string,
  { being, signer, call, answers }: ActToSign,
  { nonce, at }: { readonly nonce: string; readonly at: number },
): string {
  const { overlay: _, ...said } = { overlay: null, ...call }
  const asked = { treeos: 'act.v1', reality, being, signer, call: asJson(said), answers, nonce, at }
  return sha256(canonicalJson(asked)).toString('base64url')
}
