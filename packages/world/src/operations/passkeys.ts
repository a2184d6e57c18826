import { isJsonObject, type Json, stanceOf, TreeosError } from '@treeos/core'
import type { BeingRow } from '../rows/rows.ts'

/**
 * The namespace of the public keys by which a person signs what it does, by their ids: see docs/people.md,
 * "Signed acts".
 */
export const PASSKEYS = 'passkeys'

const BYTES_32 = /^[A-Za-z0-9_-]{43}$/
const SITE_CHARS_MAX = 253

/**
 * A person sets its own passkeys, and nobody else does: who could set one could act in its name. Whoever may
 * set its qualities may take one away, as when it is lost.
 * @throws {TreeosError} INVALID_INPUT, FORBIDDEN
 */
export function requirePasskeyChange(
  { path, value }: { readonly path: readonly string[]; readonly value: Json },
  { actor, target }: { readonly actor: BeingRow; readonly target: BeingRow },
): void {
  if (path[0] !== PASSKEYS) return
  if (path.length !== 2)
    throw new TreeosError('INVALID_INPUT', `set-being: a passkey is set as ${PASSKEYS}.<id>`)
  if (value === null) return
  if (actor.name !== target.name || target.cognition.kind !== 'human')
    throw new TreeosError('FORBIDDEN', `${stanceOf(target.name)} sets its passkeys itself, and is a person`)
  const { site, publicKey, ...unknown } = isJsonObject(value) ? value : {}
  const isSite = typeof site === 'string' && site !== '' && site.length <= SITE_CHARS_MAX
  if (!isSite || !isPublicKey(publicKey ?? null) || Object.keys(unknown).length > 0)
    throw new TreeosError(
      'INVALID_INPUT',
      'set-being: a passkey is {site, publicKey}, with a public key on P-256 or of ed25519 as a JWK',
    )
}

function isPublicKey(jwk: Json): boolean {
  const { kty, crv, x = null, y = null, ...unknown } = isJsonObject(jwk) ? jwk : {}
  if (Object.keys(unknown).length > 0 || !BYTES_32.test(String(x))) return false
  if (kty === 'EC' && crv === 'P-256') return BYTES_32.test(String(y))
  return kty === 'OKP' && crv === 'Ed25519' && y === null
}
