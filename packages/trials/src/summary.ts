import type { StopReason, TrialModels } from './models.ts'
import type { Verdict } from './moment.ts'
import type { TrialScore } from './score.ts'
import type { Bar, Trial } from './shape.ts'
import type { TrialLine } from './trial-line.ts'

/** Shares are parts of all moments that were asked again, from 0 to 1. */
export interface CandidateSummary {
  readonly moments: number
  /** decided the same, word for word */
  readonly same: number
  readonly differs: number
  readonly refused: number
  readonly asks: number
  readonly failed: number
  readonly skipped: number
  /** in the currency of the prices; null when that of a call is not known */
  readonly cost: number | null
  /** the median of the calls; null without one */
  readonly seconds: number | null
  readonly secondsP95: number | null
  /** means; null when a scorer failed at every moment */
  readonly scores: Readonly<
    Record<string, { readonly mean: number | null; readonly of: number; readonly errors: number }>
  >
}

export interface JudgedBar extends Bar {
  readonly candidate: string
  /** null when nothing was measured */
  readonly value: number | null
  readonly ok: boolean
}

export interface TrialSummary {
  readonly moments: number
  /** past moments of which nothing can be said, since what they read was erased */
  readonly erased: number
  readonly calls: number
  readonly kept: number
  readonly tokens: number
  /** of the calls that were made now; of one whose cost is not known, the most that it can have cost */
  readonly cost: number
  readonly seconds: number
  /** null: all was asked */
  readonly stopped: StopReason | null
  readonly seed: number
  readonly candidates: Readonly<Record<string, CandidateSummary>>
  readonly bars: readonly JudgedBar[]
  readonly ok: boolean
}

const MICROS = 1_000_000

export function summarize(
  trial: Trial,
  lines: readonly TrialLine[],
  {
    asking,
    stopped,
    erased,
    moments,
    seconds,
  }: {
    readonly asking: Pick<TrialModels, 'calls' | 'kept' | 'tokens' | 'micros'>
    readonly stopped: StopReason | null
    readonly erased: number
    readonly moments: number
    readonly seconds: number
  },
): TrialSummary {
  const names = Object.keys(trial.candidates)
  const candidates = Object.fromEntries(
    names.map((name) => [
      name,
      summaryOf(
        trial,
        lines.filter(({ candidate }) => candidate === name),
      ),
    ]),
  )
  const bars = trial.bars.flatMap((bar) =>
    (bar.candidate === undefined ? names : [bar.candidate]).map((name) =>
      judgeBar(bar, name, candidates[name]),
    ),
  )
  const { calls, kept, tokens, micros } = asking
  return {
    ...{ moments, erased, calls, kept, tokens, cost: micros / MICROS, seconds, stopped, seed: trial.seed },
    candidates,
    bars,
    ok: stopped === null && bars.every((bar) => bar.ok),
  }
}

function summaryOf({ scorers }: Trial, lines: readonly TrialLine[]): CandidateSummary {
  const share = (count: number) => (lines.length === 0 ? 0 : rounded(count / lines.length))
  const of = (verdict: Verdict) => share(lines.filter(({ would }) => would.verdict === verdict).length)
  const same = lines.filter((line) => line.same).length
  const called = lines.filter(({ would }) => would.model !== null)
  const waits = called.flatMap(({ seconds }) => seconds ?? []).sort((a, b) => a - b)
  const costs = called.map(({ cost }) => cost)
  return {
    moments: lines.length,
    ...{ same: share(same), differs: share(lines.length - same) },
    ...{ refused: of('refused'), asks: of('asks'), failed: of('failed'), skipped: of('skipped') },
    cost: costs.includes(null) ? null : rounded(costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0)),
    seconds: atShare(waits, 0.5),
    secondsP95: atShare(waits, 0.95),
    scores: Object.fromEntries(
      Object.keys(scorers).map((name) => [name, meanOf(lines.flatMap(({ scores }) => scores[name] ?? []))]),
    ),
  }
}

const atShare = (sorted: readonly number[], share: number): number | null =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? null

function meanOf(scored: readonly TrialScore[]) {
  const scores = scored.flatMap((one) => ('score' in one ? one.score : []))
  const mean = scores.length === 0 ? null : rounded(scores.reduce((sum, one) => sum + one, 0) / scores.length)
  return { mean, of: scores.length, errors: scored.length - scores.length }
}

/** A score of which some are missing does not count: it passes no bar. */
function judgeBar(bar: Bar, candidate: string, found: CandidateSummary | undefined): JudgedBar {
  const value = found === undefined || found.moments === 0 ? null : measured(bar.metric, found)
  const { atLeast = Number.NEGATIVE_INFINITY, atMost = Number.POSITIVE_INFINITY } = bar
  return { ...bar, candidate, value, ok: value !== null && value >= atLeast && value <= atMost }
}

function measured(metric: string, found: CandidateSummary): number | null {
  const [, score] = metric.split('scores.')
  if (score === undefined) return found[metric as 'same' | 'cost'] ?? null
  const { mean, errors } = found.scores[score] ?? { mean: null, errors: 0 }
  return errors > 0 ? null : mean
}

const rounded = (value: number): number => Math.round(value * MICROS) / MICROS
