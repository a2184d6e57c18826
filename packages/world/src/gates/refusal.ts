import {
  type BeingName,
  type FactDraft,
  type Json,
  type JsonObject,
  type RefusalFields,
  refusalSentence,
  type SpacePath,
  TreeosError,
  type Verb,
  withRefusal,
} from '@treeos/core'
import type { CanList } from '../rows/lists.ts'
import type { BeingRow } from '../rows/rows.ts'
import type { RuleAsk } from './ask.ts'
import type { RuleStanding } from './rules.ts'

/** What the rule gate is asked. */
export interface RuleQuestion {
  readonly actor: BeingRow
  readonly verb: Verb
  /** an operation, a stance, or an address */
  readonly key: string
  readonly target: {
    readonly being: BeingRow | null
    readonly space: SpacePath
    /** owner of a thing that lies there; left out when the target is the space itself */
    readonly owner?: BeingName
  }
  /** used where no rule says whom it permits */
  readonly fallback: readonly RuleStanding[]
  /** the moment that asks holds words from outside; left out when it holds none */
  readonly fromOutside?: boolean | undefined
  /** asked where `fallback` decides; left out for nothing */
  readonly ask?: RuleAsk | undefined
  /** what counts of rules are about; left out where nothing can be counted */
  readonly counting?: CountedAct | undefined
  /** dry-run rules are asked too; left out where they are not */
  readonly asksDryRun?: true | undefined
}

/** What dry-run rules would have said of a call, where those that decide say something else. */
export interface ShadowVerdict {
  readonly verb: Verb
  readonly key: string
  /** stance, path or address of what it is done to */
  readonly on: string
  readonly was: ShadowWord
  readonly would: ShadowWord
  /** address of the dry-run rule or count that would have decided so */
  readonly by: string
}

/** What comes of asking dry-run rules. */
export interface ShadowAnswer {
  /** null where they say the same */
  readonly said: ShadowVerdict | null
  /** by which they count what is done */
  readonly tallies: readonly FactDraft[]
}

type ShadowWord = 'allowed' | 'ask' | 'refused'

/** The act that would be counted. */
export interface CountedAct {
  /** null for a verb without arguments */
  readonly args: Json
  /** when its moment opened, ms since 1970 UTC */
  readonly openedAt: number
  /** stance, path or address of what it is done to */
  readonly target: string
}

/** A rule that asks for the yes of persons. */
export interface PlacedAsk {
  readonly ask: RuleAsk
  /** address of the rule */
  readonly by: string
  /** the space that has the rule; null for what an operation asks by itself */
  readonly place: SpacePath | null
}

/** A call that would be allowed, but that rules ask persons about. */
export interface AskedRules {
  readonly asks: readonly PlacedAsk[]
  /** what the decision about the call rests on. A yes holds only while none of it changes */
  readonly rests: Json
  readonly question: RuleQuestion
  /** by which it is counted once it is done */
  readonly tallies: readonly FactDraft[]
}

/** What a gate was asked when it refused. */
export type AskedGate =
  | { readonly gate: 'list'; readonly actor: BeingName; readonly list: CanList; readonly target: string }
  | { readonly gate: 'rules'; readonly question: RuleQuestion }

/**
 * What a gate answers: what allows it, or the refusal. Most askers want a yes or a no, so the error is made
 * only for one who throws it.
 */
export type GateAnswer<By = string> = { readonly shadow?: ShadowAnswer } & (
  | { readonly allowed: true; readonly by: By; readonly tallies?: readonly FactDraft[] }
  | {
      readonly allowed: false
      readonly refusal: () => TreeosError
      /** what has to be asked; left out where no yes of a person would help */
      readonly asked?: AskedRules
      /** true: a count of a rule refuses it, which one may be by the arguments; left out otherwise */
      readonly isCounted?: true
    }
)

/** @returns what allows it @throws {TreeosError} the refusal */
export function requireAnswer<By>(answer: GateAnswer<By>): By {
  if (answer.allowed) return answer.by
  throw answer.refusal()
}

/** A refusal by one of the two gates. */
export class GateRefusal extends TreeosError {
  readonly #asked: AskedGate

  constructor(refusal: RefusalFields, detail: JsonObject, asked: AskedGate) {
    super('FORBIDDEN', refusalSentence(refusal), withRefusal(detail, refusal))
    this.#asked = asked
  }

  /** For whoever explains it. It holds rows, so it is not a property that a log would print. */
  get asked(): AskedGate {
    return this.#asked
  }
}
