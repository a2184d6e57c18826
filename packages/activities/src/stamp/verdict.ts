import type { Breach, Decision, Digest, OutcomeKind, PinnedStack } from '@treeos/core'
import type { ComposedMoment } from '@treeos/reality'
import type { Act } from '@treeos/world'

/** What a moment comes to, before the gates. */
export type Proposal =
  | { readonly kind: 'skipped'; readonly reason: string }
  | {
      readonly kind: 'decided'
      readonly stack: PinnedStack
      readonly composed: ComposedMoment
      readonly decision: Decision
      /** null when a mind gave none */
      readonly digest: Digest | null
    }

/** What the gates made of an ending. */
export interface Verdict {
  readonly kind: OutcomeKind
  readonly reason: string | null
  readonly detail: string | null
  readonly act: Act | null
  /** the rule that refused it, where a gate did */
  readonly by?: readonly string[]
  /** the limit that kept the mind from being asked: the being is parked by it */
  readonly breach?: Breach
  /** nobody is told that it came to nothing: whoever made it so knows */
  readonly sendsNoNotice?: true
  /** wakes that are over by it, beside its own */
  readonly closes?: readonly string[]
}
