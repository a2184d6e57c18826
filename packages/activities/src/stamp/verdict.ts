import type { Breach, Decision, Digest, OutcomeKind, OverlayRecord, PinnedStack } from '@treeos/core'
import type { ComposedMoment } from '@treeos/reality'
import type { Act } from '@treeos/world'

/** Input of the gates: a skip, or a decision with its stack. */
export type Proposal =
  | { readonly kind: 'skipped'; readonly reason: string }
  | {
      readonly kind: 'decided'
      readonly stack: PinnedStack
      readonly composed: ComposedMoment
      readonly decision: Decision
      /** digest of the stored decision; null when `think` failed */
      readonly digest: Digest | null
      /** of the call of its model; null without one */
      readonly overlay: OverlayRecord | null
    }

/** The outcome of a moment after the gates. */
export interface Verdict {
  readonly kind: OutcomeKind
  readonly reason: string | null
  readonly detail: string | null
  readonly act: Act | null
  /** the rules by which a gate refused */
  readonly by?: readonly string[]
  /** the budget limit that prevented the model call and parks the being */
  readonly breach?: Breach
  /** true when the failure sends no notices, because the being that caused it knows */
  readonly sendsNoNotice?: true
  /** the thread of the wake that a call answers; it must not be cut */
  readonly thread?: string
  /** wakes that it closes in addition to its own */
  readonly closes?: readonly string[]
}
