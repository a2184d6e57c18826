import type { HeadRef, Json } from '@treeos/core'
import { encodeJson } from '../sql/stored-json.ts'

/**
 * A basis as it is stored: the last seq of each reel, without the hashes. The digest in the open record covers the hashes too, so
 * a basis with other facts differs from it. A crowded place gives each moment a basis of dozens of reels.
 */
export const encodeBasis = (basis: Json): Buffer =>
  encodeJson(Object.fromEntries((basis as unknown as readonly HeadRef[]).map(([reel, seq]) => [reel, seq])))
