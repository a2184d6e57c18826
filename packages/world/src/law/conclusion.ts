import type {
  Breach,
  FactDraft,
  Json,
  Notice,
  OtherRefusal,
  OutcomeKind,
  SeenHead,
  TreeosError,
  Wake,
} from '@treeos/core'
import type { EffectPending } from '../extend/effect.ts'
import type { ShadowVerdict } from '../gates/refusal.ts'
import type { Act } from '../verbs/act-inputs.ts'
import type { RestsOn } from './live.ts'

/** How a moment ends, before it is asked how its being goes on. */
export interface Verdict {
  readonly kind: OutcomeKind
  /** the code of a failure, or a short name */
  readonly reason: string | null
  readonly detail: string | null
  readonly act: Act | null
  /** what is recorded beside an act: that the call waits for a yes, or that a yes is over */
  readonly notes?: readonly FactDraft[]
  /** entries in the inboxes of those whom a rule asks */
  readonly asks?: readonly Wake[]
  /** of a call that waits, for whoever made it */
  readonly result?: Json
  /** the rules by which a gate refused, or that ask */
  readonly by?: readonly string[]
  /** the refusal of a gate or of the operation; left out where nothing was refused by them */
  readonly refusal?: TreeosError
  /** why a look was refused: its being sees that in its next moment */
  readonly shown?: { readonly code: string; readonly message: string }
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

/** What a moment comes to: its outcome, and all that it writes and sends. */
export interface ConcludedMoment extends Verdict {
  /** the rules that allowed or refused the call */
  readonly by: readonly string[]
  /** the facts that it writes: of the act or of its parking, then its notes */
  readonly facts: readonly FactDraft[]
  readonly result: Json
  readonly closes: readonly string[]
  /** the wakes that it sends */
  readonly sends: MomentSends
  /** the heads from which the gates decided; left out when no call was judged */
  readonly judged?: readonly SeenHead[]
  /** what dry-run rules would have said otherwise of the call; left out for nothing */
  readonly shadow?: readonly ShadowVerdict[]
  readonly restsOn: RestsOn
}

export interface MomentSends {
  /** what its act says and awakens */
  readonly said: readonly Wake[]
  /** entries for those whom a rule asks */
  readonly asks: readonly Wake[]
  /** what tells of its failure, its parking or a limit */
  readonly notices: readonly Notice[]
  /** by which its being goes on by itself */
  readonly goesOn: readonly Wake[]
}

/** What a decided moment comes to; or the effect that has to be done first, and then nothing is written. */
export type Conclusion = ConcludedMoment | EffectPending

/** Whether something was done, or waits for a yes: then it rests on all that was read. */
export const isActLike = ({ kind }: Pick<Verdict, 'kind'>): boolean => kind === 'act' || kind === 'waiting'
