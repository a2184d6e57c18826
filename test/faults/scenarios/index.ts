import type { Scenario } from '../scenario.ts'
import { ackCut } from './ack-cut.ts'
import { doorbells } from './doorbells.ts'
import { effects } from './effects.ts'
import { growth } from './growth.ts'
import { killPoints } from './kill-points.ts'
import { killStorm } from './kill-storm.ts'
import { links } from './links.ts'
import { stampRerun } from './stamp-rerun.ts'
import { terminated } from './terminated.ts'

// biome-ignore lint/suspicious/noExplicitAny: each has a size of its own
export type AnyScenario = Scenario<any>

/** Scenarios by the ground they share. Each ground has a test file, and the files run side by side. */
export const GROUNDS = {
  kills: [killPoints, effects],
  stamps: [stampRerun, ackCut],
  lives: [terminated, growth, doorbells],
  links: [links],
  storm: [killStorm],
} satisfies Record<string, readonly AnyScenario[]>

/** All, in the order that `pnpm faults` runs them. */
export const scenarios: readonly AnyScenario[] = Object.values(GROUNDS).flat()
