import type { CrashPoint } from '@treeos/activities'
import type { Trial } from '../driver.ts'
import type { Scenario } from '../scenario.ts'
import { differences, hashesOf } from '../written.ts'
import { AFTER_COMMIT, dieAt } from './kill-points.ts'

/** A stamp runs again because its worker died before the task was complete. The rerun changes nothing. */
export const stampRerun: Scenario<{ kills: number }> = {
  name: 'stamp-rerun',
  about:
    'a worker killed between the commit of a stamp and the completion of its task changes nothing by the rerun',
  trial: { stallSeconds: 60 }, // a task of a dead worker times out after 10 s, and the next worker takes as long to start on a busy machine
  sizes: { test: { kills: AFTER_COMMIT.length }, full: { kills: 200 }, control: { kills: 6 } },
  kills: () => AFTER_COMMIT,
  async attack(trial, { kills }, broken) {
    const before = new Map<string, string>()
    const points = Array.from(
      { length: kills },
      (_, i) => AFTER_COMMIT[i % AFTER_COMMIT.length] as CrashPoint,
    )
    const witness = setInterval(() => void note(trial, before).catch(() => undefined), 100)
    const figures = await dieAt(trial, points, 3)
    clearInterval(witness)
    await trial.answered()
    broken.push(...differences(before, await hashesOf(trial.db)))
    return { kills, watched: before.size, ...figures }
  },
  control: {
    without: 'unkeyed-append',
    // A rerun of the short way finds the stored moment and appends nothing, so most calls of models take the long way here.
    trial: { persons: 1, scripted: 1, llm: 4, modelMsMax: 9000 },
    attack: (trial, { kills }) => dieAt(trial, Array<CrashPoint>(kills).fill('stamp:after-append'), 4),
    sign: /other facts than its record says/,
  },
}

async function note(trial: Trial, into: Map<string, string>): Promise<void> {
  for (const [moment, written] of await hashesOf(trial.db)) if (!into.has(moment)) into.set(moment, written)
}
