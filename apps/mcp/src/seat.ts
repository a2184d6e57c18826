import {
  authorizeActingAs,
  type Bearer,
  type Connection,
  type Inhabiting,
  inhabit,
  standingOf,
} from '@treeos/client'
import { type BeingName, stanceOf, TreeosError } from '@treeos/core'

/** Told of what nobody who is connected can be told. */
export type ErrorListener = (where: string, error: unknown) => void

/** Calls of one bearer under way at once: each of them waits on Postgres. */
const CALLS_MAX = 16

/**
 * The place that a bearer takes in a being. A person's being acts by itself; any other one is inhabited from the first use
 * on, until the seat is left, and lives by its own mind before and after.
 */
export class Seat {
  readonly bearer: Bearer
  readonly #at: Connection
  readonly #onError: ErrorListener
  #hands: Inhabiting | null = null
  #taken: Promise<Connection> | null = null
  #leaving: Promise<void> = Promise.resolve()
  #calls = 0
  #usedAt = Date.now()

  constructor(at: Connection, bearer: Bearer, onError: ErrorListener) {
    this.#at = at
    this.bearer = bearer
    this.#onError = onError
  }

  /**
   * Does something as the being.
   * @throws {TreeosError} RATE_LIMITED, the refusal of the lease, and whatever `act` throws
   */
  async use<T>(act: (at: Connection, being: BeingName) => Promise<T>): Promise<T> {
    if (this.#calls >= CALLS_MAX) {
      throw new TreeosError(
        'RATE_LIMITED',
        `${CALLS_MAX} calls as ${stanceOf(this.bearer.being)} are under way: wait for one of them to end`,
      )
    }
    this.#calls++
    try {
      return await act(await this.#seated(), this.bearer.being)
    } finally {
      this.#calls--
      this.#usedAt = Date.now()
    }
  }

  /** Takes the seat, unless it is taken. A refusal leaves it free: the next one asks again. */
  take(): Promise<Connection> {
    if (this.#taken !== null) return this.#taken
    this.#usedAt = Date.now()
    const taken = this.#sitDown()
    this.#taken = taken
    taken.catch(() => {
      if (this.#taken === taken) this.#taken = null
    })
    return taken
  }

  /** A lease may have ended elsewhere: the being itself gives it up by `be release`, and so may its elders. */
  async #seated(): Promise<Connection> {
    const taken = this.take()
    const at = await taken
    if (this.#hands === null || (await mayAct(at, this.bearer.being))) return at
    if (this.#taken === taken) await this.leave()
    return this.take()
  }

  /** How long nobody has done anything here; 0 while somebody does. */
  get idleMs(): number {
    return this.#calls > 0 ? 0 : Date.now() - this.#usedAt
  }

  /** Gives the being back to its own mind. Whoever uses the seat later takes it again. */
  leave(): Promise<void> {
    const taken = this.#taken
    if (taken === null) return this.#leaving
    this.#taken = null
    this.#leaving = this.#standUp(taken)
    return this.#leaving
  }

  async #sitDown(): Promise<Connection> {
    await this.#leaving
    const { being, issuer } = this.bearer
    const { person, inhabits } = await standingOf(this.#at, this.bearer)
    const at = { ...this.#at, person }
    if (!inhabits) return at
    const hands = await inhabit(at, { being, as: issuer, own: true })
    this.#hands = hands
    void hands.over.then(() => {
      if (this.#hands !== hands) return
      this.#hands = null
      this.#taken = null // lost, or released from elsewhere
    })
    return at
  }

  /** A lease that could not be given back is renewed no more, and runs out by itself. */
  async #standUp(taken: Promise<Connection>): Promise<void> {
    const isSitting = await taken.then(
      () => true,
      () => false, // who asked for the seat was told why
    )
    const hands = this.#hands
    this.#hands = null
    if (isSitting) await hands?.release().catch((error: unknown) => this.#onError('release', error))
  }
}

const mayAct = (at: Connection, being: BeingName): Promise<boolean> =>
  authorizeActingAs(at, being).then(
    () => true,
    (error: unknown) => {
      if (error instanceof TreeosError && error.code === 'FORBIDDEN') return false
      throw error
    },
  )
