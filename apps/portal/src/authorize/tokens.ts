import {
  authorizeGrant,
  type Connection,
  type ErrorListener,
  RecurringWork,
  Seat,
  type SeatBearer,
  type VerifiedToken,
  verifyToken,
} from '@treeos/client'
import { type BeingName, TreeosError } from '@treeos/core'
import { A2A_PATH, AG_UI_PATH, API_PATH, CHAT_PATH } from '../api/path.ts'
import type { Visit } from '../portal.ts'

/** An unused seat keeps its being from its own mind no longer. */
const IDLE_MS = 60_000
const SWEEP_MS = 5_000
const REFUSED_MS = 5_000
const SEATS_MAX = 100
/** Of one person, over all tokens that are for it. */
const SEATS_MAX_PER_PERSON = 24

/** The secret of a request that brings an access token; null where it brings none. */
export function bearerOf({ headers }: Request): string | null {
  const [, secret] = /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '') ?? []
  return secret ?? null
}

/** Whether an access token opens anything at this path. */
export const isForPrograms = (path: string): boolean =>
  [API_PATH, CHAT_PATH, A2A_PATH, AG_UI_PATH].some((base) => path.startsWith(`${base}/`))

/** Counts what a person asks for. @throws {TreeosError} RATE_LIMITED */
interface PersonCounts {
  readonly person: (person: BeingName) => Promise<void>
  readonly acts: (person: BeingName) => Promise<void>
}

interface TakenSeat {
  readonly seat: Seat
  readonly secret: string
}

/**
 * The seats of access tokens for beings that are not persons. The person of the token drives such a being
 * from its first request on, and stops after a minute without a request, or when the token is revoked or has
 * expired.
 */
export class TokenSeats {
  readonly #at: Connection
  readonly #isTerminal: (secret: string) => Promise<boolean>
  readonly #onError: ErrorListener
  readonly #seats = new Map<string, TakenSeat>()
  readonly #refused = new Map<string, { readonly error: TreeosError; readonly until: number }>()
  readonly #sweeps: RecurringWork

  /** @param isTerminal whether a secret is of a terminal that its person let act as itself */
  constructor(at: Connection, onError: ErrorListener, isTerminal: (secret: string) => Promise<boolean>) {
    this.#at = at
    this.#isTerminal = isTerminal
    this.#onError = onError
    this.#sweeps = new RecurringWork(
      SWEEP_MS,
      () => this.#sweep(),
      (error) => onError('seats', error),
    )
  }

  start(): void {
    this.#sweeps.start()
  }

  /**
   * As whom requests with a token act. Each counts for the person for whom the token is: that it was issued by
   * the operator takes nothing from the operator.
   * @throws {TreeosError} RATE_LIMITED; the refusal of the grant or of the lease
   */
  async visitOf(
    { token, being, issuer }: VerifiedToken,
    secret: string,
    counts: PersonCounts,
  ): Promise<Visit> {
    const { person, inhabits } = await authorizeGrant(this.#at, { being, issuer })
    await counts.person(person)
    const seat = inhabits ? this.#seatOf(token, { being, issuer, person }, secret) : null
    const at =
      seat === null
        ? { ...this.#at, person, ...(await this.#kindOf(secret)) }
        : await this.#take(token, seat, counts.acts)
    const session = {
      session: `token ${token}`,
      isFresh: false,
      cookie: '',
      key: '',
      handle: null,
      lease: null,
    }
    return { ...session, at, being, person, token: { secret, seat } }
  }

  async #kindOf(secret: string): Promise<Pick<Connection, 'isProgram' | 'isTerminal'>> {
    return (await this.#isTerminal(secret)) ? { isTerminal: true } : { isProgram: true }
  }

  /**
   * To sit down is an act of the person. One that was refused is refused again for some seconds, without a
   * try.
   */
  async #take(
    token: string,
    seat: Seat,
    countAct: (person: BeingName) => Promise<void>,
  ): Promise<Connection> {
    if (seat.isTaken) return seat.take()
    const refused = this.#refused.get(token)
    if (refused !== undefined && refused.until > Date.now()) throw refused.error
    await countAct(seat.bearer.person)
    try {
      return await seat.take()
    } catch (error) {
      this.#seats.delete(token)
      if (error instanceof TreeosError) this.#refused.set(token, { error, until: Date.now() + REFUSED_MS })
      throw error
    }
  }

  #seatOf(token: string, grant: SeatBearer, secret: string): Seat {
    const known = this.#seats.get(token)
    if (known !== undefined) return known.seat
    const own = [...this.#seats.values()].filter((one) => one.seat.bearer.person === grant.person)
    if (this.#seats.size >= SEATS_MAX || own.length >= SEATS_MAX_PER_PERSON)
      throw new TreeosError(
        'RATE_LIMITED',
        `${own.length} beings are driven by tokens of yours, of at most ${SEATS_MAX_PER_PERSON}, and ${this.#seats.size} in all: ` +
          'each is given back a minute after its last request',
      )
    // Requests are bounded before they come here.
    const bounds = { beginCall: () => () => undefined, act: async () => undefined }
    const seat = new Seat(this.#at, grant, this.#onError, bounds)
    this.#seats.set(token, { seat, secret })
    return seat
  }

  async #sweep(): Promise<void> {
    // At once: to give one back may take as long as an act, and the others end in time.
    await Promise.all(
      [...this.#seats].map(([token, taken]) =>
        this.#sweepOne(token, taken).catch((error: unknown) => this.#onError('seats', error)),
      ),
    )
    for (const [token, { until }] of this.#refused) if (until < Date.now()) this.#refused.delete(token)
  }

  async #sweepOne(token: string, { seat, secret }: TakenSeat): Promise<void> {
    if (seat.idleMs < IDLE_MS && (await verifyToken(this.#at, secret)) !== null) return
    this.#seats.delete(token)
    await seat.close()
  }

  /** Gives every being back. */
  async close(): Promise<void> {
    await this.#sweeps.close()
    await Promise.all([...this.#seats.values()].map(({ seat }) => seat.close()))
  }
}
