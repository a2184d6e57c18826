import type { BeingName } from './names.ts'

/** Over which time tokens and money are counted: a day of the reality's zone, or for good. */
export const BUDGET_PERIODS = ['day', 'total'] as const
export type BudgetPeriod = (typeof BUDGET_PERIODS)[number]

/**
 * What a being and all its offspring may use up: tokens, money and moments together, the rest each. A limit that is absent
 * adds no bound.
 */
export interface Budget {
  /** per minute of the clock; what is beyond waits for the next one */
  readonly momentsPerMinute?: number
  /** how often each of them goes on by itself in one cause chain; the substrate's own bound holds beside it */
  readonly selfContinues?: number
  /** how many summons may follow one another in a cause chain that each of them speaks in; the same */
  readonly hops?: number
  /** of prompts and answers, for `per` */
  readonly tokens?: number
  /** in the currency of the prices, to the millionth, for `per` */
  readonly money?: number
  readonly per: BudgetPeriod
}

/** Why a model was not called: the worst that the call may cost does not fit what is left of a limit. */
export interface Breach {
  /** whose limit it is: the being's own, or that of one of its makers */
  readonly of: BeingName
  /** counts the changes of that budget: the next one lets the being try again */
  readonly revision: number
  readonly limit: 'tokens' | 'money'
  readonly per: BudgetPeriod
  readonly max: number
  readonly used: number
  /** null: the model's price is not known, so money cannot be bounded */
  readonly needs: number | null
  /** ms since 1970 UTC, when the next day begins; null for a limit for good */
  readonly until: number | null
}

/** What Postgres itself must know of a being: workers draw on budgets concurrently, and only its locks can bound that. */
export interface Account {
  /** 0: it never had a budget */
  readonly revision: number
  readonly momentsPerMinute: number | null
  readonly tokens: number | null
  /** millionths of money */
  readonly micros: number | null
  readonly per: BudgetPeriod
  readonly parked: Pick<Breach, 'of' | 'revision' | 'until'> | null
}

/** Money is counted in millionths: a price per million tokens is then one per token. */
export const MICROS = 1_000_000
