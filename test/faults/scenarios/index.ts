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

/** In the order they run. */
export const scenarios: readonly AnyScenario[] = [
  killPoints,
  effects,
  stampRerun,
  ackCut,
  terminated,
  growth,
  doorbells,
  links,
  killStorm,
]
