import { asJson, canonicalJson } from '@treeos/core'
import type { Basis } from './records.ts'

/**
 * A basis as it is stored: of its heads the last seq of each reel, without the hashes. The digest in the open record covers the hashes
 * too, so a basis with other facts differs from it. A crowded place gives each moment a basis of dozens of reels.
 */
export const encodeBasis = ({ salt, heads, noted }: Basis): string =>
  canonicalJson({ heads: seqsOf(heads), ...(noted === null ? {} : { noted: asJson(noted) }), salt })

/** Heads as they are stored: the seqs by reel. */
export const seqsOf = (heads: Basis['heads']) => Object.fromEntries(heads.map(([reel, seq]) => [reel, seq]))
