/** The activities of the beats, each in a file of its own, except that `finish.ts` builds on `decide-and-stamp.ts`. All use the same `BeatDeps`. */
import type { Effects, LocalBeats, ThinkBeats } from '@treeos/protocol'
import { begin } from './begin.ts'
import type { BeatDeps } from './deps.ts'
import { attested, guarded } from './guard/guard.ts'
import { endingWhenRefused } from './guard/record-refused.ts'
import { intake } from './intake.ts'
import { decideAndStamp } from './live/decide.ts'
import { openMoment } from './live/open.ts'
import { finishMoment } from './live.ts'
import { wakeIdle } from './moments/wake-idle.ts'
import { performEffect } from './perform.ts'
import { stampMoment } from './stamp/stamp-moment.ts'
import { think } from './think.ts'
import { wakeScheduled } from './wake-scheduled.ts'

export type { BeatDeps, OverlayAccess } from './deps.ts'
export { newMemory } from './deps.ts'
export { CRASH_POINTS, type CrashPoint } from './guard/crash-point.ts'
export { noopObserver, type Observer } from './guard/guard.ts'
export { createEmbedder, type Embedder, seekBy } from './mind/likeness.ts'
export { decisionFrom } from './mind/prose.ts'
export { answerLimitOf, modelChosenBy } from './mind/thought.ts'
export {
  createModel,
  faultOfEndpoint,
  keyVariables,
  type Model,
  type ModelAnswer,
  type ModelEndpoint,
  type ModelOptions,
  type ModelOutputs,
  type ModelRequest,
  ModelTransientError,
  modelEndpoint,
  modelsFile,
  type Price,
  type Prices,
  type Probed,
  probeEndpoint,
  readConnections,
  readPrices,
  resolveDefaultModel,
  resolveModelEndpoint,
  shownAddress,
  type Usage,
} from './model/model.ts'
export { costOf as costOfCall } from './model/prices.ts'

/**
 * The activities that a worker registers. Results of local activities carry the digest of their arguments. Error messages
 * stay out of history.
 */
export function createBeats(deps: BeatDeps): LocalBeats & ThinkBeats & { performEffect: Effects[string] } {
  const short = <I, O>(name: string, run: (deps: BeatDeps, input: I) => Promise<O>) =>
    guarded(
      name,
      deps.observe,
      endingWhenRefused(name, (input: I) => run(deps, input)),
    )
  const local = <I, O>(name: string, run: (deps: BeatDeps, input: I) => Promise<O>) =>
    attested(short(name, run))
  const open = local('openMoment', openMoment)
  const idle = short('wakeIdle', wakeIdle)
  const parts = {
    decideAndStamp: short('finishMoment', decideAndStamp),
    open: short('openMoment', openMoment),
  }
  return {
    beginLife: local('beginLife', begin),
    async openMoment(input, told) {
      const { being, generation, n } = input
      deps.memory.knownRuns.note(being) // its workflow task began just now
      deps.memory.nextWakes.begun(being)
      if (told.idleSeconds !== undefined) await idle({ being, generation, n, seconds: told.idleSeconds })
      return { ...(await open(input)), ...told }
    },
    stampMoment: local('stampMoment', stampMoment),
    finishMoment: (input, told) => finishMoment(deps, parts, input, told),
    intake: local('intake', intake),
    wakeScheduled: local('wakeScheduled', wakeScheduled),
    performEffect: guarded('performEffect', deps.observe, (input) => performEffect(deps, input)),
    think: guarded('think', deps.observe, (input) => think(deps, input)),
  }
}
