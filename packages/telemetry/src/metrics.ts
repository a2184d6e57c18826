import { MICROS, type MomentId, OUTCOMES } from '@treeos/core'
import {
  countParked,
  type Db,
  listDifferingStacks,
  listWorkers,
  measureInboxes,
  measurePeoplesInboxes,
  readJournal,
} from '@treeos/store'
import { sql } from 'kysely'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { nextEntries } from './follow.ts'

/** Moments take milliseconds with a script, and seconds to minutes with a model. */
const SECONDS_BUCKETS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300]
/** Pages of the journal that one scrape reads at most: the next one goes on. */
const PAGES_MAX = 50
/** How long one waits for appends that are under way. */
const WAIT_MS_MAX = 5_000
/**
 * Names that a label may say; what comes after them is `other`, so that no name of others makes series
 * without end.
 */
const NAMES_MAX = 50
const NAME = /^[\w.:@/ +-]{1,80}$/

/** What labels can say. `model` and `code` are bounded by {@link NAMES_MAX}. */
export const REALITY_LABELS: Readonly<Record<string, readonly string[] | null>> = {
  cognition: ['llm', 'human', 'scripted', 'paused', 'other'],
  outcome: OUTCOMES,
  kind: ['prompt', 'completion'],
  model: null,
  code: null,
}

interface CountedMomentRow {
  readonly outcome: string
  readonly reason: string | null
  readonly cognition: string | null
  /** from its opening to its end */
  readonly seconds: number
  readonly model: string | null
  readonly prompt: number | null
  readonly completion: number | null
  readonly model_seconds: number | null
  readonly micros: string | null
}

function openMetrics(): Registry {
  const registry = new Registry()
  registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE as never) // its types know the older text alone
  return registry
}

/**
 * The numbers of a reality, made from its record: counts of moments since this began to look, and what waits
 * now. Each scrape reads the moments that ended since the one before. Labels hold classes, codes and names of
 * models, never a being or a content.
 */
export class RealityMetrics {
  readonly registry = openMetrics()
  readonly #db: Db
  readonly #countFailing: () => Promise<number | null>
  readonly #names = { model: new Set<string>(), code: new Set<string>() }
  /** the last entry of the journal that was counted; null before the first look */
  #entry: number | null = null
  #counting: Promise<void> = Promise.resolve()

