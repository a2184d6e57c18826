import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Experiment } from '../driver.ts'
import type { Scenario } from '../scenario.ts'

const SAMPLE_MS = 10_000
/** Caches fill in the first part. */
const WARM_UP_SHARE = 0.4
const GROWTH_PERCENT_MAX = 5
const PAUSE_MS = 250
const REST_MS = 60_000
/** The worker may have opened them at its start, or keep them for a question of its own. */
const SPARE_CONNECTIONS = 2
const EVENTS_OF_RUN_MAX = 2500
/** The control keeps this much more with each sample. */
const LEAK_MIB = 4

export const soak: Scenario<{ minutes: number }> = {
  name: 'soak',
  about: '50 beings under a steady load: memory, connections and histories do not grow with time',
  onlyNamed: true,
  sizes: { test: { minutes: 1 }, full: { minutes: 60 }, control: { minutes: 1 } },
  experiment: { persons: 10, scripted: 20, llm: 20, modelMsMax: 300, stallSeconds: 120, letters: 0.05 },
  async attack(experiment, { minutes }, broken) {
    const { worker } = experiment.keepWorker()
    await worker.ready
    return watch(experiment, minutes, () => worker.memoryKept(), broken)
  },
  control: {
    without: 'sabotaged attack',
    /** Something is kept with each sample. */
    async attack(experiment, { minutes }, broken) {
      const { worker } = experiment.keepWorker()
      await worker.ready
      let kept = 0
      const leaking = async () => {
        kept += LEAK_MIB
        return (await worker.memoryKept()) + 2 ** 20 * kept
      }
      return watch(experiment, minutes, leaking, broken)
    },
    sign: /^memory of the worker grows/,
  },
}

interface Sample {
  readonly hours: number
  readonly memory: number
  readonly connections: number
}

async function watch(
  experiment: Experiment,
  minutes: number,
  memory: () => Promise<number>,
  broken: string[],
) {
  const random = experiment.random.fork()
  const before = experiment.ground.postgres.proxy.open
  const samples: Sample[] = []
  const from = Date.now()
  const until = from + 60_000 * minutes
  for (let next = from; Date.now() < until; ) {
    await askOne(experiment, random.next())
    if (experiment.open > 12) await experiment.progress()
    await sleep(PAUSE_MS)
    experiment.check()
    if (Date.now() < next) continue
    next += SAMPLE_MS
    const hours = (Date.now() - from) / 3_600_000
    samples.push({ hours, memory: await memory(), connections: experiment.ground.postgres.proxy.open })
    if (samples.length % 30 === 0)
      experiment.say(`${Math.round(60 * hours)} minutes, ${experiment.asked.length} questions`)
  }
  await experiment.answered()
  const warm = samples.slice(Math.floor(WARM_UP_SHARE * samples.length))
  const mib = warm.map(({ memory }) => memory / 2 ** 20)
  const mean = mib.reduce((sum, value) => sum + value, 0) / mib.length
  const percent =
    Math.round(
      (1000 *
        slope(
          warm.map(({ hours }) => hours),
          mib,
        )) /
        mean,
    ) / 10
  if (percent > GROWTH_PERCENT_MAX) broken.push(`memory of the worker grows by ${percent} % an hour`)
  const atRest = await connectionsAtRest(experiment, before)
  if (atRest > before + SPARE_CONNECTIONS)
    broken.push(`${before} connections before the load, ${atRest} after it`)
  const events = await longestRun(experiment)
  if (events > EVENTS_OF_RUN_MAX)
    broken.push(`a run has ${events} events, at most ${EVENTS_OF_RUN_MAX} expected`)
  return {
    minutes,
    memoryMib: Math.round(mean),
    growthPercentPerHour: percent,
    memoryMibFirstLast: [Math.round(mib[0] ?? 0), Math.round(mib.at(-1) ?? 0)],
    connectionsMax: Math.max(...warm.map((one) => one.connections)),
    connectionsBeforeAfter: [before, atRest],
    eventsOfARunMax: events,
    openWakes: await countOpen(experiment),
  }
}

/**
 * A pool opens more connections the slower the machine is, and closes them some seconds after they were
 * needed.
 */
async function connectionsAtRest({ ground }: Experiment, before: number): Promise<number> {
  const { proxy } = ground.postgres
  for (const until = Date.now() + REST_MS; proxy.open > before + SPARE_CONNECTIONS && Date.now() < until; )
    await sleep(500)
  return proxy.open
}

function askOne(experiment: Experiment, what: number): Promise<unknown> {
  const person = experiment.random.pick(experiment.persons)
  if (what < 0.05) return experiment.post(person)
  if (what < 0.2) return experiment.have(person)
  return experiment.ask(experiment.random.pick(what < 0.6 ? experiment.scripted : experiment.llm), person)
}

/** By least squares. */
function slope(x: readonly number[], y: readonly number[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const [mx, my] = [mean(x), mean(y)]
  const over = x.reduce((sum, value, i) => sum + (value - mx) * ((y[i] ?? 0) - my), 0)
  return over / x.reduce((sum, value) => sum + (value - mx) ** 2, 0)
}

async function longestRun(experiment: Experiment): Promise<number> {
  const beings = [...experiment.persons, ...experiment.scripted, ...experiment.llm]
  let most = 0
  for (const being of beings)
    for (const { events } of await experiment.runsOf(being)) most = Math.max(most, events)
  return most
}

async function countOpen({ db }: Experiment): Promise<number> {
  const { rows } = await sql<{ open: number }>`
    select count(*)::int as open from treeos.inbox where closed_by is null`.execute(db)
  return rows[0]?.open ?? 0
}
