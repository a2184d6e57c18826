import type {
  BeingName,
  Caller,
  FactDraft,
  MomentId,
  PinnedStack,
  ReelId,
  RoleName,
  Verb,
} from '@treeos/core'
import { type AskedRules, type CountedAct, requireAnswer, type ShadowVerdict } from '../../gates/refusal.ts'
import { askRuleGate } from '../../gates/rule-gate.ts'
import type { WorldReader } from '../../read/reader.ts'
import type { BeingRow } from '../../rows/rows.ts'

/** What a yes to the call of a moment is bound to, besides the call. */
export interface ConsentTerms {
  readonly stack: PinnedStack
  /**
   * the wake of the moment, and as its open record says: its caller, what it is to answer and the role that
   * was asked for
   */
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

/**
 * Collects what rules ask and count about one call. The call is decided all the same, so that one which would
 * fail is refused at once.
 */
export class Consent {
  readonly #isRefusing: boolean
  readonly #counting: Omit<CountedAct, 'target'>
  readonly #asked: AskedRules[] = []
  readonly #tallies: Map<ReelId, FactDraft>
  readonly #shadows: ShadowVerdict[] | undefined
  readonly #dryRunTallies: Map<ReelId, FactDraft>
  /** entry of the list that allows the call */
  listed = ''

  /**
   * @param shadows collects where dry-run rules would have decided differently; undefined where they are not
   *   asked
   */
  constructor(
    counting: Omit<CountedAct, 'target'>,
    shadows?: ShadowVerdict[],
    isRefusing = false,
    tallies: Map<ReelId, FactDraft> = new Map(),
    dryRunTallies: Map<ReelId, FactDraft> = new Map(),
  ) {
    this.#counting = counting
    this.#shadows = shadows
    this.#isRefusing = isRefusing
    this.#tallies = tallies
    this.#dryRunTallies = dryRunTallies
  }

  /** The same for what is said after something was done outside: a rule that asks refuses. */
  refusing(): Consent {
    return new Consent(this.#counting, this.#shadows, true, this.#tallies, this.#dryRunTallies)
  }

  /** By which the call is counted once it is done. */
  get tallies(): readonly FactDraft[] {
    return [...this.#tallies.values()]
  }

  /** The same for dry-run rules. No effect waits for these. */
  get dryRunTallies(): readonly FactDraft[] {
    return [...this.#dryRunTallies.values()]
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
    const counting = verb === 'summon' ? { ...this.#counting, args: null } : this.#counting
    const dryRuns = this.#shadows === undefined ? {} : { asksDryRun: true as const }
    const answer = await askRuleGate(reader, actor, verb, { ...call, ...dryRuns, counting })
    if (answer.shadow?.said != null) this.#shadows?.push(answer.shadow.said)
    for (const fact of answer.shadow?.tallies ?? []) this.#dryRunTallies.set(fact.reel, fact)
    const { tallies = [] } = answer.allowed ? answer : (answer.asked ?? {})
    for (const fact of tallies) this.#tallies.set(fact.reel, fact)
    if (answer.allowed || answer.asked === undefined || this.#isRefusing) return requireAnswer(answer)
    this.#asked.push(answer.asked)
    return answer.asked.asks[0]?.by ?? ''
  }
}
