import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { attempt } from './attempts.ts'
import { type Bundles, type Ground, startGround } from './ground.ts'
import { newSeed } from './random.ts'
import { run, sabotageOf, signsOf } from './scenario.ts'
import type { AnyScenario } from './scenarios/index.ts'

/** The full sizes are `pnpm faults`. */
const seed = Number(process.env.TREEOS_FAULTS_SEED ?? newSeed())
const say = (line: string) => console.error(line)
const ATTEMPT_MS_MAX = 600_000
const ATTACK_ATTEMPTS_MAX = 2
/** Without its defence a system may still be lucky, more than once. */
const CONTROL_ATTEMPTS_MAX = 3

/** Services of a file's own, which may be killed. */
function useGround(): () => Ground {
  let ground: Ground
  beforeAll(async () => {
    say(`faults: seed ${seed}; TREEOS_FAULTS_SEED=${seed} makes the same choices again`)
    ground = await startGround(() => undefined, { bundles: bundles() })
  })
  afterAll(() => ground?.close())
  return () => ground
}

/** Makes tests of the small sizes of scenarios. */
export function testAttacks(scenarios: readonly AnyScenario[]): void {
  const ground = useGround()
  describe.each(scenarios)('$name', (scenario) => {
    it(`${scenario.about} (seed ${seed})`, {
      timeout: ATTACK_ATTEMPTS_MAX * ATTEMPT_MS_MAX,
    }, async ({ task }) => {
      const { broken, figures, seconds } = await attempt(task, ATTACK_ATTEMPTS_MAX, {
        once: () => run(scenario, { ground: ground(), seed, size: 'test', say: () => undefined }),
        // A busy machine can stall an experiment. What the oracle finds broken is never tried again.
        mayPass: ({ stalled }) => stalled,
      })
      say(`faults: ${scenario.name} ${seconds} s ${JSON.stringify(figures)}`)
      expect(broken).toEqual([])
    })
  })
}

/**
 * Makes tests that run scenarios with a defence off: each must fail as it says. They show that the attacks
 * can fail, so the night is soon enough.
 */
export function testControls(scenarios: readonly AnyScenario[]): void {
  const ground = useGround()
  describe.each(scenarios)('$name', (scenario) => {
    it(`fails ${sabotageOf(scenario)}`, {
      timeout: CONTROL_ATTEMPTS_MAX * ATTEMPT_MS_MAX,
    }, async ({ task }) => {
      let tries = 0
      const signs = signsOf(scenario)
      const shows = (broken: readonly string[], sign: RegExp) => broken.some((fault) => sign.test(fault))
      const { broken } = await attempt(task, CONTROL_ATTEMPTS_MAX, {
        once: () =>
          run(scenario, { ground: ground(), seed: seed + tries++, size: 'control', say: () => undefined }),
        mayPass: (ran) => !signs.every((sign) => shows(ran.broken, sign)),
      })
      for (const sign of signs) expect(broken).toContainEqual(expect.stringMatching(sign))
    })
  })
}

/** Those of the run, where its global setup made some. */
function bundles(): Bundles | undefined {
  const [bundlePath, replayBundlePath] = [inject('bundlePath'), inject('replayBundlePath')]
  return bundlePath === undefined ? undefined : { bundlePath, replayBundlePath }
}
