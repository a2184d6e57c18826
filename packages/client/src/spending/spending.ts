import { type BeingName, stanceOf } from '@treeos/core'
import type { Presence } from '@treeos/reality'
import type { LateMoment } from '@treeos/store'
import { lateMoments } from '../moments/lately.ts'
import { subjectsOf } from '../threads/threads.ts'

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
  /**
   * a stance, a role, a space, a model, the id of a thread or a day such as `2026-11-30`; null: no role was worn,
   * its being is nowhere, no model was called, nothing woke it
   */
  readonly name: string | null
}

export interface ThreadTally extends NamedTally {
  /** what the thread began with, shortened; null where nothing of it may be read */
  readonly subject: string | null
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

/** Moments that failed with one code and one message. */
export interface FailureCause {
  readonly reason: string | null
  readonly message: string | null
  readonly count: number
  readonly newest: FailedMoment
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
  /** by where their beings are now */
  readonly spaces: readonly NamedTally[]
  readonly models: readonly NamedTally[]
  readonly threads: readonly ThreadTally[]
  /** in the time zone of the reality, the newest first */
  readonly days: readonly NamedTally[]
  /** the most frequent first */
  readonly causes: readonly FailureCause[]
  /** newest first */
  readonly failures: readonly FailedMoment[]
  /** false: more moments ended than were counted */
  readonly isAll: boolean
}

const PARTS = 24
const NAMES_MAX = 50
const FAILURES_MAX = 50
const CAUSES_MAX = 100

/**
 * What moments of the last hours cost and how they ended, by being, role, space, model, thread and day. Only
 * beings count whose past the caller may read.
 * @throws {TreeosError} as `authorizeActingAs`
 */
export async function spending(
  at: Presence,
  as: BeingName,
  { seconds }: { readonly seconds: number },
): Promise<SpendingReport> {
  const { of, moments, isAll } = await lateMoments(at, as, seconds)
  const threads = talliesBy(moments, ({ thread }) => thread)
  const subjects = await subjectsOf(
    at.db,
    threads.flatMap(({ name }) => name ?? []),
    of,
  )
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
    spaces: talliesBy(moments, ({ space }) => space),
    models: talliesBy(moments, ({ model }) => model),
    threads: threads.map((one) => ({ ...one, subject: subjects.get(one.name ?? '') ?? null })),
    days: talliesByDay(moments, at.reality.timeZone),
    causes: causesOf(moments),
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

/** @param moments newest first */
export const causesOf = (moments: readonly LateMoment[]): FailureCause[] =>
  [
    ...Map.groupBy(moments.filter(isFailure), ({ reason, detail }) =>
      JSON.stringify([reason, detail]),
    ).values(),
  ]
    .flatMap((some) => {
      const newest = some[0] && failedOf(some[0])
      if (newest === undefined) return []
      return [{ reason: newest.reason, message: newest.message, count: some.length, newest }]
    })
    .sort((a, b) => b.count - a.count)
    .slice(0, CAUSES_MAX)

/** @param moments newest first */
export function talliesByDay(moments: readonly LateMoment[], timeZone: string): NamedTally[] {
  const day = new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' })
  return [...Map.groupBy(moments, ({ sealedAt }) => day.format(sealedAt))].map(([name, some]) => ({
    name,
    ...tallyOf(some),
  }))
}

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
