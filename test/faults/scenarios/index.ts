import type { Scenario } from '../scenario.ts'
import { ackCut } from './ack-cut.ts'
import { asks } from './asks.ts'
import { blocked } from './blocked.ts'
import { clock } from './clock.ts'
import { disk } from './disk.ts'
import { doorbells } from './doorbells.ts'
import { effects } from './effects.ts'
import { growth } from './growth.ts'
import { heap } from './heap.ts'
import { killPoints } from './kill-points.ts'
import { killStorm } from './kill-storm.ts'
import { links } from './links.ts'
import { pairs } from './pairs.ts'
import { poison } from './poison.ts'
import { pool } from './pool.ts'
import { rolling } from './rolling-restart.ts'
import { soak } from './soak.ts'
import { stampRerun } from './stamp-rerun.ts'
import { terminated } from './terminated.ts'
import { zombies } from './zombies.ts'

// biome-ignore lint/suspicious/noExplicitAny: each has a size of its own
export type AnyScenario = Scenario<any>

/** Scenarios by the ground they share. Each ground has a test file, and the files run side by side. */
export const GROUNDS = {
  kills: [killPoints],
  commits: [stampRerun],
  lives: [ackCut, terminated, doorbells],
  outside: [effects, asks],
  growth: [growth],
  links: [links],
  storm: [killStorm],
} satisfies Record<string, readonly AnyScenario[]>

/** Those that the check has no time for: also their small sizes take more than 3 s. */
const NIGHTLY: readonly AnyScenario[] = [
  rolling,
  pairs,
  pool,
  poison,
  zombies,
  blocked,
  heap,
  disk,
  clock,
  soak,
]

/** All, in the order that `pnpm faults` runs them. */
export const scenarios: readonly AnyScenario[] = [...Object.values(GROUNDS).flat(), ...NIGHTLY]
