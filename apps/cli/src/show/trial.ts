import type { TrialEstimate, TrialLine, TrialSummary } from '@treeos/trials'
import { duration, oneLine, plain, table } from '../text/output.ts'
import { cut } from './parts.ts'

const WHY_CHARS = 100

export function shownTrialEstimate({
  moments,
  candidates,
  calls,
  callsOfScorers,
  costMax,
}: TrialEstimate): string {
  const scorers = callsOfScorers === 0 ? '' : ` and up to ${callsOfScorers} of scorers`
  const cost = costMax === null ? 'no price is known' : `at most ${costMax} without scorers`
  return `${moments} moments × ${candidates} candidates: up to ${calls} calls of models${scorers}; ${cost}`
}

export function shownTrialLine({ being, n, candidate, would, differs, same }: TrialLine): string {
  const why = would.message === undefined ? '' : `: ${cut(oneLine(would.message), WHY_CHARS)}`
  const what = same ? 'the same' : `differs in ${differs.join(', ')}`
  return `@${being} ${n} ${candidate}: ${would.verdict}${would.code === undefined ? '' : ` ${would.code}`}${why}; ${what}`
}

const percent = (share: number): string => `${Math.round(1000 * share) / 10}%`

export function shownTrialSummary(summary: TrialSummary): string {
  const { moments, erased, calls, kept, cost, seconds, stopped, candidates, bars } = summary
  const head = ['candidate', 'moments', 'same', 'refused', 'asks', 'failed', 'skipped', 'cost', 'median']
  const rows = Object.entries(candidates).map(([name, one]) => [
    plain(name),
    String(one.moments),
    ...[one.same, one.refused, one.asks, one.failed, one.skipped].map(percent),
    one.cost === null ? '-' : String(one.cost),
    one.seconds === null ? '-' : duration(one.seconds),
  ])
  const scores = Object.entries(candidates).flatMap(([name, one]) =>
    Object.entries(one.scores).map(
      ([score, { mean, of, errors }]) =>
        `${plain(name)} ${plain(score)}: ${mean ?? '-'} of ${of}${errors === 0 ? '' : `, ${errors} failed`}`,
    ),
  )
  return [
    `${moments} past moments, ${calls} calls of models, ${kept} answers kept before, cost ${cost}, ${duration(seconds)}`,
    ...(erased === 0 ? [] : [`${erased} of them cannot be asked again: what they read was erased`]),
    table([head, ...rows]),
    ...scores,
    ...bars.map(({ candidate, metric, atLeast, atMost, value, ok }) => {
      const least = atLeast === undefined ? '' : ` at least ${atLeast}`
      const most = atMost === undefined ? '' : ` at most ${atMost}`
      return `${ok ? '✓' : '✗'} ${plain(candidate)} ${metric}:${least}${most}, is ${value ?? 'not known'}`
    }),
    ...(stopped === null ? [] : [`stopped before all was asked: ${stopped}`]),
  ].join('\n')
}
