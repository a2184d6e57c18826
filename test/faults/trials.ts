import { afterAll, beforeAll, describe, expect, inject, it, type TestContext } from 'vitest'
import { type Bundles, type Ground, startGround } from './ground.ts'
import { newSeed } from './random.ts'
import { type Ran, run, signsOf } from './scenario.ts'
import type { AnyScenario } from './scenarios/index.ts'

declare module 'vitest' {
  interface TaskMeta {
    /** why each attempt but the last came to nothing; scripts/check.ts counts and shows them */
    retried?: string[]
  }
}

/** The full sizes are `pnpm faults`. */
const seed = Number(process.env.TREEOS_FAULTS_SEED ?? newSeed())
const say = (line: string) => console.error(line)
const ATTEMPT_MS_MAX = 600_000
const ATTACK_ATTEMPTS_MAX = 2
/** Without its defence a system may still be lucky, more than once. */
const CONTROL_ATTEMPTS_MAX = 3

/** Makes tests of the small sizes of scenarios, each with its control, on services that may be killed. */
export function tryOut(scenarios: readonly AnyScenario[]): void {
  let ground: Ground
  beforeAll(async () => {
    say(`faults: seed ${seed}; TREEOS_FAULTS_SEED=${seed} makes the same choices again`)
    ground = await startGround(() => undefined, bundles())
  })
  afterAll(() => ground?.close())

  describe.each(scenarios)('$name', (scenario) => {
    it(`${scenario.about} (seed ${seed})`, {
      timeout: ATTACK_ATTEMPTS_MAX * ATTEMPT_MS_MAX,
    }, async (test) => {
      const { broken, figures, seconds } = await attempt(test, ATTACK_ATTEMPTS_MAX, {
        once: () => run(scenario, { ground, seed, size: 'test', say: () => undefined }),
        // A busy machine can stall a trial. What the oracle finds broken is never tried again.
        mayPass: ({ stalled }) => stalled,
      })
      say(`faults: ${scenario.name} ${seconds} s ${JSON.stringify(figures)}`)
      expect(broken).toEqual([])
    })

    it(`control: fails with ${scenario.control.without}`, {
      timeout: CONTROL_ATTEMPTS_MAX * ATTEMPT_MS_MAX,
    }, async (test) => {
      let tries = 0
      const signs = signsOf(scenario)
      const shows = (broken: readonly string[], sign: RegExp) => broken.some((fault) => sign.test(fault))
      const { broken } = await attempt(test, CONTROL_ATTEMPTS_MAX, {
        once: () => run(scenario, { ground, seed: seed + tries++, size: 'control', say: () => undefined }),
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

interface Attempts {
  once(): Promise<Ran>
  /** whether another attempt may end better */
  mayPass(ran: Ran): boolean
}

/** Runs a trial again when it could not be set up or may pass. Each repetition is noted in the test's report. */
async function attempt(
  { task }: TestContext,
  attemptsMax: number,
  { once, mayPass }: Attempts,
): Promise<Ran> {
  for (let attempt = 1; ; attempt++) {
    let reason: string
    try {
      const ran = await once()
      if (attempt === attemptsMax || !mayPass(ran)) return ran
      reason = ran.broken.join('; ') || 'nothing was broken'
    } catch (error) {
      if (attempt === attemptsMax) throw error
      reason = String(error)
    }
    const [line = ''] = reason.split('\n')
    task.meta.retried = [...(task.meta.retried ?? []), line]
    say(`faults: attempt ${attempt} of ${task.name} is repeated, since ${reason}`)
  }
}
