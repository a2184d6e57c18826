import { setTimeout as sleep } from 'node:timers/promises'
import type { Keeper } from '../keeper.ts'
import type { FaultProxy } from '../proxy.ts'
import type { Random } from '../random.ts'
import { withoutDefences } from '../sabotaged-worker.ts'
import type { Scenario } from '../scenario.ts'

type Toxin = 'cut' | 'refuse' | 'stall' | 'slow' | 'half-open'
const TOXINS: readonly Toxin[] = ['cut', 'refuse', 'stall', 'slow', 'half-open']
const ANSWER_SECONDS_MAX = 60
/**
 * The SDK notices a half-open link to Temporal by its keep-alive, after 30 s and 15 s, which a worker cannot
 * set.
 */
const SILENT_SECONDS_MAX = 120

/** Much longer than a worker waits for an answer of Postgres, and shorter than the timeout of an activity. */
const SILENCE_SECONDS = 20

export const links: Scenario<{ episodes: number }> = {
  name: 'links',
  about:
    'connections to Postgres and Temporal that are cut, refused, stalled, slow or half-open cost time, and nothing else',
  sizes: { test: { episodes: 4 }, full: { episodes: 60 }, control: { episodes: 0 } },
  experiment: { stallSeconds: 90 },
  async attack(experiment, { episodes }, broken) {
    const random = experiment.random.fork()
    const keeper = experiment.keepWorker()
    await keeper.worker.ready
    const { postgres, temporal } = experiment.ground
    const plan: (readonly ['postgres' | 'temporal', Toxin])[] = []
    while (plan.length < episodes)
      plan.push(
        ...random.shuffled(
          TOXINS.flatMap(
            (toxin) =>
              [
                ['postgres', toxin],
                ['temporal', toxin],
              ] as const,
          ),
        ),
      )
    const slowest: Record<string, number> = {}
    const load = experiment.load(6)
    for (const [i, [link, toxin]] of plan.slice(0, episodes).entries()) {
      await sleep(random.between(100, 500))
      const under = experiment.openIds
      const proxy = (link === 'postgres' ? postgres : temporal).proxy
      experiment.faults.push(Date.now())
      await poison(proxy, toxin, random)
      experiment.faults.push(Date.now())
      const at = Date.now()
      await experiment.answered(under)
      const seconds = (Date.now() - at) / 1000
      const name = `${link} ${toxin}`
      slowest[name] = Math.max(slowest[name] ?? 0, Math.round(seconds * 10) / 10)
      experiment.say(`${i + 1} of ${episodes}: ${name}, answered ${seconds.toFixed(1)} s after`)
      if (seconds > (name === 'temporal half-open' ? SILENT_SECONDS_MAX : ANSWER_SECONDS_MAX))
        broken.push(`${name}: the last answer came ${seconds} s after its end`)
    }
    await load.stop()
    judgeWorker(keeper, broken)
    return { episodes, ...Object.fromEntries(Object.entries(slowest).map(([name, s]) => [`${name} s`, s])) }
  },
  control: {
    without: 'sabotaged attack',
    experiment: { workerEnv: withoutDefences(['error-listeners', 'read-timeouts']) },
    /**
     * A cut ends the worker. An answer over a half-open link is waited for until the activity times out, and
     * then over the next one.
     */
    async attack(experiment, _size, broken) {
      const keeper = experiment.keepWorker()
      await keeper.worker.ready
      const { proxy } = experiment.ground.postgres
      const load = experiment.load(6)
      while (keeper.starts === 1) {
        experiment.faults.push(Date.now())
        proxy.cut()
        await sleep(50)
      }
      judgeWorker(keeper, broken)
      await keeper.worker.ready
      await load.stop()
      await experiment.answered()
      proxy.halfOpen()
      const startedAt = Date.now()
      await Promise.all([...experiment.scripted, ...experiment.llm].map((being) => experiment.ask(being)))
      await sleep(1000 * SILENCE_SECONDS - (Date.now() - startedAt))
      if (proxy.deadWaits > 0)
        broken.push(`the worker still waits over ${proxy.deadWaits} dead links after ${SILENCE_SECONDS} s`)
      await experiment.answered()
      return {}
    },
    sign: [/^the worker ended/, /^the worker still waits over/],
    stallSeconds: SILENCE_SECONDS,
  },
}

function judgeWorker({ starts }: Keeper, broken: string[]): void {
  if (starts > 1) broken.push(`the worker ended ${starts - 1} times, though only links were cut`)
}

async function poison(proxy: FaultProxy, toxin: Toxin, random: Random): Promise<void> {
  switch (toxin) {
    case 'cut':
      proxy.cut()
      return
    case 'refuse':
      proxy.refuse(true)
      proxy.cut()
      break
    case 'stall':
      proxy.stall()
      break
    case 'slow':
      proxy.slow(random.between(20, 300), 20_000)
      break
    case 'half-open':
      proxy.halfOpen()
      return
  }
  await sleep(random.between(300, 4000))
  proxy.flow()
}
