import type { Digest } from './stack.ts'

/** Where an overlay comes from, the highest first. */
export const OVERLAY_TIERS = ['call', 'thread', 'channel', 'workspace', 'account'] as const
export type OverlayTier = (typeof OVERLAY_TIERS)[number]

/**
 * All that is recorded of the overlay of a call: never its text, and no bare digest, since short text can be
 * guessed from one.
 */
export interface OverlayRecord {
  /** the tiers that were present, the highest first */
  readonly tiers: readonly OverlayTier[]
  /** `block`: the highest tier alone had an effect; `stack`: all of them had */
  readonly mode: 'block' | 'stack'
  /** hex sha256 over a random salt and the text that the model got */
  readonly commitment: Digest
}

/** An opaque handle of text in a vault: the name of the vault's part, and a random secret. */
const HANDLE = /^[A-Za-z0-9_-]{16}[.][A-Za-z0-9_-]{43}$/
export const isOverlayHandle = (handle: unknown): handle is string =>
  typeof handle === 'string' && HANDLE.test(handle)
