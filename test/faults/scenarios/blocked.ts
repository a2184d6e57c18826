import { setTimeout as sleep } from 'node:timers/promises'
import heavy, { HEAVY_PATH } from '../../support/heavy.ts'
import type { Experiment } from '../driver.ts'
import type { Figures, Scenario } from '../scenario.ts'

const ANSWER_SECONDS_MAX = 60
const TIMED_OUT = /^failure TIMEOUT$/

interface Size {
  readonly blocks: number
  /** the timeout of the operation is 2 s */
  readonly seconds: number
}

export const blocked: Scenario<Size> = {
  name: 'blocked',
  about:
    'an operation of an extension that blocks the event loop for longer than its timeout fails by it, and its being and all others live on',
  sizes: {
    test: { blocks: 2, seconds: 4 },
    full: { blocks: 20, seconds: 10 },
    control: { blocks: 1, seconds: 4 },
  },
  experiment: {
    persons: 4,
    scripted: 3,
    llm: 2,
    stallSeconds: 60,
    extensions: [{ extension: heavy, path: HEAVY_PATH }],
  },
  attack: (experiment, size, broken) => block(experiment, 'heavy:block', size, broken),
  control: {
    without: 'sabotaged attack',
    /** The same operation, with a timeout that it keeps. */
    attack: (experiment, size, broken) => block(experiment, 'heavy:block-patiently', size, broken),
    sign: /^outcome of act\/\S+ is act$/,
  },
}

async function block(
  experiment: Experiment,
  operation: string,
  { blocks, seconds }: Size,
  broken: string[],
): Promise<Figures> {
  const [victim = '', ...others] = experiment.persons
  const keepers = [experiment.keepWorker(), experiment.keepWorker()]
  await Promise.all(keepers.map(({ worker }) => worker.ready))
  let slowest = 0
  for (let i = 1; i <= blocks; i++) {
    experiment.faults.push(Date.now())
    const { id } = await experiment.fail(victim, operation, { seconds }, TIMED_OUT)
    await sleep(500)
    const under = await Promise.all([
      ...experiment.scripted.map((being) => experiment.ask(being, experiment.random.pick(others))),
      ...experiment.llm.map((being) => experiment.ask(being, experiment.random.pick(others))),
    ])
    await experiment.answered([id])
    const at = Date.now()
    experiment.faults.push(at)
    // The being that was held up goes on as well.
    await experiment.answered([(await experiment.have(victim)).id, ...under.map((one) => one.id)])
    slowest = Math.max(slowest, (Date.now() - at) / 1000)
    experiment.say(`${i} of ${blocks}`)
  }
  if (slowest > ANSWER_SECONDS_MAX) broken.push(`the last answer came ${slowest} s after a block`)
  const died = keepers.reduce((sum, { starts }) => sum + starts - 1, 0)
  if (died > 0) broken.push(`${died} workers ended`)
  return { blocks, blockedSeconds: seconds, slowestSeconds: Math.round(slowest * 10) / 10 }
}
