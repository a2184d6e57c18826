import { workflowInfo } from '@temporalio/workflow'
import type { RunHints } from '@treeos/protocol/workflow'
import type { Signals } from './signals.ts'
import type { Silence } from './silence.ts'

/**
 * What a replay may see earlier than the run did: signals, the end of a silence, and what the server suggests. `openMoment` is told of it,
 * and only what its result says again counts.
 */
export class Hinter {
  readonly #signals: Signals
  /** the wait at rest that the next result ends */
  silence: Silence | null = null
  /** the server suggested to continue as new, or the workers of this being have a newer version */
  isEndSuggested = false

  constructor(signals: Signals) {
    this.#signals = signals
  }

  /** What to tell `openMoment`. Replay does not compare it. */
  told(): RunHints {
    const { continueAsNewSuggested, targetWorkerDeploymentVersionChanged } = workflowInfo()
    const isEndSuggested = continueAsNewSuggested || targetWorkerDeploymentVersionChanged
    const idleSeconds = this.silence?.wakesAfter ?? null
    return {
      heard: this.#signals.heard,
      ...(idleSeconds === null ? {} : { idleSeconds }),
      ...(isEndSuggested ? { isEndSuggested } : {}),
    }
  }

  /** Takes what the result says of it. */
  answered({ heard, isEndSuggested = false }: RunHints): void {
    this.#signals.settle(heard)
    // The timer is kept until now. The task that started it may have ended without the signal that breaks the silence.
    this.silence?.end()
    this.silence = null
    this.isEndSuggested = isEndSuggested
  }
}
