import { setTimeout as sleep } from 'node:timers/promises'
import type { Trial } from '../driver.ts'
import type { Keeper } from '../keeper.ts'
import { StalledError } from '../open-questions.ts'
import type { Figures, Scenario } from '../scenario.ts'

type Victim = 'worker' | 'temporal' | 'postgres'
const VICTIMS: readonly Victim[] = ['worker', 'temporal', 'postgres']
/**
 * The next kill comes when everything has recovered, or this long after a worker was up, so that things also die while others
 * recover. Kills that come faster than a busy machine starts a process would only measure the machine.
 */
const BREATH_MS = 1500
const ANSWER_SECONDS_MAX = 60

export const killStorm: Scenario<{ each: number }> = {
  name: 'kill-storm',
  about:
    'workers, Temporal and Postgres killed again and again under load: every accepted summon has one outcome',
  sizes: { test: { each: 3 }, full: { each: 200 }, control: { each: 1 } },
  trial: { persons: 3, scripted: 4, llm: 3, stallSeconds: 120 },
  async attack(trial, { each }, broken) {
    const random = trial.random.fork()
    const keepers = [trial.keepWorker(), trial.keepWorker()]
    await Promise.all(keepers.map(({ worker }) => worker.ready))
    const load = trial.load(8)
    const recoveries = new Map<Victim, number[]>(VICTIMS.map((victim) => [victim, []]))
    const recovering: Promise<void>[] = []
    const victims = random.shuffled(VICTIMS.flatMap((victim) => Array<Victim>(each).fill(victim)))
    for (const [i, victim] of victims.entries()) {
      await sleep(random.between(50, 600))
      trial.check()
      const under = trial.openIds
      const at = Date.now()
      await kill(trial, victim, random.pick(keepers))
      const recovered = trial.answered(under).then(() => void recoveries.get(victim)?.push(Date.now() - at))
      recovered.catch(() => undefined)
      recovering.push(recovered)
      await Promise.race([recovered, someoneUp(keepers).then(() => sleep(BREATH_MS))])
      if ((i + 1) % 10 === 0)
        trial.say(`${i + 1} of ${victims.length} killed, ${trial.asked.length} questions asked`)
    }
    const lastAt = Date.now()
    await load.stop()
    await Promise.all(recovering)
    const last = await Promise.all([...trial.scripted, ...trial.llm].map((being) => trial.ask(being)))
    await trial.answered(last.map(({ id }) => id))
    const seconds = (Date.now() - lastAt) / 1000
    if (seconds > ANSWER_SECONDS_MAX) broken.push(`the last being answered ${seconds} s after the last kill`)
    const figures: Figures = { killed: victims.length, secondsAfterLast: Math.round(seconds * 10) / 10 }
    for (const [victim, times] of recoveries) figures[`${victim}MsMedianMax`] = medianMax(times)
    return figures
  },
  control: {
    without: ['lost-decisions', 'blind-sweep'],
    trial: { modelMsMax: 1500 }, // so that an activity of its own stores a decision
    /**
     * A model whose answer is not stored is asked again though nothing died. A question asked while Temporal is away has no doorbell, and
     * without the sweep no being finds it.
     */
    async attack(trial, _size, broken) {
      await trial.keepWorker().worker.ready
      const { temporal } = trial.ground
      await Promise.all([...trial.llm, ...trial.llm].map((being) => trial.ask(being)))
      await trial.answered()
      broken.push(...(await trial.verdict({ from: 'chain' })).broken)
      temporal.kill()
      await Promise.all(trial.scripted.map((being) => trial.ask(being)))
      if (trial.lostRings === 0) throw new Error('no ring was lost while Temporal was away')
      await temporal.restart()
      await trial.answered()
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

async function kill(trial: Trial, victim: Victim, keeper: Keeper): Promise<void> {
  if (victim !== 'worker') {
    await trial.killServer(trial.ground[victim])
    return
  }
  trial.faults.push(Date.now())
  keeper.worker.kill()
}

function medianMax(times: readonly number[]): number[] {
  const sorted = times.toSorted((a, b) => a - b)
  return [sorted[Math.floor(sorted.length / 2)] ?? 0, sorted.at(-1) ?? 0]
}
