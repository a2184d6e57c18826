import type { BeingName } from './names.ts'

/** The period over which tokens and money are counted: a day in the reality's time zone, or for ever. */
export const BUDGET_PERIODS = ['day', 'total'] as const
export type BudgetPeriod = (typeof BUDGET_PERIODS)[number]

/**
 * What a being and its offspring may use up. They share tokens, money and moments; the other limits hold for
 * each alone. An absent limit adds no bound.
 */
export interface Budget {
  /** per clock minute; further moments wait for the next minute */
  readonly momentsPerMinute?: number
  /** steps of each being for one question; those that its role allows hold as well */
  readonly selfContinues?: number
  /** depth of a cause chain up to which each being speaks in it; LIMITS.hopsMax holds as well */
  readonly hops?: number
  /** children that each being may have made */
  readonly births?: number
  /** tokens of prompts and answers together, per period */
  readonly tokens?: number
  /** in the currency of the prices, to the millionth, per period */
  readonly money?: number
  readonly per: BudgetPeriod
}

/** What beings without a budget of their own may use up. */
export interface StandardBudget extends Budget {
  /**
   * tokens a day of all beings of one person together, unless that person has a budget of its own. Beings
   * that the first operator gave a budget of their own do not count
   */
  readonly tokensPerPerson?: number
}

/**
 * Why a model was not called: the highest cost that the call may have is more than what is left of a limit.
 */
export interface Breach {
  /** the being that has the limit: the one that thinks, or one of its makers */
  readonly of: BeingName
  /** revision of that budget: a later revision lets the being try again */
  readonly revision: number
  readonly limit: 'tokens' | 'money'
  readonly per: BudgetPeriod
  readonly max: number
  readonly used: number
  /** null: the model's price is not known, so money cannot be bounded */
  readonly needs: number | null
  /** when the next day begins, in ms since 1970 UTC; null for a limit in total */
  readonly until: number | null
}

/**
 * The part of a being that Postgres checks: workers draw on budgets concurrently, so its locks must bound
 * them.
 */
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

/** Money is counted in millionths, so that a price per million tokens is a whole number per token. */
export const MICROS = 1_000_000
