import { setTimeout as sleep } from 'node:timers/promises'
import type { Experiment } from '../driver.ts'
import type { Keeper } from '../keeper.ts'
import { StalledError } from '../open-questions.ts'
import type { Figures, Scenario } from '../scenario.ts'

type Victim = 'worker' | 'temporal' | 'postgres'
const VICTIMS: readonly Victim[] = ['worker', 'temporal', 'postgres']
/**
 * The next kill comes when everything has recovered, or this long after a worker was up, so that things also
 * die while others recover. Kills that come faster than a busy machine starts a process would only measure
 * the machine.
 */
const BREATH_MS = 1500
const ANSWER_SECONDS_MAX = 60

export const killStorm: Scenario<{ each: number }> = {
  name: 'kill-storm',
  about:
    'workers, Temporal and Postgres killed again and again under load: every accepted summon has one outcome',
  sizes: { test: { each: 3 }, full: { each: 200 }, control: { each: 1 } },
  experiment: { persons: 3, scripted: 4, llm: 3, stallSeconds: 120 },
  async attack(experiment, { each }, broken) {
    const random = experiment.random.fork()
    const keepers = [experiment.keepWorker(), experiment.keepWorker()]
    await Promise.all(keepers.map(({ worker }) => worker.ready))
    const load = experiment.load(8)
    const recoveries = new Map<Victim, number[]>(VICTIMS.map((victim) => [victim, []]))
    const recovering: Promise<void>[] = []
    const victims = random.shuffled(VICTIMS.flatMap((victim) => Array<Victim>(each).fill(victim)))
    for (const [i, victim] of victims.entries()) {
      await sleep(random.between(50, 600))
      experiment.check()
      const under = experiment.openIds
      const at = Date.now()
      await kill(experiment, victim, random.pick(keepers))
      const recovered = experiment
        .answered(under)
        .then(() => void recoveries.get(victim)?.push(Date.now() - at))
      recovered.catch(() => undefined)
      recovering.push(recovered)
      await Promise.race([recovered, someoneUp(keepers).then(() => sleep(BREATH_MS))])
      if ((i + 1) % 10 === 0)
        experiment.say(`${i + 1} of ${victims.length} killed, ${experiment.asked.length} questions asked`)
    }
    const lastAt = Date.now()
    await load.stop()
    await Promise.all(recovering)
    const last = await Promise.all(
      [...experiment.scripted, ...experiment.llm].map((being) => experiment.ask(being)),
    )
    await experiment.answered(last.map(({ id }) => id))
    const seconds = (Date.now() - lastAt) / 1000
    if (seconds > ANSWER_SECONDS_MAX) broken.push(`the last being answered ${seconds} s after the last kill`)
    const figures: Figures = { killed: victims.length, secondsAfterLast: Math.round(seconds * 10) / 10 }
    for (const [victim, times] of recoveries) figures[`${victim}MsMedianMax`] = medianMax(times)
    return figures
  },
  control: {
    without: ['lost-decisions', 'blind-sweep'],
    experiment: { modelMsMax: 1500 }, // so that an activity of its own stores a decision
    /**
     * A model whose answer is not stored is asked again though nothing died. A question asked while Temporal
     * is away has no doorbell, and without the sweep no being finds it.
     */
    async attack(experiment, _size, broken) {
      await experiment.keepWorker().worker.ready
      const { temporal } = experiment.ground
      await Promise.all([...experiment.llm, ...experiment.llm].map((being) => experiment.ask(being)))
      await experiment.answered()
      broken.push(...(await experiment.verdict({ from: 'chain' })).broken)
      temporal.kill()
      await Promise.all(experiment.scripted.map((being) => experiment.ask(being)))
      if (experiment.lostRings === 0) throw new Error('no ring was lost while Temporal was away')
      await temporal.restart()
      await experiment.answered()
      throw new StalledError('unreachable', false)
    },
    sign: [
      /^the model was asked [0-9]+ times about .*, with nothing dying between 1 and 2/,
      /^nothing came of/,
    ],
    stallSeconds: 12,
  },
}

async function someoneUp(keepers: readonly Keeper[]): Promise<void> {
  // A worker that ended instead of coming up is replaced, so the new one is awaited.
  while (!(await Promise.race(keepers.map(({ worker }) => worker.ready)))) await sleep(50)
}

async function kill(experiment: Experiment, victim: Victim, keeper: Keeper): Promise<void> {
  if (victim !== 'worker') {
    await experiment.killServer(experiment.ground[victim])
    return
  }
  experiment.faults.push(Date.now())
  keeper.worker.kill()
}

function medianMax(times: readonly number[]): number[] {
  const sorted = times.toSorted((a, b) => a - b)
  return [sorted[Math.floor(sorted.length / 2)] ?? 0, sorted.at(-1) ?? 0]
}
