import type { SignedCheckpoint } from '../checkpoint.ts'
import type { Status } from '../status.ts'
import type { BrokenPlace } from './causes.ts'
import type { BundleCover } from './cover.ts'

/** Something that is not in a bundle, and that its fact or record holds the digest of. */
export interface ErasedContent {
  /** of the fact, or `moments:<being>` */
  readonly reel: string
  readonly seq: number
  readonly what: 'payload' | 'decision' | 'effect'
  /**
   * who erased it, why, and when (ms since 1970), as its tombstone says; null where no tombstone is in the
   * bundle
   */
  readonly by: string | null
  readonly why: string | null
  readonly at: number | null
}

/** What the check of a bundle found. */
export interface BundleReport {
  readonly reels: number
  readonly facts: number
  readonly moments: number
  readonly status: Status
  /** the status is `ok` */
  readonly ok: boolean
  /** what it says that it holds; null where it does not say so */
  readonly scope: BundleCover | null
  /** in the order of the lines */
  readonly broken: readonly BrokenPlace[]
  /** null for a bundle without one */
  readonly checkpoint: SignedCheckpoint | null
  /** links of chains that the checkpoint covers; null without a checkpoint */
  readonly covered: number | null
  /** what was erased */
  readonly erased: readonly ErasedContent[]
  /** in words, what this bundle does not prove */
  readonly unproven: readonly string[]
}
