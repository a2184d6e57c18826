import type { BeingName } from '@treeos/core'
import type { ProvingClient } from '@treeos/postgres'
import type { WordNotice } from './word-notices.ts'

type WordListener = (words: WordNotice) => void

interface BeingStream {
  readonly heard: Set<WordListener>
  readonly ready: PromiseWithResolvers<void>
}

/**
 * Who watches which being over one connection. While somebody does, the connection holds an advisory lock in
 * share mode: where that is free, `claim_and_read` says that nobody watches, and a model is not asked to
 * stream. It goes with its connection, so nothing is left of a process that died.
 */
export class WordStreams {
  /** `pg` takes one statement of a client at a time */
  #asked: Promise<unknown> = Promise.resolve()
  readonly #watched = new Map<BeingName, BeingStream>()
  #client: ProvingClient | null = null

  add(being: BeingName, heard: WordListener): { readonly ready: Promise<void>; end(): void } {
    const streamed = this.#watched.get(being) ?? { heard: new Set(), ready: Promise.withResolvers() }
    const isFirst = streamed.heard.size === 0
    this.#watched.set(being, streamed)
    // A function of its own, so that one that watches twice is told twice.
    const own: WordListener = (words) => heard(words)
    streamed.heard.add(own)
    if (isFirst && this.#client !== null) this.#lock(this.#client, being, streamed).catch(() => undefined)
    return {
      ready: streamed.ready.promise,
      end: () => {
        if (!streamed.heard.delete(own) || streamed.heard.size > 0) return
        this.#watched.delete(being)
        const client = this.#client
        // A connection that is lost loses its locks.
        if (client !== null) this.inTurn(() => unlock(client, being)).catch(() => undefined)
      },
    }
  }

  tell(words: WordNotice): void {
    for (const heard of this.#watched.get(words.being)?.heard ?? []) heard(words)
  }

  /** Holds the locks of all who watch, over a new connection. @throws when that is lost */
  async connect(client: ProvingClient): Promise<void> {
    this.#client = client
    for (const [being, streamed] of [...this.#watched]) await this.#lock(client, being, streamed)
  }

  disconnect(): void {
    this.#client = null
  }

  /** @throws when the connection is lost; the next one holds it again */
  async #lock(client: ProvingClient, being: BeingName, { ready }: BeingStream): Promise<void> {
    await this.inTurn(() => lock(client, being))
    ready.resolve()
  }

  /** Asks after all that was asked before over the connection. */
  inTurn<T>(ask: () => Promise<T>): Promise<T> {
    const asked = this.#asked.then(ask, ask)
    this.#asked = asked.catch(() => undefined)
    return asked
  }
}

const lock = (client: ProvingClient, being: BeingName) =>
  client.query('select pg_advisory_lock_shared(1953654118, hashtext($1))', [being])
const unlock = (client: ProvingClient, being: BeingName) =>
  client.query('select pg_advisory_unlock_shared(1953654118, hashtext($1))', [being])
