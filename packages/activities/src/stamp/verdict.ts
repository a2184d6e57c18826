import type {
  Breach,
  Decision,
  Digest,
  OutcomeKind,
  OverlayRecord,
  PinnedStack,
  SeenHead,
} from '@treeos/core'
import type { ComposedMoment } from '@treeos/reality'
import type { OtherRefusal } from '@treeos/store'
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
      /** why the decision became a failure although a mind decided otherwise; left out when it did not */
      readonly beside?: OtherRefusal
    }

/** The outcome of a moment after the gates. */
export interface Verdict {
  readonly kind: OutcomeKind
  readonly reason: string | null
  readonly detail: string | null
  readonly act: Act | null
  /** the rules by which a gate refused */
  readonly by?: readonly string[]
  /** the heads from which the gates decided; left out when no call was judged */
  readonly judged?: readonly SeenHead[]
  /** what refused the call, where no gate did */
  readonly beside?: OtherRefusal
  /** the budget limit that prevented the model call and parks the being */
  readonly breach?: Breach
  /** true when the failure sends no notices, because the being that caused it knows */
  readonly sendsNoNotice?: true
  /** the thread of the wake that a call answers; it must not be cut */
  readonly thread?: string
  /** wakes that it closes in addition to its own */
  readonly closes?: readonly string[]
}
