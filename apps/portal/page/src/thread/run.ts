import { momentKey, runKeyOf } from '../words/run-key.ts'
import type { ThreadLine } from '../words/SaidLine.tsx'
import type { ThreadMoment } from '../words/thread-moments.ts'

/** A moment of a thread, or a wake in it that has none yet. */
export interface RunRow {
  /** the same as that of its lines in the story */
  readonly key: string
  /** a stance */
  readonly being: string
  /** null: it waits */
  readonly n: number | null
  /** ms since 1970 UTC */
  readonly from: number
  readonly to: number
  readonly outcome: ThreadMoment['outcome'] | 'open'
}

/** Stretches of a run, each from and to a time in ms. */
type Span = Pick<RunRow, 'from' | 'to'>

type RunMoment = Pick<ThreadMoment, 'being' | 'n' | 'openedAt' | 'endedAt' | 'outcome' | 'cost'>
type RunLine = Pick<ThreadLine, 'id' | 'to' | 'at' | 'isOpen' | 'notice' | 'moment'>

/** The moments of a thread in the order in which they began, and what waits. @param now ms since 1970 UTC */
export function runOf(moments: readonly RunMoment[], lines: readonly RunLine[], now: number): RunRow[] {
  const lived = moments.map(
    ({ being, n, openedAt, endedAt, outcome }): RunRow => ({
      key: momentKey(being, n),
      being,
      n,
      from: Date.parse(openedAt),
      to: Date.parse(endedAt),
      outcome,
    }),
  )
  const open = lines
    .filter(({ isOpen, notice, moment }) => isOpen && !notice && moment === null)
    .map((line): RunRow => {
      const from = Date.parse(line.at)
      return { key: runKeyOf(line), being: line.to, n: null, from, to: Math.max(from, now), outcome: 'open' }
    })
  return [...lived, ...open].sort((a, b) => a.from - b.from || a.to - b.to)
}

/** An idle stretch is drawn at most this long, as a share of all busy ones together. */
const IDLE_SHARE = 0.05
/** Least length of a run, in ms, so that moments that took no time have a width. */
const SPAN_MS_MIN = 1

/**
 * Where times stand in a run, from 0 to 1. Threads rest for days between moments of seconds: such stretches
 * are cut short, so that all that happened can be seen.
 */
export function axisOf(spans: readonly Span[]): (at: number) => number {
  const busy: { from: number; to: number }[] = []
  for (const { from, to } of [...spans].sort((a, b) => a.from - b.from)) {
    const last = busy.at(-1)
    const end = Math.max(to, from + SPAN_MS_MIN)
    if (last !== undefined && from <= last.to) last.to = Math.max(last.to, end)
    else busy.push({ from, to: end })
  }
  const idleMax = IDLE_SHARE * busy.reduce((sum, { from, to }) => sum + to - from, 0)
  let length = 0
  const stretches = busy.map(({ from, to }, i) => {
    const before = busy[i - 1]
    if (before !== undefined) length += Math.min(from - before.to, idleMax)
    const begin = length
    length += to - from
    return { from, to, begin }
  })
  return (at) => {
    const stretch = stretches.findLast(({ from }) => at >= from)
    return stretch === undefined ? 0 : (stretch.begin + Math.min(at, stretch.to) - stretch.from) / length
  }
}

export interface RunTotals {
  readonly beings: number
  readonly moments: number
  /** what its moments took, added up */
  readonly ms: number
  readonly tokens: number
  /** in the currency of the price list */
  readonly money: number
}

export function totalsOf(moments: readonly RunMoment[]): RunTotals {
  const sum = (of: (moment: RunMoment) => number) => moments.reduce((all, one) => all + of(one), 0)
  return {
    beings: new Set(moments.map(({ being }) => being)).size,
    moments: moments.length,
    ms: sum(({ openedAt, endedAt }) => Date.parse(endedAt) - Date.parse(openedAt)),
    tokens: sum(({ cost }) => cost?.tokens ?? 0),
    money: sum(({ cost }) => cost?.money ?? 0),
  }
}
