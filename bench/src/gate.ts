import { benchmarks, type Flags } from './benchmarks.ts'

/**
 * One ratio that must not get worse. It compares with a baseline of the same run, so it holds on any machine.
 */
interface Threshold {
  readonly benchmark: string
  /** how the benchmark is run for it; left out: as without flags */
  readonly under?: Partial<Flags>
  readonly what: string
  /** where the ratio stands in the benchmark's result */
  readonly at: readonly string[]
  readonly min?: number
  readonly max?: number
}

const turns = (ratio: string, min: number): Threshold => ({
  benchmark: 'moment',
  what: `turns a second, ${ratio}`,
  at: ['ratios', 'turnsPerSecond', ratio],
  min,
})
const grown = (whose: 'oneBeing' | 'manyBeings', what: string, max: number): Threshold => ({
  benchmark: 'growth',
  what: `${whose === 'oneBeing' ? 'one being' : 'many beings'}, ${what} of a moment, last tenth over first`,
  at: [whose, 'lastOverFirst', what],
  max,
})

/** Many beings at once, and a model that takes a second, beside the quickest of the others. */
const CROWD = { beings: '500', only: 'llm,langgraph' } as const
const SLOW = { beings: '200', 'think-ms': '1000', only: 'llm,langgraph' } as const

/** Somewhat worse than docs/performance.md reports, since single runs differ by a tenth and more. */
export const THRESHOLDS: readonly Threshold[] = [
  turns('llm/plain', 1.75),
  turns('llm/lean', 1.2),
  turns('llm/langgraph', 0.6),
  turns('scripted/lean', 1.85),
  turns('scripted/langgraph', 0.95),
  { ...turns('llm/langgraph', 0.25), what: 'turns a second of 500 beings, llm/langgraph', under: CROWD },
  {
    benchmark: 'moment',
    under: CROWD,
    what: 'a turn of 500 beings, 95th percentile over the median',
    at: ['ratios', 'p95OverP50', 'llm'],
    max: 3,
  },
  {
    ...turns('llm/langgraph', 0.3),
    what: 'turns a second of 200 beings whose model takes a second, llm/langgraph',
    under: SLOW,
  },
  {
    benchmark: 'replay',
    what: 'moments replayed over moments read, a second',
    at: ['ratios', 'replay/reading'],
    min: 0.25,
  },
  {
    benchmark: 'evaluate',
    what: 'time of the fastest library over ours, 10 clauses',
    at: ['sizes', '10 clauses', 'targets', 'fastestLibrary', 'times'],
    min: 8,
  },
  {
    benchmark: 'evaluate',
    what: 'time of the fastest library over ours, 100 clauses',
    at: ['sizes', '100 clauses', 'targets', 'fastestLibrary', 'times'],
    min: 12,
  },
  grown('oneBeing', 'cpuMs', 1.05),
  grown('oneBeing', 'historyBytes', 1.05),
  grown('oneBeing', 'postgresBytes', 1.05),
  {
    benchmark: 'growth',
    what: 'one being, bytes that a moment leaves in both stores',
    at: ['oneBeing', 'storedBytesPerMoment'],
    max: 8_000,
  },
  // the aim is 1.05; the core of Temporal's SDK walks through all beings that it holds
  grown('manyBeings', 'cpuMs', 1.8),
  grown('manyBeings', 'historyBytes', 1.05),
  grown('manyBeings', 'postgresBytes', 1.05),
]

export interface Verdict {
  readonly benchmark: string
  readonly what: string
  readonly value: number | null
  readonly wanted: string
  readonly isMet: boolean
}

/** Runs every benchmark that has thresholds and judges their results. @param only some of them, by name */
export async function gate(
  flags: Flags,
  only: readonly string[],
  onProgress: (line: string) => void,
): Promise<{ gate: readonly Verdict[]; results: readonly unknown[] }> {
  const wanted = benchmarks.filter(({ name }) => isGated(name) && (only.length === 0 || only.includes(name)))
  const verdicts: Verdict[] = []
  const results: unknown[] = []
  for (const benchmark of wanted) {
    const mine = THRESHOLDS.filter((one) => one.benchmark === benchmark.name)
    for (const [under, ofOneRun] of Map.groupBy(mine, ({ under }) => under)) {
      onProgress(`gate: ${[benchmark.name, ...Object.entries(under ?? {}).flat()].join(' ')}`)
      const result = await benchmark.run({ ...flags, only: undefined, ...under }, onProgress)
      results.push(result)
      verdicts.push(...ofOneRun.map((one) => judge(one, result)))
    }
  }
  return { gate: verdicts, results }
}

/** Names of the benchmarks that have thresholds. */
export const GATED = [...new Set(THRESHOLDS.map(({ benchmark }) => benchmark))]
const isGated = (name: string) => GATED.includes(name)

/** A ratio that the result does not have is not met. */
export function judge({ benchmark, what, at, min, max }: Threshold, result: unknown): Verdict {
  const found = at.reduce<unknown>(
    (value, key) => (value as Record<string, unknown> | undefined)?.[key],
    result,
  )
  const value = typeof found === 'number' && Number.isFinite(found) ? found : null
  const isMet =
    value !== null && value >= (min ?? Number.NEGATIVE_INFINITY) && value <= (max ?? Number.POSITIVE_INFINITY)
  return { benchmark, what, value, wanted: min === undefined ? `at most ${max}` : `at least ${min}`, isMet }
}

export function showVerdicts(verdicts: readonly Verdict[]): string {
  return verdicts
    .map(({ isMet, benchmark, what, value, wanted }) => {
      return `${isMet ? '✓' : '✗'} ${benchmark}: ${what}: ${value ?? 'not measured'} (${wanted})`
    })
    .join('\n')
}
