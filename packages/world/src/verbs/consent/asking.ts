import type { BeingName, Caller, MomentId, PinnedStack, RoleName, Verb } from '@treeos/core'
import { type AskedRules, requireAnswer } from '../../gates/refusal.ts'
import { askRuleGate } from '../../gates/rule-gate.ts'
import type { WorldReader } from '../../read/reader.ts'
import type { BeingRow } from '../../rows/rows.ts'

/** What a yes to the call of a moment is bound to, besides the call. */
export interface Asking {
  readonly stack: PinnedStack
  /** the wake of the moment, and as its open record says: its caller, what it is to answer and the role that was asked for */
  readonly wake: string
  readonly caller: Caller | null
  readonly question: string | null
  /** its thread */
  readonly root: string
  readonly askedRole: RoleName | null
  readonly lease: { readonly driver: BeingName; readonly epoch: number } | null
  /** the approval that the moment carries out; null for any other moment */
  readonly approval: MomentId | null
}

/** Collects what rules ask about one call. The call is decided all the same, so that one which would fail is refused at once. */
export class Consent {
  readonly #isRefusing: boolean
  readonly #asked: AskedRules[] = []
  /** entry of the list that allows the call */
  listed = ''

  /** @param isRefusing a rule that asks refuses */
  constructor(isRefusing = false) {
    this.#isRefusing = isRefusing
  }

  get asked(): readonly AskedRules[] {
    return this.#asked
  }

  /**
   * @returns the address of the rule that allows it, or that asks
   * @throws {TreeosError} FORBIDDEN
   */
  async granted(
    reader: WorldReader,
    actor: BeingRow,
    verb: Verb,
    call: Parameters<typeof askRuleGate>[3],
  ): Promise<string> {
    const answer = await askRuleGate(reader, actor, verb, call)
    if (answer.allowed || answer.asked === undefined || this.#isRefusing) return requireAnswer(answer)
    this.#asked.push(answer.asked)
    return answer.asked.asks[0]?.by ?? ''
  }
}
