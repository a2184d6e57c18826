import type { Scenario } from '../scenario.ts'
import { dieAt, OUTSIDE } from './kill-points.ts'

/** An effect happens at least once and is written once, wherever its worker dies. */
export const effects: Scenario<{ kills: number }> = {
  name: 'effects',
  about:
    'an effect whose workers are killed happens under one key, again only if no result was stored, and is written once',
  sizes: { test: { kills: OUTSIDE.length }, full: { kills: 40 }, control: { kills: 0 } },
  experiment: { persons: 6, scripted: 0, llm: 0, letters: 1, stallSeconds: 60 },
  kills: () => OUTSIDE,
  async attack(experiment, { kills }) {
    const random = experiment.random.fork()
    const plan = random.shuffled(OUTSIDE)
    while (plan.length < kills) plan.push(random.pick(OUTSIDE))
    return { kills, ...(await dieAt(experiment, plan.slice(0, kills), 12)) }
  },
  control: {
    without: 'lost-results',
    async attack(experiment) {
      experiment.keepWorker()
      await experiment.post(experiment.persons[0] ?? '')
      await experiment.answered()
      return {}
    },
    sign: /^letter .* with nothing dying between/,
  },
}
