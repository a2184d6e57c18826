import { type BeingName, stanceOf, TreeosError } from '@treeos/core'
import { authorizeGrant, type TokenGrant } from '../access/tokens.ts'
import type { Connection } from '../summons/connection.ts'
import { type Inhabitation, inhabit, mayActAs } from './inhabitation.ts'

/** Receives errors that no client is to see. */
export type ErrorListener = (where: string, error: unknown) => void

/** What bounds a person over all the tokens that are for it. */
export interface SeatBounds {
  /** @returns ends the call @throws {TreeosError} RATE_LIMITED */
  beginCall(person: BeingName): () => void
  /** Counts an act. @throws {TreeosError} RATE_LIMITED */
  act(person: BeingName): Promise<void>
}

/** Who has a seat. */
export interface SeatBearer extends TokenGrant {
  /** for whom the token is: its calls count for this one */
  readonly person: BeingName
}

/** Concurrent calls of one bearer: each of them uses Postgres. */
const CALLS_MAX = 16

/**
 * How a bearer acts as a being. A person's being acts directly. Any other being is inhabited from the first
 * use until the seat is left; before and after, its own model decides.
 */
export class Seat {
  readonly bearer: SeatBearer
  /** a person acts as itself; false until the seat is taken */
  isPerson = false
  readonly #at: Connection
  readonly #onError: ErrorListener
  #inhabitation: Inhabitation | null = null
  #taken: Promise<Connection> | null = null
  #leaving: Promise<void> = Promise.resolve()
  #calls = 0
  #isClosed = false
  #usedAt = Date.now()

  readonly #bounds: SeatBounds

  constructor(at: Connection, bearer: SeatBearer, onError: ErrorListener, bounds: SeatBounds) {
    this.#at = at
    this.#bounds = bounds
    this.bearer = bearer
    this.#onError = onError
  }

  /**
   * Does something as the being.
   * @throws {TreeosError} RATE_LIMITED, the refusal of the lease, and what `act` throws
   */
  async use<T>(act: (at: Connection, being: BeingName) => Promise<T>): Promise<T> {
    if (this.#calls >= CALLS_MAX) {
      throw new TreeosError(
        'RATE_LIMITED',
        `${CALLS_MAX} calls as ${stanceOf(this.bearer.being)} are under way: wait for one of them to end`,
      )
    }
    const end = this.#bounds.beginCall(this.bearer.person)
    this.#calls++
    try {
      return await act(await this.#seated(), this.bearer.being)
    } finally {
      end()
      this.#calls--
      this.#usedAt = Date.now()
    }
  }

  /**
   * Does something that writes.
   * @throws {TreeosError} RATE_LIMITED for more acts than a person has, else as `use`
   */
  async act<T>(does: (at: Connection, being: BeingName) => Promise<T>): Promise<T> {
    await this.#bounds.act(this.bearer.person)
    return this.use(does)
  }

  /**
   * Takes the lease, unless this seat has it. After a refusal the next call tries again.
   * @throws {TreeosError} UNAUTHORIZED after the seat was closed
   */
  take(): Promise<Connection> {
    if (this.#isClosed)
      return Promise.reject(
        new TreeosError(
          'UNAUTHORIZED',
          `${stanceOf(this.bearer.being)} was given back, since its token has ended or was not used: ask again`,
        ),
      )
    this.#usedAt = Date.now()
    if (this.#taken !== null) return this.#taken
    const taken = this.#sitDown()
    this.#taken = taken
    taken.catch(() => {
      if (this.#taken === taken) this.#taken = null
    })
    return taken
  }

  /** Takes the seat again if the lease has ended: the being or its elders may end it by `be release`. */
  async #seated(): Promise<Connection> {
    const taken = this.take()
    const at = await taken
    if (this.#inhabitation === null || (await mayActAs(at, this.bearer.being))) return at
    if (this.#taken === taken) await this.leave()
    return this.take()
  }

  /** How long the seat was idle; 0 while a call runs. */
  get idleMs(): number {
    return this.#calls > 0 ? 0 : Date.now() - this.#usedAt
  }

  /** Whether it is taken, or is being taken. */
  get isTaken(): boolean {
    return this.#taken !== null
  }

  /** Gives the being back for good: nothing takes the seat again. */
  close(): Promise<void> {
    this.#isClosed = true
    return this.leave()
  }

  /** Gives the being back to its own model. A later use takes the seat again. */
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
    const { person, inhabits } = await authorizeGrant(this.#at, this.bearer)
    const at = { ...this.#at, person, isProgram: true as const }
    this.isPerson = !inhabits
    if (!inhabits) return at
    const inhabitation = await inhabit(at, { being, as: issuer, own: true })
    this.#inhabitation = inhabitation
    void inhabitation.over.then(() => {
      if (this.#inhabitation !== inhabitation) return
      this.#inhabitation = null
      this.#taken = null // lost, or released from elsewhere
    })
    return { ...at, lease: { being, epoch: inhabitation.epoch } }
  }

  /** A lease that could not be released is no longer renewed, so it expires. */
  async #standUp(taken: Promise<Connection>): Promise<void> {
    const isSitting = await taken.then(
      () => true,
      () => false, // the caller that asked for the seat got the error
    )
    const inhabitation = this.#inhabitation
    this.#inhabitation = null
    if (isSitting) await inhabitation?.release().catch((error: unknown) => this.#onError('release', error))
  }
}
