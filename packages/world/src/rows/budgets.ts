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

/** Of a being that never had a budget and was never parked. */
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
 * Whether what parked a being still holds: until somebody changes that budget, or the day of a daily limit is over.
 * @param revisionOf of a being's budget, as it stands
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

/** Who met which limit, and what it would take, in one sentence. */
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

/** The least of a limit that bounds each alone, and whose it is. */
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

/** Sums of decimals would else show their binary tails. */
const round = (amount: number): number => Math.round(amount * MICROS) / MICROS
