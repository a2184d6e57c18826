import type { BeingName } from '@treeos/core'
import type pg from 'pg'
import type { Words } from './words.ts'

type Heard = (words: Words) => void

interface Watched {
  readonly heard: Set<Heard>
  readonly ready: PromiseWithResolvers<void>
}

/**
 * Who watches which being over one connection. While somebody does, the connection holds an advisory lock in share mode: where that
 * is free, `claim_and_read` says that nobody watches, and a model is not asked to stream. It goes with its connection, so nothing is
 * left of a process that died.
 */
export class Watchers {
  /** `pg` takes one statement of a client at a time */
  #asked: Promise<unknown> = Promise.resolve()
  readonly #watched = new Map<BeingName, Watched>()
  #client: pg.Client | null = null

  add(being: BeingName, heard: Heard): { readonly ready: Promise<void>; end(): void } {
    const watched = this.#watched.get(being) ?? { heard: new Set(), ready: Promise.withResolvers() }
    const isFirst = watched.heard.size === 0
    this.#watched.set(being, watched)
    // A function of its own, so that one that watches twice is told twice.
    const own: Heard = (words) => heard(words)
    watched.heard.add(own)
    if (isFirst && this.#client !== null) this.#hold(this.#client, being, watched).catch(() => undefined)
    return {
      ready: watched.ready.promise,
      end: () => {
        if (!watched.heard.delete(own) || watched.heard.size > 0) return
        this.#watched.delete(being)
        const client = this.#client
        // A connection that is lost loses its locks.
        if (client !== null) this.inTurn(() => release(client, being)).catch(() => undefined)
      },
    }
  }

  tell(words: Words): void {
    for (const heard of this.#watched.get(words.being)?.heard ?? []) heard(words)
  }

  /** Holds the locks of all who watch, over a new connection. @throws when that is lost */
  async connect(client: pg.Client): Promise<void> {
    this.#client = client
    for (const [being, watched] of [...this.#watched]) await this.#hold(client, being, watched)
  }

  disconnect(): void {
    this.#client = null
  }

  /** @throws when the connection is lost; the next one holds it again */
  async #hold(client: pg.Client, being: BeingName, { ready }: Watched): Promise<void> {
    await this.inTurn(() => hold(client, being))
    ready.resolve()
  }

  /** Asks after all that was asked before over the connection. */
  inTurn<T>(ask: () => Promise<T>): Promise<T> {
    const asked = this.#asked.then(ask, ask)
    this.#asked = asked.catch(() => undefined)
    return asked
  }
}

const hold = (client: pg.Client, being: BeingName) =>
  client.query('select pg_advisory_lock_shared(1953654118, hashtext($1))', [being])
const release = (client: pg.Client, being: BeingName) =>
  client.query('select pg_advisory_unlock_shared(1953654118, hashtext($1))', [being])
