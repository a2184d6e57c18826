import { RecurringWork } from '@treeos/client'
import { codesOf, sealingCodeOf } from '@treeos/reality'
import { announceWorker, forgetWorker, type LoadedVersion, type StoreDb } from '@treeos/store'
import type { Registry } from '@treeos/world'
import type { Kysely } from 'kysely'

/** A third of the time after which a silent worker counts as dead. */
const ANNOUNCE_EVERY_MS = 5000

const LOOK_EVERY_MS = 250

interface PresenceOptions {
  readonly db: Kysely<StoreDb>
  readonly registry: Registry
  /** the worker takes no further tasks, though it may have some under way */
  readonly isEnding: () => boolean
  readonly onError: (error: unknown) => void
}

/** Tells the other workers of a reality that this one takes moments, and which code it has loaded. */
export class Presence {
  readonly id: string
  readonly #db: Kysely<StoreDb>
  readonly #codes: Readonly<Record<string, LoadedVersion>>
  readonly #announcing: RecurringWork
  #work: () => Promise<void> = async () => undefined
  readonly #isEnding: () => boolean
  readonly #onError: (error: unknown) => void
  #looking: NodeJS.Timeout | undefined
  #hasLeft = false

  constructor(id: string, { db, registry, isEnding, onError }: PresenceOptions) {
    this.id = id
    this.#db = db
    this.#isEnding = isEnding
    this.#onError = onError
    this.#codes = Object.fromEntries(
      [...codesOf(registry)].map(([name, { version, digest, code }]) => [
        name,
        { version, digest, code, sealing: sealingCodeOf(registry, name) },
      ]),
    )
    this.#announcing = new RecurringWork(ANNOUNCE_EVERY_MS, () => this.#renew(), onError)
  }

  /** Resolves once the others see it. */
  announce(): Promise<void> {
    return this.#hasLeft ? Promise.resolve() : announceWorker(this.#db, { id: this.id, codes: this.#codes })
  }

  async #renew(): Promise<void> {
    await this.announce()
    if (!this.#hasLeft) await this.#work()
  }

  /** @param work done with each renewal */
  start(work: () => Promise<void>): void {
    this.#work = work
    this.#announcing.start()
    this.#looking = setInterval(() => {
      if (this.#isEnding()) this.leave().catch(this.#onError)
    }, LOOK_EVERY_MS)
  }

  /** It takes no further moments, so the others need not wait for it. Safe to call twice. */
  async leave(): Promise<void> {
    if (this.#hasLeft) return
    this.#hasLeft = true
    clearInterval(this.#looking)
    await this.#announcing.close()
    await forgetWorker(this.#db, this.id)
  }
}
