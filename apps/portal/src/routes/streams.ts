import { type BeingName, TreeosError } from '@treeos/core'

const STREAMS_MAX = 200
const STREAMS_MAX_PER_SESSION = 8

const STREAMS_MAX_PER_PERSON = 16

interface StreamOwner {
  readonly session: string
  readonly person: BeingName
}

/** The live streams that are open, by their session. */
export class Streams {
  readonly #open = new Map<string, Set<AbortController>>()
  readonly #ofPerson = new Map<BeingName, number>()

  /** @throws {TreeosError} RATE_LIMITED when too many are open */
  open({ session, person }: StreamOwner): { readonly signal: AbortSignal; close(): void } {
    const all = [...this.#open.values()].reduce((sum, { size }) => sum + size, 0)
    const own = this.#open.get(session) ?? new Set()
    const ofPerson = this.#ofPerson.get(person) ?? 0
    if (all >= STREAMS_MAX || ofPerson >= STREAMS_MAX_PER_PERSON || own.size >= STREAMS_MAX_PER_SESSION)
      throw new TreeosError('RATE_LIMITED', 'too many live pages are open: close some of them')
    const stopping = new AbortController()
    this.#open.set(session, own.add(stopping))
    this.#ofPerson.set(person, ofPerson + 1)
    let isOpen = true
    return {
      signal: stopping.signal,
      close: () => {
        stopping.abort()
        if (!isOpen) return
        isOpen = false
        const left = (this.#ofPerson.get(person) ?? 1) - 1
        if (left === 0) this.#ofPerson.delete(person)
        else this.#ofPerson.set(person, left)
        own.delete(stopping)
        if (own.size === 0 && this.#open.get(session) === own) this.#open.delete(session)
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
