import { Context } from '@temporalio/activity'

/** With heartbeats Temporal notices a killed worker within seconds and moves the activity to another one. */
const HEARTBEAT_MS = 3000

export async function heartbeating<T>(work: () => Promise<T>): Promise<T> {
  const beat = setInterval(() => Context.current().heartbeat(), HEARTBEAT_MS)
  try {
    return await work()
  } finally {
    clearInterval(beat)
  }
}
