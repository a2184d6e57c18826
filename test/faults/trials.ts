import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Ground, startGround } from './ground.ts'
import { newSeed } from './random.ts'
import { run } from './scenario.ts'
import type { AnyScenario } from './scenarios/index.ts'

/** The full sizes are `pnpm faults`. */
const seed = Number(process.env.TREEOS_FAULTS_SEED ?? newSeed())
const say = (line: string) => console.error(line)
const TIMEOUT_MS = 600_000

/** Makes tests of the small sizes of scenarios, each with its control, on services that may be killed. */
export function tryOut(scenarios: readonly AnyScenario[]): void {
  let ground: Ground
  let tries = 0
  beforeAll(async () => {
    say(`faults: seed ${seed}; TREEOS_FAULTS_SEED=${seed} makes the same choices again`)
    ground = await startGround(() => undefined)
  })
  afterAll(() => ground?.close())

  describe.each(scenarios)('$name', (scenario) => {
    // Chance decides when processes die; a trial that could not be set up is made once more, and what is broken breaks again.
    it(`${scenario.about} (seed ${seed})`, { timeout: TIMEOUT_MS, retry: 1 }, async () => {
      const { broken, figures, seconds } = await run(scenario, {
        ground,
        seed,
        size: 'test',
        say: () => undefined,
      })
      say(`faults: ${scenario.name} ${seconds} s ${JSON.stringify(figures)}`)
      expect(broken).toEqual([])
    })

    // Without its defence a system may still be lucky once.
    it(`control: fails with ${scenario.control.without}`, { timeout: TIMEOUT_MS, retry: 2 }, async () => {
      const { broken } = await run(scenario, {
        ground,
        seed: seed + tries++,
        size: 'control',
        say: () => undefined,
      })
      expect(broken).toContainEqual(expect.stringMatching(scenario.control.sign))
    })
  })
}
