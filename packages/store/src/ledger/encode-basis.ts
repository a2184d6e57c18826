import { canonicalJson } from '@treeos/core'
import type { Basis } from './records.ts'

/**
 * A basis as it is stored: of its heads the last seq of each reel, without the hashes. The digest in the open
 * record covers the hashes too, so a basis with other facts differs from it. A crowded place gives each
 * moment a basis of dozens of reels.
 */
export const encodeBasis = ({ salt, heads, noted }: Basis): string =>
  `{"heads":${encodeSeqs(heads)}${noted === null ? '' : `,"noted":${canonicalJson(noted)}`},"salt":${canonicalJson(salt)}}`

/**
 * Heads as they are stored: the seqs by reel, as canonical JSON. It is written here, since an object with
 * dozens of keys of its own takes longer to make than its text.
 * @param heads sorted by reel, as canonical JSON sorts keys
 */
export const encodeSeqs = (heads: Basis['heads']): string =>
  `{${heads.map(([reel, seq]) => `${canonicalJson(reel)}:${seq}`).join(',')}}`
