import { setTimeout as sleep } from 'node:timers/promises'
import type { BeingName } from '@treeos/core'
import type { Experiment } from '../driver.ts'
import type { Scenario } from '../scenario.ts'

/** The model is given up after this long. */
const PATIENCE_SECONDS = 4
/**
 * An attempt at once, then after pauses of 0.5, 1 and 2 s: the next one would be longer than the patience
 * that is left.
 */
const ATTEMPTS_MAX = 5
const P95_RATIO_MAX = 2
/** Below this a wait is mostly the harness, which looks every 40 ms. */
const P95_FLOOR_MS = 200
const OPEN = 6

interface Size {
  readonly questions: number
  readonly poisons: number
}

export const poison: Scenario<Size> = {
  name: 'poison',
  about:
    'a summon whose model always fails ends as a sealed failure after a few attempts, and the neighbours of its being hardly wait longer',
  sizes: {
    test: { questions: 60, poisons: 6 },
    full: { questions: 500, poisons: 50 },
    control: { questions: 120, poisons: 24 },
  },
  experiment: {
    persons: 6,
    scripted: 3,
    llm: 6,
    modelMsMax: 60,
    stallSeconds: 60,
    workerEnv: { TREEOS_MODEL_PATIENCE_SECONDS: String(PATIENCE_SECONDS) },
  },
  async attack(experiment, size, broken) {
    const [poisoned = [], neighbours = []] = [experiment.llm.slice(0, 3), experiment.llm.slice(3)]
    const figures = await poisonSome(
      experiment,
      { ...size, poisoned, neighbours: [...neighbours, ...experiment.scripted] },
      broken,
    )
    // Those that were poisoned go on.
    await Promise.all(poisoned.map((being) => experiment.ask(being)))
    await experiment.answered()
    return figures
  },
  control: {
    without: 'sabotaged attack',
    /** The poison goes to the neighbours themselves, and a model that fails at once is never given up. */
    attack: (experiment, size, broken) =>
      poisonSome(experiment, { ...size, poisoned: experiment.llm, neighbours: experiment.llm }, broken),
    sign: [/^p95 of the neighbours' wait/, /had \d+ attempts/],
    experiment: { workerEnv: { TREEOS_MODEL_PATIENCE_SECONDS: '20' } },
  },
}

interface Poisoning extends Size {
  readonly poisoned: readonly BeingName[]
  readonly neighbours: readonly BeingName[]
}

/**
 * Half of the questions are asked with poison around and half without, in turns: the machine's own load then
 * meets both.
 */
async function poisonSome(
  experiment: Experiment,
  { questions, poisons, poisoned, neighbours }: Poisoning,
  broken: string[],
) {
  const rounds = Math.ceil(poisons / poisoned.length)
  const each = Math.ceil(questions / rounds / 2)
  const waits: Record<'calm' | 'poisoned', number[]> = { calm: [], poisoned: [] }
  const bad: { id: string }[] = []
  await experiment.keepWorker().worker.ready
  await askAll(experiment, neighbours, 2 * OPEN) // warm-up
  let attemptsMax = 0
  for (let round = 1; round <= rounds; round++) {
    waits.calm.push(...(await askAll(experiment, neighbours, each)))
    const given = await Promise.all(
      poisoned.slice(0, poisons - bad.length).map((being) => experiment.poison(being)),
    )
    bad.push(...given)
    waits.poisoned.push(...(await askAll(experiment, neighbours, each)))
    await experiment.answered()
    for (const one of given) attemptsMax = Math.max(attemptsMax, experiment.attemptsOf(one))
    if (round % 5 === 0) experiment.say(`${bad.length} of ${poisons} poisons`)
  }
  const [calm, withPoison] = [p95(waits.calm), p95(waits.poisoned)]
  if (withPoison > P95_RATIO_MAX * Math.max(calm, P95_FLOOR_MS))
    broken.push(`p95 of the neighbours' wait: ${calm} ms, with poison ${withPoison} ms`)
  if (attemptsMax > ATTEMPTS_MAX)
    broken.push(`a poison had ${attemptsMax} attempts, at most ${ATTEMPTS_MAX} expected`)
  if (attemptsMax < 2) broken.push(`a poison had ${attemptsMax} attempts: it was not tried again`)
  return { poisons: bad.length, attemptsMax, p95Ms: calm, p95MsWithPoison: withPoison }
}

/** Asks the beings in turn, a few questions at a time. @returns how long each answer took, in ms */
async function askAll(
  experiment: Experiment,
  beings: readonly BeingName[],
  count: number,
): Promise<number[]> {
  const waits: number[] = []
  let asked = 0
  const ask = async () => {
    while (asked < count) {
      const being = beings[asked++ % beings.length] ?? ''
      const at = performance.now()
      const { id } = await experiment.ask(being)
      await experiment.answered([id])
      waits.push(performance.now() - at)
      await sleep(1)
    }
  }
  await Promise.all(Array.from({ length: OPEN }, ask))
  return waits
}

function p95(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return Math.round(sorted[Math.ceil(0.95 * sorted.length) - 1] ?? 0)
}
