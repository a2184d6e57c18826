import { isJsonObject, OVERLAY_TIERS, type OverlayTier, quote, TreeosError, utf8Length } from '@treeos/core'

/** Where an overlay comes from, the highest first. */
export const TIERS = OVERLAY_TIERS
export type Tier = OverlayTier

/** Tiers whose overlays rest in their own table. Those of a call or a thread are only ever in memory. */
export const STORED_TIERS = ['channel', 'workspace', 'account'] as const satisfies readonly Tier[]
export type StoredTier = (typeof STORED_TIERS)[number]

export const isTier = (tier: unknown): tier is Tier => (TIERS as readonly unknown[]).includes(tier)
export const isStoredTier = (tier: unknown): tier is StoredTier =>
  (STORED_TIERS as readonly unknown[]).includes(tier)

/** Text for one call of a model. */
export interface Overlay {
  readonly content: string
  /** names of the Signatures that it attaches to; left out: the entry Signature of what is dispatched */
  readonly appliesTo?: readonly string[]
}

/** What overlays may attach to: a declaration of a model call. */
export interface SignatureRef {
  readonly name: string
  /** whether it is the first of what was dispatched */
  readonly isEntry: boolean
}

/** The Signature of a moment's call of the model: the only one there is in a summon. */
export const ENTRY: SignatureRef = { name: 'moment', isEntry: true }

export const OVERLAY_LIMITS = {
  /** of one overlay; all five tiers stacked still make a short prompt */
  contentBytesMax: 8 * 1024,
  signaturesMax: 16,
} as const

const SIGNATURE_NAME = /^[a-z][a-z0-9-]{0,63}(:[a-z][a-z0-9-]{0,63})?$/
const isSignatureName = (name: unknown): name is string =>
  typeof name === 'string' && SIGNATURE_NAME.test(name)

/** Whether an overlay attaches to a Signature. */
export const admits = ({ appliesTo }: Overlay, { name, isEntry }: SignatureRef): boolean =>
  appliesTo === undefined ? isEntry : appliesTo.includes(name)

/**
 * Checks an overlay from outside. No error quotes the text.
 * @throws {TreeosError} INVALID_INPUT or PAYLOAD_TOO_LARGE
 */
export function parseOverlay(value: unknown): Overlay {
  if (!isJsonObject(value as never)) throw invalid('an overlay is an object with `content`')
  const { content, appliesTo, ...others } = value as Record<string, unknown>
  if (Object.keys(others).length > 0)
    throw invalid('an overlay has the fields `content` and `appliesTo`, and no others')
  const text = requireOverlayText(content)
  if (appliesTo === undefined) return { content: text }
  return { content: text, appliesTo: requireSignatures(appliesTo) }
}

/** @throws {TreeosError} INVALID_INPUT or PAYLOAD_TOO_LARGE; the message does not quote the text */
function requireOverlayText(content: unknown): string {
  if (typeof content !== 'string') throw invalid('the text of an overlay is a string')
  if (content.trim() === '') throw invalid('the text of an overlay is empty')
  if (!content.isWellFormed() || content.includes('\0'))
    throw invalid('the text of an overlay has a lone surrogate or a NUL character')
  const bytes = utf8Length(content)
  if (bytes <= OVERLAY_LIMITS.contentBytesMax) return content
  throw new TreeosError(
    'PAYLOAD_TOO_LARGE',
    `the overlay is ${bytes} bytes, at most ${OVERLAY_LIMITS.contentBytesMax} are taken`,
  )
}

function requireSignatures(names: unknown): readonly string[] {
  const { signaturesMax } = OVERLAY_LIMITS
  if (!Array.isArray(names) || names.length === 0 || names.length > signaturesMax)
    throw invalid(`\`appliesTo\` is a list of 1 to ${signaturesMax} names of Signatures`)
  for (const name of names)
    if (!isSignatureName(name))
      throw invalid(`${quote(name)} is not a valid name of a Signature, such as moment`)
  return [...new Set(names as string[])]
}

const invalid = (message: string) => new TreeosError('INVALID_INPUT', message)
