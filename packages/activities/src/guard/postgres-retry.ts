import { setTimeout as sleep } from 'node:timers/promises'
import { Context } from '@temporalio/activity'
import { isTransient } from '@treeos/store'
import type { Observer } from './observer.ts'

const WAIT_MS_MIN = 200
const WAIT_MS_MAX = 2000

/**
 * Retries work while Postgres is unavailable, until the activity is cancelled. An activity with few attempts would use them
 * up in an outage of seconds, and the moment would fail although the model is fine.
 * @param work must be idempotent
 */
export async function withPostgresRetry<T>(observe: Observer, work: () => Promise<T>): Promise<T> {
  const { cancellationSignal: signal } = Context.current()
  for (let wait = WAIT_MS_MIN; ; wait = Math.min(2 * wait, WAIT_MS_MAX)) {
    try {
      return await work()
    } catch (error) {
      if (!isTransient(error) || signal.aborted) throw error
      observe.error('waiting for Postgres', error)
      await sleep(wait, undefined, { signal })
    }
  }
}
