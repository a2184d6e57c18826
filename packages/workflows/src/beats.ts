import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow'
import type { Effects, LocalBeats, MindBeats, PendingEffect } from '@treeos/protocol/workflow'

/**
 * Reads and appends take milliseconds and may run twice: local activities. They are retried for as long as Postgres is
 * away, since giving up would lose an act; only what no retry can mend ends them.
 */
export const localBeats = (summary: string) =>
  proxyLocalActivities<LocalBeats>({
    summary,
    startToCloseTimeout: '30s',
    retry: {
      initialInterval: '200ms',
      backoffCoefficient: 2,
      maximumInterval: '10s',
      nonRetryableErrorTypes: ['StaleGenerationError', 'UnknownBeingError'],
    },
  })

/**
 * A mind may take minutes, so it is a regular activity: it ends the workflow task, is seen in the UI, and its heartbeat
 * moves it to another worker within seconds of a crash. Transport failures are retried a few times, then the moment fails.
 */
export const mindBeats = (summary: string) =>
  proxyActivities<MindBeats>({
    summary,
    startToCloseTimeout: '15m',
    scheduleToCloseTimeout: '20m',
    heartbeatTimeout: '12s',
    retry: {
      initialInterval: '500ms',
      backoffCoefficient: 2,
      maximumInterval: '10s',
      maximumAttempts: MIND_ATTEMPTS,
    },
  })

/** Model calls of one moment that may fail in transport before the moment is a failure. */
const MIND_ATTEMPTS = 4

/**
 * What reaches outside is bounded by whoever wrote the operation; its heartbeat, like a mind's, moves it to another worker
 * within seconds of a crash.
 */
export const effectBeats = (summary: string, { timeoutSeconds, attempts }: PendingEffect['effect']) =>
  proxyActivities<Effects>({
    summary,
    // The attempt bounds itself; the rest is for a Postgres that is away before or after it.
    startToCloseTimeout: `${timeoutSeconds + 60}s`,
    heartbeatTimeout: '12s',
    retry: {
      initialInterval: '500ms',
      backoffCoefficient: 2,
      maximumInterval: '30s',
      maximumAttempts: attempts,
    },
  })
