import { readSamples, type Sample } from './prometheus.ts'

const ANSWER_MS = 5000
const QUANTILE = 0.95

export interface Moments {
  readonly act: number
  readonly see: number
  readonly failure: number
  readonly skipped: number
  /** how often each code failed a moment, or each reason skipped one */
  readonly reasons: Readonly<Record<string, number>>
}

export interface Wakes {
  /** wakes that no moment has taken; those that wait for a person are left out */
  readonly waiting: number
  /** age of the oldest of them; 0 when nothing waits */
  readonly oldestSeconds: number
}

export interface ModelCalls {
  readonly calls: number
  /** answered, but the answer could not be used */
  readonly failures: number
  /** no usable connection or a busy provider: tried again */
  readonly lost: number
  readonly promptTokens: number
  readonly completionTokens: number
}

export interface Beat {
  readonly name: string
  readonly meanSeconds: number
  readonly p95Seconds: number
}

/** What workers have to do now. */
export interface Load {
  /** share of the time of the busiest worker's event loop, 0 to 1 */
  readonly busy: number
  /** steps of moments that wait for their turn, in all workers */
  readonly stepsWaiting: number
  /** minds that all workers ask now */
  readonly mindsAsked: number
}

/** What workers have counted since they started, all together. */
export interface Vitals {
  readonly moments: Moments
  readonly models: ModelCalls
  /** null before the first beat */
  readonly slowestBeat: Beat | null
  /** of the whole reality; null while no worker reaches Postgres */
  readonly wakes: Wakes | null
  /** null while none has begun */
  readonly load: Load | null
}

/**
 * Asks workers for their metrics, all at once.
 * @returns vitals null when none answered; `silent` are the URLs which did not within 5 s
 */
export async function readVitals(
  urls: readonly string[],
): Promise<{ vitals: Vitals | null; silent: string[] }> {
  const answers = await Promise.all(urls.map(scrape))
  const heard = answers.filter((answer) => answer !== null)
  return {
    vitals: heard.length === 0 ? null : sumUp(heard),
    silent: urls.filter((_, i) => answers[i] === null),
  }
}

/** @returns null when nothing answers, or what answers is not our worker */
async function scrape(url: string): Promise<string | null> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS), redirect: 'error' })
    const text = await response.text()
    return response.ok && /^treeos_/m.test(text) ? text : null
  } catch {
    return null
  }
}

/** @param answers of the workers, in the Prometheus text format */
export function sumUp(answers: readonly string[]): Vitals {
  const all = new Samples(answers.flatMap(readSamples))
  const outcome = (kind: string) => all.sum('treeos_moments_total', { outcome: kind })
  const answer = (kind: string) => all.sum('treeos_model_calls_total', { answer: kind })
  const tokens = (kind: string) => all.sum('treeos_model_tokens_total', { kind })
  const reasons = all.by('treeos_moments_total', 'reason').filter(([reason]) => reason !== '')
  return {
    moments: {
      act: outcome('act'),
      see: outcome('see'),
      failure: outcome('failure'),
      skipped: outcome('skipped'),
      reasons: Object.fromEntries(reasons),
    },
    models: {
      calls: all.sum('treeos_model_calls_total'),
      failures: answer('failure'),
      lost: answer('lost'),
      promptTokens: tokens('prompt'),
      completionTokens: tokens('completion'),
    },
    slowestBeat: slowest(all),
    wakes: wakesOf(all),
    load: loadOf(all),
  }
}

class Samples {
  readonly #all: readonly Sample[]

  constructor(all: readonly Sample[]) {
    this.#all = all
  }

  of(name: string, labels: Readonly<Record<string, string>> = {}): Sample[] {
    const wanted = Object.entries(labels)
    return this.#all.filter(
      (sample) => sample.name === name && wanted.every(([label, value]) => sample.labels[label] === value),
    )
  }

  /** Values of those that know one. */
  told(name: string): number[] {
    return this.of(name).flatMap(({ value }) => (Number.isNaN(value) ? [] : [value]))
  }

  sum(name: string, labels?: Readonly<Record<string, string>>): number {
    return this.of(name, labels).reduce((sum, { value }) => sum + value, 0)
  }

  /** Sums by the values of a label, in the order they come. */
  by(name: string, label: string): [string, number][] {
    const sums = new Map<string, number>()
    for (const { labels, value } of this.of(name)) {
      const of = labels[label] ?? ''
      sums.set(of, (sums.get(of) ?? 0) + value)
    }
    return [...sums]
  }
}

/** Each worker reports the same inboxes at slightly different times. Takes the worst. */
function wakesOf(all: Samples): Wakes | null {
  const waiting = all.told('treeos_inbox_waiting')
  if (waiting.length === 0) return null
  return {
    waiting: Math.max(...waiting),
    oldestSeconds: Math.max(0, ...all.told('treeos_inbox_oldest_seconds')),
  }
}

function loadOf(all: Samples): Load | null {
  const busy = all.told('treeos_worker_busy_ratio')
  if (busy.length === 0) return null
  return {
    busy: Math.max(...busy),
    stepsWaiting: sum(all.told('treeos_worker_steps_waiting')),
    mindsAsked: sum(all.told('treeos_worker_minds_asked')),
  }
}

const sum = (values: readonly number[]) => values.reduce((all, one) => all + one, 0)

function slowest(all: Samples): Beat | null {
  const beats = all
    .by('treeos_beat_seconds_count', 'beat')
    .filter(([, count]) => count > 0)
    .map(([name, count]): Beat => {
      const meanSeconds = all.sum('treeos_beat_seconds_sum', { beat: name }) / count
      return { name, meanSeconds, p95Seconds: quantile(all, name, count) }
    })
  return beats.sort((a, b) => b.p95Seconds - a.p95Seconds || b.meanSeconds - a.meanSeconds)[0] ?? null
}

/** The estimate of Prometheus: even within a bucket; beyond the last bucket, its bound. */
function quantile(all: Samples, beat: string, count: number): number {
  const bounds = [
    ...new Set(all.of('treeos_beat_seconds_bucket', { beat }).map(({ labels }) => labels.le ?? '')),
  ]
    .map((le) => ({ le, seconds: le === '+Inf' ? Infinity : Number(le) }))
    .sort((a, b) => a.seconds - b.seconds)
  const rank = QUANTILE * count
  let [fromSeconds, below] = [0, 0]
  for (const { le, seconds } of bounds) {
    const upTo = all.sum('treeos_beat_seconds_bucket', { beat, le })
    if (upTo >= rank) {
      if (seconds === Infinity) return fromSeconds
      return fromSeconds + ((seconds - fromSeconds) * (rank - below)) / (upTo - below)
    }
    ;[fromSeconds, below] = [seconds, upTo]
  }
  return fromSeconds
}
