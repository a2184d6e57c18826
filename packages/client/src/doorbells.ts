import type { Client } from '@temporalio/client'
import { type ChainDb, listUnrung } from '@treeos/chain'
import type { BeingName } from '@treeos/core'
import type { Kysely } from 'kysely'
import { ringBeing } from './doorbell.ts'

/** Calls to Temporal under way at once. */
const RINGING_MAX = 16
const SWEEP_EVERY_MS = 5000
/** A wake that rested this long unclaimed lost its doorbell, or its being is busy: one more ring tells. */
const UNRUNG_SECONDS = 5
const SWEEP_BEINGS_MAX = 500

export interface DoorbellOptions {
  readonly client: Client
  readonly db: Kysely<ChainDb>
  readonly reality: string
  readonly taskQueue: string
  readonly onError: (where: string, error: unknown) => void
}

/**
 * Rings beings after the commit that filled their inbox. Rings for one being coalesce, a failed one is left to the sweep:
 * the inbox is in Postgres, so a lost ring costs latency only.
 */
export class Doorbells {
  readonly #options: DoorbellOptions
  readonly #waiting = new Set<BeingName>()
  #ringing = 0
  #closed = false
  #sweeping: Promise<void> = Promise.resolve()
  #wakeSweeper: () => void = () => undefined

  constructor(options: DoorbellOptions) {
    this.#options = options
  }

  /** Returns at once. */
  ring(beings: readonly BeingName[]): void {
    for (const being of beings) this.#waiting.add(being)
    while (this.#ringing < RINGING_MAX && this.#waiting.size > 0) void this.#ringNext()
  }

  async #ringNext(): Promise<void> {
    const [being] = this.#waiting
    if (being === undefined) return
    this.#waiting.delete(being)
    this.#ringing += 1
    try {
      const { client, reality, taskQueue } = this.#options
      await ringBeing(client, { reality, taskQueue }, being)
    } catch (error) {
      this.#options.onError('doorbell', error)
    } finally {
      this.#ringing -= 1
      this.ring([])
    }
  }

  /** Starts ringing again, every few seconds, for wakes that nobody took. */
  sweep(): void {
    this.#sweeping = this.#sweepUntilClosed()
  }

  async #sweepUntilClosed(): Promise<void> {
    while (!this.#closed) {
      try {
        this.ring(await listUnrung(this.#options.db, UNRUNG_SECONDS, SWEEP_BEINGS_MAX))
      } catch (error) {
        this.#options.onError('sweep', error)
      }
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, SWEEP_EVERY_MS)
        this.#wakeSweeper = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
  }

  /** Stops the sweep; rings under way may still arrive. */
  async close(): Promise<void> {
    this.#closed = true
    this.#wakeSweeper()
    await this.#sweeping
  }
}
