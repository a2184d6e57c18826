import { type BeingName, type Json, TreeosError } from '@treeos/core'
import type { CanList } from '../rows/lists.ts'
import type { RuleQuestion } from './rule-question.ts'

/** What a gate was asked when it refused. */
export type AskedGate =
  | { readonly gate: 'list'; readonly actor: BeingName; readonly list: CanList; readonly target: string }
  | { readonly gate: 'rules'; readonly question: RuleQuestion }

/** A refusal by one of the two gates. */
export class GateRefusal extends TreeosError {
  readonly #asked: AskedGate

  constructor(message: string, detail: Json, asked: AskedGate) {
    super('FORBIDDEN', message, detail)
    this.#asked = asked
  }

  /** For whoever explains it. It holds rows, so it is not a property that a log would print. */
  get asked(): AskedGate {
    return this.#asked
  }
}