  readonly #moments = this.#counter('treeos_reality_moments', 'Moments that ended.', ['cognition', 'outcome'])
  readonly #failures = this.#counter(
    'treeos_reality_failures',
    'Moments that failed or were skipped, by the code or the reason.',
    ['cognition', 'code'],
  )
  readonly #tokens = this.#counter('treeos_reality_model_tokens', 'Tokens that models reported.', [
    'model',
    'kind',
  ])
  readonly #cost = this.#counter(
    'treeos_reality_model_cost',
    'Money that calls cost, by the price list of the instance; of a call whose cost is not known, what was reserved.',
    ['model'],
  )
  readonly #seconds = this.#histogram(
    'treeos_reality_moment_seconds',
    'From the opening of a moment to its end.',
    ['cognition'],
  )
  readonly #modelSeconds = this.#histogram(
    'treeos_reality_model_seconds',
    'How long calls of a model took.',
    ['model'],
  )
  readonly #beings = this.#gauge('treeos_reality_beings', 'Beings that have not ended.', ['cognition'])
  readonly #parked = this.#gauge('treeos_reality_parked', 'Beings that a budget has parked.')
  readonly #differing = this.#gauge(
    'treeos_reality_stacks_differ',
    'Moments about whose stack worker and workflow disagree: their beings live no more.',
  )
  readonly #workers = this.#gauge('treeos_reality_workers', 'Workers that live, wherever they run.')
  readonly #failing = this.#gauge(
    'treeos_reality_runs_failing',
    'Runs of beings whose workflow tasks fail again and again; NaN where Temporal does not tell.',
  )
  readonly #approvals = this.#gauge(
    'treeos_reality_approvals_waiting',
    'Calls that wait for the yes of a person.',
  )
  readonly #wakes = this.#gauge('treeos_reality_wakes_waiting', 'Wakes that no moment has taken yet.')
  readonly #wakesAge = this.#gauge('treeos_reality_wakes_oldest_seconds', 'Age of the oldest of them.')
  readonly #wakesMedian = this.#gauge('treeos_reality_wakes_median_seconds', 'Half of them wait for longer.')
  readonly #wakesOfPeople = this.#gauge(
    'treeos_reality_wakes_of_people_oldest_seconds',
    'Age of the oldest of those that a person caused.',
  )
  readonly #people = this.#gauge('treeos_reality_people_waiting', 'Entries that wait for people.')

  /** @param countFailing runs of beings whose workflow tasks fail; null where Temporal does not tell */
  constructor(db: Db, countFailing: () => Promise<number | null>) {
    this.#db = db
    this.#countFailing = countFailing
  }

  #counter(name: string, help: string, labelNames: string[]): Counter {
    return new Counter({ name, help, labelNames, registers: [this.registry] })
  }

  #histogram(name: string, help: string, labelNames: string[]): Histogram {
    return new Histogram({ name, help, labelNames, buckets: SECONDS_BUCKETS, registers: [this.registry] })
  }

  #gauge(name: string, help: string, labelNames: string[] = []): Gauge {
    return new Gauge({ name, help, labelNames, registers: [this.registry] })
  }

  /** The text of one scrape, in OpenMetrics. @throws while Postgres does not answer */
  async scrape(): Promise<{ readonly contentType: string; readonly text: string }> {
    // Scrapes at one time count each moment once.
    const mine = this.#counting.catch(() => undefined).then(() => this.#count())
    this.#counting = mine
    await mine
    await this.#measure()
    return { contentType: Registry.OPENMETRICS_CONTENT_TYPE, text: await this.registry.metrics() }
  }

  async #count(): Promise<void> {
    this.#entry ??= (await readJournal(this.#db, 0, 1)).newest
    for (let page = 0; page < PAGES_MAX; page++) {
      const { upTo, moments } = await nextEntries(this.#db, this.#entry, AbortSignal.timeout(WAIT_MS_MAX))
      if (upTo === this.#entry) return
      for (const row of await readRows(this.#db, moments)) this.#add(row)
      this.#entry = upTo
    }
  }

  #add(row: CountedMomentRow): void {
    const cognition = this.#known('cognition', row.cognition)
    this.#moments.inc({ cognition, outcome: row.outcome })
    this.#seconds.observe({ cognition }, Math.max(0, row.seconds))
    if (row.outcome === 'failure' || row.outcome === 'skipped')
      this.#failures.inc({ cognition, code: this.#bounded('code', row.reason) })
    if (row.model === null) return
    const model = this.#bounded('model', row.model)
    this.#tokens.inc({ model, kind: 'prompt' }, row.prompt ?? 0)
    this.#tokens.inc({ model, kind: 'completion' }, row.completion ?? 0)
    this.#cost.inc({ model }, Number(row.micros ?? 0) / MICROS)
    if (row.model_seconds !== null) this.#modelSeconds.observe({ model }, row.model_seconds)
  }

  #known(label: string, value: string | null): string {
    return value !== null && REALITY_LABELS[label]?.includes(value) === true ? value : 'other'
  }

  #bounded(label: 'model' | 'code', value: string | null): string {
    const names = this.#names[label]
    if (value === null || !NAME.test(value)) return 'other'
    if (names.size < NAMES_MAX) names.add(value)
    return names.has(value) ? value : 'other'
  }

  async #measure(): Promise<void> {
    const [workers, failing, inboxes, people, parked, differing, { rows }] = await Promise.all([
      listWorkers(this.#db),
      this.#countFailing().catch(() => null), // Postgres is told of also while Temporal is away
      measureInboxes(this.#db),
      measurePeoplesInboxes(this.#db),
      countParked(this.#db),
      listDifferingStacks(this.#db),
      sql<{ cognition: string | null; beings: string; approvals: string }>`
        select cognition, count(*) filter (where key like 'being:%') as beings,
          count(*) filter (where key like 'approval:%') as approvals
        from treeos.projection
        where key like 'being:%' and not treeos.has_ended(substr(key, 7))
          or found_as = 'asked'
        group by cognition`.execute(this.#db),
    ])
    this.#workers.set(workers.length)
    this.#failing.set(failing ?? Number.NaN)
    this.#wakes.set(inboxes.waiting)
    this.#wakesAge.set(inboxes.oldestSeconds)
    this.#wakesMedian.set(inboxes.medianSeconds)
    this.#wakesOfPeople.set(inboxes.ofPeople.oldestSeconds)
    this.#people.set(people.waiting + people.notices)
    this.#parked.set(parked)
    this.#differing.set(differing.length)
    const beings = new Map<string, number>()
    for (const row of rows) {
      const cognition = this.#known('cognition', row.cognition)
      beings.set(cognition, (beings.get(cognition) ?? 0) + Number(row.beings))
    }
    for (const cognition of REALITY_LABELS.cognition ?? [])
      this.#beings.set({ cognition }, beings.get(cognition) ?? 0)
    this.#approvals.set(rows.reduce((sum, { approvals }) => sum + Number(approvals), 0))
  }
}

async function readRows(db: Db, moments: readonly MomentId[]): Promise<readonly CountedMomentRow[]> {
  if (moments.length === 0) return []
  const { rows } = await sql<CountedMomentRow>`
    select o.kind as outcome, o.reason, p.cognition,
      (o.sealed_at - (convert_from(o.record, 'UTF8')::json->>'openedAt')::bigint)::float8 / 1000 as seconds,
      d.usage->>'model' as model, (d.usage->>'promptTokens')::float8 as prompt,
      (d.usage->>'completionTokens')::float8 as completion, (d.usage->>'seconds')::float8 as model_seconds,
      (select sum(coalesce(settled_micros, micros)) from treeos.reservation r where r.moment = o.moment) as micros
    from treeos.moment_outcome o
      left join treeos.projection p on p.key = 'being:' || o.being
      left join treeos.moment_decision d on d.moment = o.moment
    where o.moment = any(${[...moments]}::text[])`.execute(db)
  return rows
}
