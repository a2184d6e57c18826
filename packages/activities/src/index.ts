/** The activities of the beats, each in a file of its own. All use the same `BeatDeps`. */
import type { Effects, LiveInput, LocalBeats, ThinkBeats } from '@treeos/protocol'
import { begin } from './begin.ts'
import type { BeatDeps } from './deps.ts'
import { attested, guarded } from './guard/guard.ts'
import { endingWhenRefused } from './guard/record-refused.ts'
import { intake } from './intake.ts'
import { liveMoments } from './live.ts'
import { performEffect } from './perform.ts'
import { reportDifference } from './report-difference.ts'
import { stampMoment } from './stamp/stamp-moment.ts'
import { think } from './think.ts'
import { wakeScheduled } from './wake-scheduled.ts'

export type { BeatDeps, OverlayAccess } from './deps.ts'
export { newMemory } from './deps.ts'
export { withFiles } from './files/with-files.ts'
export { CRASH_POINTS, type CrashPoint } from './guard/crash-point.ts'
export { noopObserver, type Observer, type WorkerLoad } from './guard/guard.ts'
export { heldMsOf } from './mind/calls.ts'
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
  type ProbeResult,
  probeEndpoint,
  readConnections,
  readCurrency,
  readPrices,
  resolveDefaultModel,
  resolveModelEndpoint,
  shownAddress,
  type Usage,
} from './model/model.ts'
export { costOf as costOfCall } from './model/prices.ts'

export { otherEffects } from './other-effects.ts'

/**
 * The activities that a worker registers. Results of local activities carry the digest of their arguments.
 * Error messages stay out of history.
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
  return {
    beginLife: local('beginLife', begin),
    liveMoments: (input, told) => {
      const live = local('liveMoments', (at, from: LiveInput) => liveMoments(at, from, told))
      return live(input).then((result) => ({ ...result, ...told }))
    },
    stampMoment: local('stampMoment', stampMoment),
    reportDifference: local('reportDifference', reportDifference),
    intake: local('intake', intake),
    wakeScheduled: local('wakeScheduled', wakeScheduled),
    performEffect: guarded('performEffect', deps.observe, (input) => performEffect(deps, input)),
    think: guarded('think', deps.observe, (input) => think(deps, input)),
  }
}
