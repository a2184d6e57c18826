import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { canonicalJson, type Digest, type OverlayRecord } from '@treeos/core'
import type { ResolvedOverlay } from './resolve.ts'

const SALT_BYTES = 32
const TAG = 'treeos.overlay.v1\0'

/** A random salt, in hex. Short text can be guessed from its digest alone, but not without the salt. */
export const newSalt = (): string => randomBytes(SALT_BYTES).toString('hex')

/**
 * A salt for calls whose caller brought no overlay and so holds no salt. Who holds the key can compute it
 * again.
 * @param about names the call
 */
export const saltFrom = (key: Uint8Array, about: string): string =>
  createHmac('sha256', key).update(`${TAG}salt\0${about}`).digest('hex')

/** Hex sha256 over the salt and the canonical form of a resolved value. */
export function commitTo(salt: string, value: string): Digest {
  const bytes = Buffer.from(salt, 'hex')
  if (bytes.length !== SALT_BYTES || !/^[0-9a-f]+$/.test(salt))
    throw new RangeError(`a salt is ${SALT_BYTES} bytes in hex`)
  return createHash('sha256').update(TAG).update(bytes).update(canonicalJson(value)).digest('hex')
}

/** Whether a recorded commitment is of this value. False for a salt or a commitment of the wrong form. */
export function checkCommitment(commitment: Digest, salt: string, value: string): boolean {
  if (!/^[0-9a-f]{64}$/.test(commitment) || !/^[0-9a-f]{64}$/.test(salt)) return false
  return timingSafeEqual(Buffer.from(commitment, 'hex'), Buffer.from(commitTo(salt, value), 'hex'))
}

export const recordOf = ({ tiers, mode, value }: ResolvedOverlay, salt: string): OverlayRecord => ({
  tiers,
  mode,
  commitment: commitTo(salt, value),
})
