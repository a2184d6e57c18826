import type { Json } from '@treeos/core'
import type { AskedAgain, RecordedEnd } from './moment.ts'
import type { TrialScore } from './score.ts'

/** One past moment, asked again of one candidate. */
export interface TrialLine {
  readonly moment: string
  readonly being: string
  readonly n: number
  /** ISO 8601, UTC */
  readonly openedAt: string
  /** content of its wake, as it was heard */
  readonly question: Json
  readonly candidate: string
  readonly was: RecordedEnd
  readonly would: Pick<
    AskedAgain,
    'roles' | 'model' | 'decision' | 'verdict' | 'code' | 'message' | 'isOfThread'
  >
  /**
   * `roles`, `prompt`, `verdict`, and of the decision `decision`, `verb`, `operation`, `target`, `content`
   */
  readonly differs: readonly string[]
  /** the decision is the same */
  readonly same: boolean
  /** it had an overlay then, which nobody kept: it is asked again without */
  readonly hadOverlay?: true
  readonly cost: number | null
  readonly tokens: number | null
  readonly seconds: number | null
  /** the answer was kept by an earlier run */
  readonly kept: boolean
  readonly scores: Readonly<Record<string, TrialScore>>
}
