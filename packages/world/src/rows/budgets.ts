import {
  type Account,
  type BeingName,
  type Breach,
  type Budget,
  canonicalJson,
  fromJson,
  type JsonObject,
  MICROS,
  stanceOf,
} from '@treeos/core'
import type { BeingRow } from './rows.ts'

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

export function resumed({ parked: _over, ...row }: BeingRow): BeingRow {
  return row
}

/**
 * Whether a being is still parked. It is free when the budget that parked it was changed, or the day of a daily limit is over.
 * @param revisionOf current revision of a being's budget
 * @param now ms since 1970 UTC
 */
export function isParked(
  { parked }: BeingRow,
  revisionOf: (being: BeingName) => number,
  now: number,
): boolean {
  if (parked === undefined || parked.revision !== revisionOf(parked.of)) return false
  return parked.until === null || now < parked.until
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
  limit: 'selfContinues' | 'hops',
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
