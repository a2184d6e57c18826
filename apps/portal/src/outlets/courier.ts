import { RecurringWork } from '@treeos/client'
import { TreeosError } from '@treeos/core'
import type { Portal } from '../portal.ts'
import {
  type Delivery,
  type DeliveryResult,
  forgetOld,
  hasOutlets,
  noteOpenEntries,
  settleDelivery,
  takeDue,
} from './deliveries.ts'
import type { Mail } from './email.ts'
import { sendEmail } from './email.ts'
import { describeEntry } from './message.ts'
import { sendWebhook } from './webhook.ts'

export interface CourierOptions {
  /** private hosts that webhooks may reach, as host or host:port */
  readonly privateHosts?: readonly string[] | undefined
  /** by which e-mail goes; null where the operator named no server */
  readonly mail?: Mail | null | undefined
  readonly everyMs?: number | undefined
  readonly graceSeconds?: number | undefined
  /** how long a delivery that was taken in hand is nobody else's */
  readonly holdSeconds?: number | undefined
  /** before each further try; after the last of them it is given up */
  readonly againInSeconds?: readonly number[] | undefined
}

const EVERY_MS = 2_000
const AT_ONCE = 16
const AT_ONCE_PER_PERSON = 4
const HOLD_SECONDS = 60
/** A day in all. */
const AGAIN_IN_SECONDS = [5, 30, 120, 600, 1800, 3600, 3 * 3600, 6 * 3600, 12 * 3600]
const FORGET_MS = 3600_000
const FAULT_CHARS_MAX = 300

/**
 * Tells people beside the page what waits in their inboxes: looks for open entries that were not told, and
 * tells them, at least once each. Several portals share the work by the table of deliveries.
 */
export class Courier {
  readonly #portal: Pick<Portal, 'at' | 'store' | 'onError'>
  readonly #options: CourierOptions
  readonly #rounds: RecurringWork
  readonly #closing = new AbortController()
  readonly #underWay = new Set<Delivery>()
  readonly #attempts = new Set<Promise<void>>()
  #forgotAt = Number.NEGATIVE_INFINITY

  constructor(portal: Pick<Portal, 'at' | 'store' | 'onError'>, options: CourierOptions = {}) {
    this.#portal = portal
    this.#options = options
    this.#rounds = new RecurringWork(
      options.everyMs ?? EVERY_MS,
      () => this.#round(),
      (error) => portal.onError('outlets', error),
    )
  }

  start(): void {
    this.#rounds.start()
  }

  /** A try under way is given up, and made again by whoever looks next. */
  async close(): Promise<void> {
    this.#closing.abort()
    await this.#rounds.close()
    await Promise.all(this.#attempts)
  }

  async #round(): Promise<void> {
    const { store } = this.#portal
    if (!(await hasOutlets(store))) return
    await noteOpenEntries(store, this.#options.graceSeconds)
    if (performance.now() - this.#forgotAt > FORGET_MS) {
      await forgetOld(store)
      this.#forgotAt = performance.now()
    }
    await this.#begin()
  }

  /** Begins as many tries as there is room for. When one ends, the next ones begin at once. */
  async #begin(): Promise<void> {
    const limit = AT_ONCE - this.#underWay.size
    if (limit <= 0 || this.#closing.signal.aborted) return
    const due = await takeDue(this.#portal.store, {
      limit,
      perPerson: AT_ONCE_PER_PERSON,
      without: [...new Set([...this.#underWay].map(({ being }) => being))],
      holdSeconds: this.#options.holdSeconds ?? HOLD_SECONDS,
    })
    for (const delivery of due) {
      this.#underWay.add(delivery)
      const ended = this.#deliver(delivery).finally(() => {
        this.#underWay.delete(delivery)
        this.#attempts.delete(ended)
        if (this.#underWay.size === 0)
          this.#begin().catch((error: unknown) => this.#portal.onError('outlets', error))
      })
      this.#attempts.add(ended)
    }
  }

  async #deliver(delivery: Delivery): Promise<void> {
    const { store, onError } = this.#portal
    const result = await this.#attempt(delivery).catch((error: unknown): DeliveryResult | null => {
      if (this.#closing.signal.aborted) return null // due again after its time, and told with the same id
      return this.#failed(delivery, error)
    })
    if (result === null) return
    await settleDelivery(store, delivery, result).catch((error: unknown) => onError('outlets', error))
  }

  async #attempt(delivery: Delivery): Promise<DeliveryResult> {
    const { at } = this.#portal
    const { signal } = this.#closing
    const entry = delivery.want === 'confirm' ? null : await describeEntry(at.db, delivery.entry)
    if (delivery.want !== 'confirm' && entry === null) return { state: 'moot' }
    const attempt = { delivery, entry, signal }
    if (delivery.kind === 'webhook') await sendWebhook(at, attempt, this.#options.privateHosts ?? [])
    else await sendEmail(at, attempt, this.#options.mail ?? null)
    return { state: 'sent' }
  }

  #failed({ attempts }: Delivery, error: unknown): DeliveryResult {
    const fault = deliveryFault(error)
    const againInSeconds = (this.#options.againInSeconds ?? AGAIN_IN_SECONDS)[attempts - 1]
    return againInSeconds === undefined ? { state: 'dead', fault } : { state: 'due', fault, againInSeconds }
  }
}

/** Our words, or the code of a connection that failed. What a receiver wrote is not kept. */
function deliveryFault(error: unknown): string {
  if (error instanceof TreeosError) return error.message.slice(0, FAULT_CHARS_MAX)
  const { code, name } = error as { code?: unknown; name?: unknown }
  return String(code ?? name ?? 'failed').slice(0, FAULT_CHARS_MAX)
}
