import {
  type Account,
  type BeingName,
  type Breach,
  type Budget,
  type Cognition,
  canonicalJson,
  fromJson,
  isJsonObject,
  type JsonObject,
  MICROS,
  readPath,
  type StandardBudget,
  stanceOf,
} from '@treeos/core'
import type { BeingRow, SpaceRow } from './rows.ts'

/** Quality namespace of the root space that holds the standard budgets of its reality, by cognition. */
export const STANDARD_BUDGET = 'budget'

/**
 * A being's budget, or a standard one. Revisions count changes: of a being's own from 1, of a standard one
 * from 0.
 */
type RevisedBudget = Partial<StandardBudget> & { readonly revision: number }

/**
 * Budgets of beings that have none of their own, where the root space says nothing else. A person has none.
 * The SQL function `standard` says the same. Its pace counts moments within any 60 s.
 */
export const STANDARD_BUDGETS: Readonly<Record<Cognition, RevisedBudget>> = {
  llm: {
    momentsPerMinute: 30,
    births: 32,
    tokens: 1_000_000,
    tokensPerPerson: 20_000_000,
    per: 'day',
    revision: 0,
  },
  scripted: { momentsPerMinute: 600, births: 32, per: 'day', revision: 0 },
  human: { per: 'day', revision: 0 },
}

/** The budget of a being of this cognition that has none of its own. @param root row of the root space */
export function standardBudget(
  root: Pick<SpaceRow, 'qualities'> | null,
  cognition: Cognition,
): RevisedBudget {
  const said = readPath(root?.qualities, [STANDARD_BUDGET, cognition])
  return isJsonObject(said) ? fromJson<RevisedBudget>(said) : STANDARD_BUDGETS[cognition]
}

/** The account of a being that never had a budget and was never parked. */
export const NO_ACCOUNT: Account = {
  revision: 0,
  momentsPerMinute: null,
  tokens: null,
  micros: null,
  per: 'total',
  parked: null,
}

export function accountOf({ budget, parked }: BeingRow): Account {
  return {
    revision: budget?.revision ?? 0,
    momentsPerMinute: budget?.momentsPerMinute ?? null,
    tokens: budget?.tokens ?? null,
    micros: budget?.money === undefined ? null : Math.round(budget.money * MICROS),
    per: budget?.per ?? 'total',
    parked: parked === undefined ? null : { of: parked.of, revision: parked.revision, until: parked.until },
  }
}

export const isSameAccount = (a: Account, b: Account): boolean => canonicalJson(a) === canonicalJson(b)

export function budgeted(row: BeingRow, { budget }: JsonObject): BeingRow {
  const revision = (row.budget?.revision ?? 0) + 1
  return { ...row, budget: { ...fromJson<Budget>(budget ?? {}), revision } }
}

export const parkedBy = (row: BeingRow, { breach }: JsonObject): BeingRow => ({
  ...row,
  parked: fromJson<Breach>(breach ?? null),
})

export function unparked({ parked: _over, ...row }: BeingRow): BeingRow {
  return row
}

/** One sentence: which limit the being met, and how to let it go on. */
export function whyParked(being: BeingName, { of, limit, per, max, used, needs }: Breach): string {
  const whose = of === being ? 'its own' : `${stanceOf(of)}'s`
  const bound = `${whose} ${limit} ${per === 'day' ? 'of the day' : 'in total'}`
  const mend = `set-budget on ${stanceOf(of)}`
  if (needs === null) {
    return (
      `no price of its model is known, so ${bound} cannot be kept: ` +
      `name the price, or take the limit away (${mend}), then resume ${stanceOf(being)}`
    )
  }
  const left = `a call may cost ${needs}, and of ${max} (${bound}) ${round(Math.max(0, max - used))} are left`
  return `${left}; ${mend} with at least ${round(used + needs)} lets ${stanceOf(being)} go on`
}

/** The smallest value of a limit in a line of beings, and the being that has it. */
export function tightest(
  line: readonly Pick<BeingRow, 'name' | 'budget'>[],
  limit: 'selfContinues' | 'hops' | 'births',
  most: number,
): { readonly max: number; readonly of: BeingName | null } {
  let least: { max: number; of: BeingName | null } = { max: most, of: null }
  for (const { name, budget } of line) {
    const max = budget?.[limit]
    if (max !== undefined && max < least.max) least = { max, of: name }
  }
  return least
}

/** Rounds to millionths, so that no binary fractions are shown. */
const round = (amount: number): number => Math.round(amount * MICROS) / MICROS
