import type { ServerState } from '@treeos/tools/servers'

export type { ServerState } from '@treeos/tools/servers'

const ANSWER_MS = 2000

/**
 * Asks workers what their tool servers do. A server that is down in one of them is told as that.
 * @param metrics their URLs
 */
export async function readToolServers(metrics: readonly string[]): Promise<Record<string, ServerState>> {
  const told = await Promise.all(metrics.map(ask))
  const all: Record<string, ServerState> = {}
  for (const [name, state] of told.flatMap((one) => Object.entries(one)))
    if (all[name] === undefined || all[name].state === 'idle' || state.state === 'down') all[name] = state
  return all
}

async function ask(url: string): Promise<Record<string, ServerState>> {
  try {
    const response = await fetch(new URL('/tools', url), { signal: AbortSignal.timeout(ANSWER_MS) })
    return response.ok ? ((await response.json()) as Record<string, ServerState>) : {}
  } catch {
    return {} // the metrics of a worker that does not answer are told as silent
  }
}

/** One line for people. */
export function describeServer({ state, pid, protocol, restarts, fault }: ServerState): string {
  const again = restarts === 0 ? '' : `, started again ${restarts === 1 ? 'once' : `${restarts} times`}`
  const why = fault === null ? '' : ` (${JSON.stringify(fault)})`
  if (state === 'idle') return 'waits for its first call'
  if (state === 'down') return `down${why}${again}; it is started again`
  return `${pid === null ? 'connected' : `process ${pid}`}, protocol ${protocol}${again}${again === '' ? '' : why}`
}
