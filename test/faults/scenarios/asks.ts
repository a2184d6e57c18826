import { setTimeout as sleep } from 'node:timers/promises'
import type { CrashPoint } from '@treeos/activities'
import { approvals } from '@treeos/client'
import type { Json } from '@treeos/core'
import { OPERATOR } from '@treeos/world'
import { sql } from 'kysely'
import bystander, { BYSTANDER_PATH } from '../../support/bystander.ts'
import { MAIL_PATH } from '../../support/mail.ts'
import type { Experiment, WorkerHow } from '../driver.ts'
import type { Figures, Scenario } from '../scenario.ts'
import { putAct } from '../submitted-acts.ts'
import { dieAt } from './kill-points.ts'

/**
 * Every moment comes by these: that which asks, that which answers, and that which does what was approved.
 */
const POINTS: readonly CrashPoint[] = [
  'open:held',
  'stamp:after-append',
  'stamp:before-append',
  'ring:before',
  'ring:after',
  'stamp:returned',
]
/**
 * Every second worker has one extension more, so its code has another version: what one asks, another one
 * carries out.
 */
const MIXED: readonly WorkerHow[] = [
  {},
  { env: { TREEOS_EXTENSIONS: [MAIL_PATH, BYSTANDER_PATH].join(',') } },
]
/** One in so many calls gets a no. */
const DENIED_IN = 4
const POLL_MS = 100

/** Calls that wait for a yes, with workers of two versions that die in all three moments of each. */
export const asks: Scenario<{ kills: number }> = {
  name: 'asks',
  about:
    'a call that a rule asks about is done once after a yes, and never without one, wherever its workers are killed, whichever version they have',
  sizes: { test: { kills: 2 }, full: { kills: 200 }, control: { kills: 0 } },
  experiment: { persons: 4, scripted: 1, llm: 0, spends: 1, stallSeconds: 60 },
  kills: ({ kills }) => POINTS.slice(0, kills),
  async attack(experiment, { kills }, broken) {
    await experiment.askFor({ who: ['operator'], within: 3600 })
    const random = experiment.random.fork()
    const plan = [...POINTS, ...Array.from({ length: kills }, () => random.pick(POINTS))].slice(0, kills)
    const answering = new Answering(experiment)
    const died = await dieAt(experiment, random.shuffled(plan), 6, (n) => MIXED[n % MIXED.length] ?? {})
    await experiment.answered()
    const answered = await answering.end()
    broken.push(...(await judgeAsks(experiment, answered)))
    return {
      kills,
      mixedWith: bystander.name,
      ...answered.figures,
      ...(await countVersions(experiment)),
      ...died,
    }
  },
  control: {
    without: 'sabotaged attack',
    /** The rule asks nobody. */
    async attack(experiment, _size, broken) {
      await experiment.askFor(null)
      experiment.keepWorker()
      for (const person of experiment.persons) await experiment.spend(person)
      await sleep(3000)
      broken.push(...(await judgeAsks(experiment, { denied: new Set(), figures: {} })))
      return {}
    },
    sign: /was done without a yes/,
  },
}

interface Answered {
  /** ids of the calls that got a no */
  readonly denied: ReadonlySet<string>
  readonly figures: Figures
}

/** Answers every call that waits, as the operator does. */
class Answering {
  readonly #experiment: Experiment
  readonly #denied = new Set<string>()
  readonly #seen = new Set<string>()
  readonly #done: Promise<void>
  #stopped = false

  constructor(experiment: Experiment) {
    this.#experiment = experiment
    this.#done = this.#run()
    this.#done.catch(() => undefined) // told by `end`
  }

  async #run(): Promise<void> {
    for (let left = true; left || !this.#stopped; await sleep(POLL_MS)) left = await this.#answerAll()
  }

  /** @returns whether something still waits for its answer, or for what comes of it */
  async #answerAll(): Promise<boolean> {
    const waiting = await approvals(this.#experiment, OPERATOR).catch(() => null)
    if (waiting === null) return true
    for (const { id } of waiting) {
      if (this.#seen.has(id)) continue
      const isDenied = this.#seen.size % DENIED_IN === DENIED_IN - 1
      this.#seen.add(id)
      if (isDenied) this.#denied.add(id)
      const args = { id }
      const call = {
        verb: 'do',
        operation: isDenied ? 'deny' : 'approve',
        target: `@${OPERATOR}`,
        args,
      } as const
      await putAct(this.#experiment.db, OPERATOR, `answer-${id.replaceAll('/', '-')}`, call)
      await this.#experiment.ring(OPERATOR)
    }
    const { rows } = await sql`
      select from treeos.projection where key like 'approval:%' and state::json->>'state' in ('open', 'given') limit 1`.execute(
      this.#experiment.db,
    )
    return rows.length > 0
  }

  async end(): Promise<Answered> {
    this.#stopped = true
    await this.#done
    return { denied: this.#denied, figures: { answered: this.#seen.size, denied: this.#denied.size } }
  }
}

/**
 * How many versions of the code judged calls, and how many calls one version asked about and another one did.
 */
async function countVersions({ db }: Experiment): Promise<Figures> {
  const { rows } = await sql<{ versions: number; crossed: number }>`
    with judged as (select moment, wake, convert_from(record, 'UTF8')::jsonb->>'code' as code from treeos.moment_outcome)
    select count(distinct j.code)::int as versions, count(*) filter (where a.code <> j.code)::int as crossed
    from judged j left join judged a on j.wake = 'approved/' || a.moment`.execute(db)
  return { ...rows[0] }
}

/** Each call was done once, in one append with the use of its yes; or never, after a no. */
async function judgeAsks({ db, asked }: Experiment, { denied }: Answered): Promise<string[]> {
  const { rows } = await sql<{ value: string; approval: string | null }>`
    select convert_from(f.bytes, 'UTF8')::jsonb->>'value' as value, substr(u.reel, 10) as approval
    from treeos.fact f
      left join treeos.fact u on u.moment = f.moment and u.kind = 'approval:used'
    where f.reel = 'space:/till' and f.kind = 'quality:set'
      and convert_from(f.bytes, 'UTF8')::jsonb#>>'{path,0}' = 'load'`.execute(db)
  const broken = rows
    .filter(({ approval }) => approval === null)
    .map(({ value }) => `${value} was done without a yes`)
  const { rows: ends } = await sql<{ id: string; value: string; state: string }>`
    select substr(key, 10) as id, state::json#>>'{call,args,value}' as value, state::json->>'state' as state
    from treeos.projection where key like 'approval:%'`.execute(db)
  for (const { id, value, state } of ends) {
    const wanted = denied.has(id) ? ['denied', 0] : ['used', 1]
    const is: Json[] = [state, rows.filter((done) => done.value === value).length]
    if (JSON.stringify(is) !== JSON.stringify(wanted)) broken.push(`${id} is ${is.join(' and done ')} times`)
  }
  const spent = asked.filter(({ fails }) => fails !== undefined)
  if (ends.length !== spent.length) broken.push(`${spent.length} calls were made, and ${ends.length} waited`)
  return broken
}
