import type { OverlayRecord } from '@treeos/core'
import { admits, type Overlay, type SignatureRef, TIERS, type Tier } from '../shape/overlay.ts'

/**
 * What becomes of several tiers.
 * - `block`: the highest tier that is present is the value, and the others have no effect
 * - `stack`: all are in the value, the lower first and each with its label; where two conflict, the higher
 *   counts
 */
export type OverlayMode = OverlayRecord['mode']
export const MODES = ['block', 'stack'] as const satisfies readonly OverlayMode[]
export const DEFAULT_MODE: OverlayMode = 'block'

/** At most one overlay of each tier. */
export type OverlaysByTier = Readonly<Partial<Record<Tier, Overlay>>>

/** The one value that a call gets. */
export interface ResolvedOverlay {
  /** the tiers that were present and attach to the Signature, the highest first */
  readonly tiers: readonly Tier[]
  readonly mode: OverlayMode
  readonly value: string
}

/** Follows the overlays of a stack, so that it is the last word on them. */
const ORDER = 'These overlays are in rising authority. Where two conflict, follow the later one.'

/** Other line breaks than this one would begin a line that the indent does not reach. */
const BREAKS = String.raw`\n\v\f\r\u001c-\u001e\u0085\u2028\u2029`
const LINE_BREAK = new RegExp(String.raw`\r\n|[${BREAKS}]`, 'u')

/**
 * Resolves all overlays of one call, before it is made. Pure.
 * @returns null when none attaches to the Signature
 */
export function resolveOverlays(
  overlays: OverlaysByTier,
  { signature, mode = DEFAULT_MODE }: { readonly signature: SignatureRef; readonly mode?: OverlayMode },
): ResolvedOverlay | null {
  const present = TIERS.flatMap((tier) => {
    const overlay = overlays[tier]
    return overlay !== undefined && admits(overlay, signature) ? [{ tier, content: overlay.content }] : []
  })
  const [highest] = present
  if (highest === undefined) return null
  const tiers = present.map(({ tier }) => tier)
  if (mode === 'block') return { tiers, mode, value: highest.content }
  const parts = present.toReversed().map(({ tier, content }) => `${labelOf(tier)}\n${indented(content)}`)
  return { tiers, mode, value: [...parts, ORDER].join('\n\n') }
}

/** The line above the overlay of a tier. Lines of overlays are indented, so none can pass as a label. */
export const labelOf = (tier: Tier): string => `[overlay of the ${tier}]`

const indented = (text: string): string =>
  text
    .split(LINE_BREAK)
    .map((line) => `  ${line}`)
    .join('\n')
