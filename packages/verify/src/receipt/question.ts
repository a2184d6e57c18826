import type { Json } from '../canonical.ts'
import type { State } from './world.ts'

/** What a call is done to, as far as the second gate asks. */
export interface Target {
  readonly being: State | null
  readonly space: string
  /** of a thing; undefined for anything else */
  readonly owner: string | null | undefined
}

export interface Question {
  readonly actor: State
  readonly verb: string
  readonly key: string
  readonly target: Target
  /** the moment holds words from outside */
  readonly fromOutside: boolean
  /** where no space up to the root has a rule */
  readonly fallback: readonly string[]
  /** the act that rules count; left out for a look */
  readonly counting?: { readonly args: Json; readonly openedAt: number; readonly target: string }
}
