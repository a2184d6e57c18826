import { TreeosError } from '@treeos/core'

const STREAMS_MAX = 200
const STREAMS_MAX_PER_SESSION = 8

/** The live streams that are open, by their session. */
export class Streams {
  readonly #open = new Map<string, Set<AbortController>>()

  /** @throws {TreeosError} RATE_LIMITED when too many are open */
  open(session: string): { readonly signal: AbortSignal; close(): void } {
    const all = [...this.#open.values()].reduce((sum, { size }) => sum + size, 0)
    const own = this.#open.get(session) ?? new Set()
    if (all >= STREAMS_MAX || own.size >= STREAMS_MAX_PER_SESSION)
      throw new TreeosError('RATE_LIMITED', 'too many live pages are open: close some of them')
    const stopping = new AbortController()
    this.#open.set(session, own.add(stopping))
    return {
      signal: stopping.signal,
      close: () => {
        stopping.abort()
        own.delete(stopping)
        if (own.size === 0) this.#open.delete(session)
      },
    }
  }

  endOf(session: string): void {
    for (const stopping of this.#open.get(session) ?? []) stopping.abort()
  }

  endAll(): void {
    for (const session of this.#open.keys()) this.endOf(session)
  }
}
