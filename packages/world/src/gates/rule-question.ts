import type { BeingName, SpacePath, Verb } from '@treeos/core'
import type { BeingRow } from '../rows/rows.ts'
import type { Standing } from './rules.ts'

export interface RuleQuestion {
  readonly actor: BeingRow
  readonly verb: Verb
  /** an action, an operation, a stance, or an address */
  readonly key: string
  readonly target: {
    readonly being: BeingRow | null
    readonly space: SpacePath
    /** owner of a thing that lies there; left out when the target is the space itself */
    readonly owner?: BeingName
  }
  /** used where no space up to the root has a rule */
  readonly fallback: readonly Standing[]
}
