import { type BeingName, stanceOf } from '@treeos/core'
import type { Presence } from '@treeos/reality'
import type { LateMoment } from '@treeos/store'
import { lateMoments } from '../moments/lately.ts'

/** What moments together cost, took and came to. */
export interface Tally {
  readonly moments: number
  readonly failures: number
  readonly tokens: number
  /** in the currency of the price list */
  readonly money: number
  /** how long half of them took at most, and all but one in twenty; null without one that was opened */
  readonly seconds: { readonly p50: number; readonly p95: number } | null
}

export interface NamedTally extends Tally {
  /** a stance, a role, a model or the id of a thread; null: no role was worn, no model called, nothing woke it */
  readonly name: string | null
}

/** A moment that failed. */
export interface FailedMoment {
  readonly being: string
  readonly n: number
  /** ISO 8601, UTC */
  readonly at: string
  readonly role: string | null
  readonly model: string | null
  readonly reason: string | null
  readonly message: string | null
}

/** Cost and health over time, as far as one may look back. */
export interface SpendingReport {
  /** ISO 8601, UTC */
  readonly since: string
  readonly all: Tally
  /** of equal parts of the time, oldest first */
  readonly parts: readonly (Tally & { readonly from: string })[]
  readonly beings: readonly NamedTally[]
  readonly roles: readonly NamedTally[]
  readonly models: readonly NamedTally[]
  readonly threads: readonly NamedTally[]
  /** newest first */
  readonly failures: readonly FailedMoment[]
  /** false: more moments ended than were counted */
  readonly isAll: boolean
}

const PARTS = 24
const NAMES_MAX = 50
const FAILURES_MAX = 50

/**
 * What moments of the last hours cost and how they ended, by being, role, model and thread. Only beings count whose
 * past the caller may read.
 * @throws {TreeosError} as `authorizeActingAs`
 */
export async function spending(
  at: Presence,
  as: BeingName,
  { seconds }: { readonly seconds: number },
): Promise<SpendingReport> {
  const { moments, isAll } = await lateMoments(at, as, seconds)
  const since = Date.now() - seconds * 1000
  const width = (seconds * 1000) / PARTS
  const parts = Map.groupBy(moments, ({ sealedAt }) =>
    Math.min(PARTS - 1, Math.max(0, Math.floor((sealedAt - since) / width))),
  )
  return {
    since: new Date(since).toISOString(),
    all: tallyOf(moments),
    parts: Array.from({ length: PARTS }, (_, i) => ({
      from: new Date(since + i * width).toISOString(),
      ...tallyOf(parts.get(i) ?? []),
    })),
    beings: talliesBy(moments, ({ being }) => stanceOf(being)),
    roles: talliesBy(moments, ({ role }) => role),
    models: talliesBy(moments, ({ model }) => model),
    threads: talliesBy(moments, ({ thread }) => thread),
    failures: moments.filter(isFailure).slice(0, FAILURES_MAX).map(failedOf),
    isAll,
  }
}

const isFailure = ({ kind }: LateMoment): boolean => kind === 'failure'

const failedOf = ({ being, n, sealedAt, role, model, reason, detail }: LateMoment): FailedMoment => ({
  being: stanceOf(being),
  n,
  at: new Date(sealedAt).toISOString(),
  role,
  model,
  reason,
  message: detail,
})

/** What cost most comes first, then what happened most. */
export const talliesBy = (
  moments: readonly LateMoment[],
  nameOf: (moment: LateMoment) => string | null,
): NamedTally[] =>
  [...Map.groupBy(moments, nameOf)]
    .map(([name, some]) => ({ name, ...tallyOf(some) }))
    .sort((a, b) => b.money - a.money || b.tokens - a.tokens || b.moments - a.moments)
    .slice(0, NAMES_MAX)

export function tallyOf(moments: readonly LateMoment[]): Tally {
  const took = moments
    .flatMap(({ openedAt, sealedAt }) => (openedAt === null ? [] : [Math.max(0, sealedAt - openedAt) / 1000]))
    .sort((a, b) => a - b)
  const sum = (of: (moment: LateMoment) => number) => moments.reduce((all, one) => all + of(one), 0)
  return {
    moments: moments.length,
    failures: moments.filter(isFailure).length,
    tokens: sum(({ tokens }) => tokens),
    money: sum(({ money }) => money),
    seconds: took.length === 0 ? null : { p50: quantile(took, 0.5), p95: quantile(took, 0.95) },
  }
}

const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
