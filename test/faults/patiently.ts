import { setTimeout as sleep } from 'node:timers/promises'

const PATIENCE_MS = 60_000

/** Retries while a server is away. `ask` must be idempotent. */
export async function patiently<T>(ask: () => Promise<T>): Promise<T> {
  for (const until = Date.now() + PATIENCE_MS; ; await sleep(50)) {
    try {
      return await ask()
    } catch (error) {
      if (Date.now() > until) throw error
    }
  }
}
