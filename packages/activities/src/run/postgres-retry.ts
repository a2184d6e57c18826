import { setTimeout as sleep } from 'node:timers/promises'
import { Context } from '@temporalio/activity'
import { isTransient } from '@treeos/chain'
import type { Observer } from './observer.ts'

const WAIT_MS_MIN = 200
const WAIT_MS_MAX = 2000

/**
 * Does something with Postgres again for as long as Postgres is away. A mind has few attempts, and an outage of a few
 * seconds would use them all up: the moment would fail for something that is none of the mind's. What is done must be
 * harmless to do twice.
 */
export async function withPostgresRetry<T>(observe: Observer, work: () => Promise<T>): Promise<T> {
  const { cancellationSignal: signal } = Context.current()
  for (let wait = WAIT_MS_MIN; ; wait = Math.min(2 * wait, WAIT_MS_MAX)) {
    try {
      return await work()
    } catch (error) {
      if (!isTransient(error) || signal.aborted) throw error
      observe.error('think waits for Postgres', error)
      await sleep(wait, undefined, { signal })
    }
  }
}
