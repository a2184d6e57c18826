import { proxyActivities, proxyLocalActivities, sleep } from '@temporalio/workflow'
import {
  type Effects,
  FINAL_ERRORS,
  type LocalBeats,
  type PendingEffect,
  type PerformInput,
  type ThinkBeats,
} from '@treeos/protocol/workflow'

/**
 * Local activities: reads and appends take milliseconds and may run twice. They are retried while Postgres is
 * unavailable, since giving up would lose an act. Only errors that no retry can fix end them.
 */
export const localBeats = (summary: string) =>
  proxyLocalActivities<LocalBeats>({
    summary,
    startToCloseTimeout: '30s',
    retry: {
      initialInterval: '200ms',
      backoffCoefficient: 2,
      maximumInterval: '10s',
      nonRetryableErrorTypes: [...FINAL_ERRORS],
    },
  })

/**
 * `think` may take minutes, so it is a regular activity: it ends the workflow task and the UI shows it. After
 * a crash the missing heartbeat moves it to another worker within seconds. A failed attempt names the delay
 * before the next one. The activity itself ends the attempts, when the model has been away for longer than
 * its patience.
 */
export const thinkBeats = (summary: string) =>
  proxyActivities<ThinkBeats>({
    summary,
    startToCloseTimeout: '15m',
    scheduleToCloseTimeout: '20m',
    heartbeatTimeout: '12s',
    retry: {
      initialInterval: '500ms',
      backoffCoefficient: 2,
      maximumInterval: '10s',
      maximumAttempts: THINK_ATTEMPTS,
    },
  })

/** Most attempts of `think`, also where workers die. When the last one fails, the moment is a failure. */
const THINK_ATTEMPTS = 12

/**
 * Effects are regular activities. The operation sets their timeout and attempts. After a crash the missing
 * heartbeat moves an effect to another worker within seconds.
 */
const effectBeats = (summary: string, { timeoutSeconds, attempts }: PendingEffect['effect']) =>
  proxyActivities<Effects>({
    summary,
    // The attempt enforces its own timeout. The extra 60 s are for waiting on Postgres before and after it.
    startToCloseTimeout: `${timeoutSeconds + 60}s`,
    heartbeatTimeout: '12s',
    retry: {
      initialInterval: '500ms',
      backoffCoefficient: 2,
      maximumInterval: '30s',
      maximumAttempts: attempts,
    },
  })

/** Most times that an effect is asked what became of it: over about two minutes, in which its being waits. */
const CHECKS = 8

/** Asks what became of an effect whose answer was lost. */
const checkBeats = (summary: string, { timeoutSeconds }: PendingEffect['effect']) =>
  proxyActivities<Effects>({
    summary,
    startToCloseTimeout: `${timeoutSeconds + 60}s`,
    heartbeatTimeout: '12s',
    retry: {
      initialInterval: '1s',
      backoffCoefficient: 2,
      maximumInterval: '60s',
      maximumAttempts: CHECKS,
    },
  })

/**
 * Performs an effect, or asks what became of it. A worker that has not its code does nothing, so it is given
 * out again until one has; attempts that were made before count.
 */
export async function performed(
  summary: string,
  effect: PendingEffect['effect'],
  input: PerformInput,
): Promise<void> {
  for (let made = 0; ; ) {
    const beats =
      input.check === true
        ? checkBeats(summary, effect)
        : effectBeats(summary, { ...effect, attempts: Math.max(1, effect.attempts - made) })
    const left = await beats[effect.operation]?.(made === 0 ? input : { ...input, made })
    if (left == null) return
    made = left.elsewhere.made
    await sleep(left.elsewhere.waitMs, { summary: WAITS_FOR_CODE })
  }
}

export const WAITS_FOR_CODE = 'waits for a worker with the code of the moment'
