import { Context } from '@temporalio/activity'

/** Proves that the process lives, so that a killed worker's moment goes on elsewhere within seconds. */
const HEARTBEAT_MS = 3000

export async function heartbeating<T>(work: () => Promise<T>): Promise<T> {
  const beat = setInterval(() => Context.current().heartbeat(), HEARTBEAT_MS)
  try {
    return await work()
  } finally {
    clearInterval(beat)
  }
}
