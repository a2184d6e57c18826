import type { Ran } from './scenario.ts'

declare module 'vitest' {
  interface TaskMeta {
    /** why each attempt but the last was repeated; scripts/check.ts counts and shows them */
    retried?: string[]
  }
}

interface Attempts {
  once(): Promise<Ran>
  /** whether another attempt may end better */
  mayPass(ran: Ran): boolean
}

/**
 * Runs an experiment again when it could not be set up or may pass. Each repetition is noted in the test's
 * report.
 */
export async function attempt(
  { name, meta }: { readonly name: string; readonly meta: { retried?: string[] } },
  attemptsMax: number,
  { once, mayPass }: Attempts,
): Promise<Ran> {
  for (let attempt = 1; ; attempt++) {
    let reason: string
    try {
      const ran = await once()
      if (attempt === attemptsMax || !mayPass(ran)) return ran
      reason = ran.broken.join('; ') || 'nothing was broken'
    } catch (error) {
      if (attempt === attemptsMax) throw error
      reason = String(error)
    }
    const [line = ''] = reason.split('\n')
    meta.retried = [...(meta.retried ?? []), line]
    console.error(`faults: attempt ${attempt} of ${name} is repeated, since ${reason}`)
  }
}
