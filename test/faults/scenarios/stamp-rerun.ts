import type { CrashPoint } from '@treeos/activities'
import type { Experiment } from '../driver.ts'
import type { Scenario } from '../scenario.ts'
import { differences, hashesOf } from '../written.ts'
import { AFTER_COMMIT, dieAt } from './kill-points.ts'

/** A stamp runs again because its worker died before the task was complete. The rerun changes nothing. */
export const stampRerun: Scenario<{ kills: number }> = {
  name: 'stamp-rerun',
  about:
    'a worker killed between the commit of a stamp and the completion of its task changes nothing by the rerun',
  // a task of a dead worker times out after 10 s, and the next worker takes as long to start on a busy
  // machine
  experiment: { stallSeconds: 60 },
  sizes: { test: { kills: AFTER_COMMIT.length }, full: { kills: 200 }, control: { kills: 6 } },
  kills: () => AFTER_COMMIT,
  async attack(experiment, { kills }, broken) {
    const before = new Map<string, string>()
    const points = Array.from(
      { length: kills },
      (_, i) => AFTER_COMMIT[i % AFTER_COMMIT.length] as CrashPoint,
    )
    const witness = setInterval(() => void note(experiment, before).catch(() => undefined), 100)
    const figures = await dieAt(experiment, points, 3)
    clearInterval(witness)
    await experiment.answered()
    broken.push(...differences(before, await hashesOf(experiment.db)))
    return { kills, watched: before.size, ...figures }
  },
  control: {
    without: 'unkeyed-append',
    // A rerun of the short way finds the stored moment and appends nothing, so most calls of models take the long way here.
    experiment: { persons: 1, scripted: 1, llm: 4, modelMsMax: 9000 },
    attack: (experiment, { kills }) =>
      dieAt(experiment, Array<CrashPoint>(kills).fill('stamp:after-append'), 4),
    sign: /other facts than its record says/,
  },
}

async function note(experiment: Experiment, into: Map<string, string>): Promise<void> {
  for (const [moment, written] of await hashesOf(experiment.db))
    if (!into.has(moment)) into.set(moment, written)
}
