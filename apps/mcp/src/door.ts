import { randomUUID } from 'node:crypto'
import {
  createMcpHandler,
  isInitializeRequest,
  isLegacyRequest,
  type McpHttpHandler,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import {
  actPace,
  type Connection,
  type ErrorListener,
  RecurringWork,
  Seat,
  type SeatBearer,
  type VerifiedToken,
  verifyToken,
} from '@treeos/client'
import { type BeingName, quote, stanceOf, TreeosError } from '@treeos/core'
import { createBeingServer } from './being-server.ts'
import { MESSAGE_BYTES_MAX, PersonBounds } from './bounds.ts'

/** A client with a valid token. */
export interface Visitor extends VerifiedToken, SeatBearer {
  readonly secret: string
}

export interface DoorOptions {
  /** how long an unused seat keeps the being from its own model; default 300 */
  readonly idleSeconds?: number
  /** how often invalid tokens and idle seats are looked for; default 5 */
  readonly sweepSeconds?: number
  /**
   * counts an act of a person; its own count, of TREEOS_ACTS_PER_MINUTE, when left out
   * @throws {TreeosError} RATE_LIMITED
   */
  readonly countAct?: (person: BeingName) => Promise<void>
  /** acts of one person within a minute, for its own count; 120 when left out */
  readonly actsPerMinute?: number
  readonly onError: ErrorListener
}

const SESSIONS_MAX = 100
const SESSIONS_MAX_PER_TOKEN = 8
/** Of one person, over all tokens that are for it. */
const SESSIONS_MAX_PER_PERSON = 24
/** A session unused for this long is closed. A client that comes back opens another one. */
const SESSION_IDLE_MS = 24 * 3600 * 1000
const SUBSCRIPTIONS_MAX = 100
/** How often a silent stream shows that it lives. Hasty proxies end one after 15 s, the library's own time. */
const BEAT_MS = 10_000

interface Session {
  readonly server: Server
  readonly transport: WebStandardStreamableHTTPServerTransport
  readonly place: Place
  usedAt: number
}

/** The seat of one token, shared by its sessions and requests. */
interface Place {
  readonly token: string
  readonly secret: string
  readonly seat: Seat
  /** current requests of the newer protocol, which has no sessions */
  requests: number
}

/**
 * The sessions and seats of all clients. A client of the 2025 protocol opens a session, which belongs to its
 * token; a client of the 2026 protocol sends each request by itself. Each token has one seat. The seat is
 * left when its last session closes, when it was idle for a while, and when its token is no longer valid.
 */
export class Door {
  readonly #at: Connection
  readonly #onError: ErrorListener
  readonly #idleMs: number
  readonly #sessions = new Map<string, Session>()
  readonly #places = new Map<string, Place>()
  readonly #modern: McpHttpHandler
  readonly #sweeps: RecurringWork
  readonly bounds: PersonBounds
  #isClosed = false

  constructor(
    at: Connection,
    { idleSeconds = 300, sweepSeconds = 5, countAct, actsPerMinute, onError }: DoorOptions,
  ) {
    this.bounds = new PersonBounds(countAct ?? actPace(actsPerMinute))
    this.#at = at
    this.#onError = onError
    this.#idleMs = idleSeconds * 1000
    this.#modern = createMcpHandler(
      ({ authInfo }) => {
        if (authInfo === undefined) throw new Error('a request that nobody vouched for')
        return createBeingServer((authInfo.extra as { place: Place }).place.seat, onError)
      },
      {
        legacy: 'reject',
        maxSubscriptions: SUBSCRIPTIONS_MAX,
        keepAliveMs: BEAT_MS,
        maxRequestBodySize: MESSAGE_BYTES_MAX,
        onerror: (error) => onError('request', error),
      },
    )
    this.#sweeps = new RecurringWork(
      sweepSeconds * 1000,
      () => this.#sweep(),
      (error) => onError('sweep', error),
    )
    this.#sweeps.start()
  }

  /**
   * Answers one request.
   * @param message the parsed body; undefined where there is none
   * @throws {TreeosError} the refusal of a session or of the seat
   */
  async answer(request: Request, message: unknown, visitor: Visitor): Promise<Response> {
    if (this.#isClosed) throw new TreeosError('SERVICE_UNAVAILABLE', 'this server is closing')
    const id = request.headers.get('mcp-session-id')
    if (id !== null) return this.#within(id, request, message, visitor)
    if (await isLegacyRequest(request, message)) return this.#open(request, message, visitor)
    return this.#once(request, message, visitor)
  }

  async #within(id: string, request: Request, message: unknown, visitor: Visitor): Promise<Response> {
    const session = this.#sessions.get(id)
    if (session === undefined)
      throw new TreeosError(
        'CORRELATION_NOT_FOUND',
        `no session ${quote(id)} is open: initialize another one`,
      )
    const { place, transport } = session
    if (place.token !== visitor.token)
      throw new TreeosError('FORBIDDEN', `session ${quote(id)} belongs to another token`)
    if (request.method === 'POST') session.usedAt = Date.now() // opening a stream again does not count as use
    const response = await transport.handleRequest(request, { parsedBody: message })
    // Answers the client that closes a session only when the being is free.
    if (request.method === 'DELETE') await this.#leaveUnused(place)
    return response
  }

  async #open(request: Request, message: unknown, visitor: Visitor): Promise<Response> {
    if (!isInitializeRequest(message)) {
      throw new TreeosError(
        'INVALID_INPUT',
        'the header Mcp-Session-Id is missing: initialize a session, then send the id that it got',
      )
    }
    const place = this.#placeOf(visitor)
    await this.#makeRoom(place)
    await place.seat.take()
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      keepAliveMs: BEAT_MS,
      maxRequestBodySize: MESSAGE_BYTES_MAX,
      onsessioninitialized: (id) => {
        this.#sessions.set(id, { server, transport, place, usedAt: Date.now() })
      },
    })
    const server = createBeingServer(place.seat, this.#onError)
    server.onclose = () => {
      if (transport.sessionId !== undefined) this.#sessions.delete(transport.sessionId)
      void this.#leaveUnused(place)
    }
    server.onerror = (error) => this.#onError('session', error)
    await server.connect(transport)
    const response = await transport.handleRequest(request, { parsedBody: message })
    if (transport.sessionId === undefined) await server.close()
    return response
  }

  async #once(request: Request, message: unknown, visitor: Visitor): Promise<Response> {
    const place = this.#placeOf(visitor)
    place.requests++
    try {
      // The handler passes authInfo on unchanged. It never reads the token.
      const authInfo = { token: visitor.token, clientId: visitor.token, scopes: [], extra: { place } }
      return await this.#modern.fetch(request, { authInfo, parsedBody: message })
    } finally {
      place.requests--
    }
  }

  #placeOf({ token, secret, being, issuer, person }: Visitor): Place {
    const known = this.#places.get(token)
    if (known !== undefined) return known
    const seat = new Seat(this.#at, { being, issuer, person }, this.#onError, this.bounds)
    const made = { token, secret, seat, requests: 0 }
    this.#places.set(token, made)
    return made
  }

  /**
   * Many clients never close their sessions: the longest unused one of a token, or of its person, is closed
   * for a new one.
   */
  async #makeRoom(place: Place): Promise<void> {
    const { person } = place.seat.bearer
    const oldest = (sessions: Session[]) => sessions.sort((a, b) => a.usedAt - b.usedAt)[0]
    const own = this.#sessionsAt(place)
    const ofPerson = [...this.#sessions.values()].filter((one) => one.place.seat.bearer.person === person)
    if (own.length >= SESSIONS_MAX_PER_TOKEN) await oldest(own)?.server.close()
    else if (ofPerson.length >= SESSIONS_MAX_PER_PERSON) await oldest(ofPerson)?.server.close()
    else if (this.#sessions.size >= SESSIONS_MAX) {
      throw new TreeosError(
        'RATE_LIMITED',
        `${SESSIONS_MAX} sessions are open here: none can be opened as ${stanceOf(place.seat.bearer.being)} until one closes`,
      )
    }
  }

  #sessionsAt(place: Place): Session[] {
    return [...this.#sessions.values()].filter((session) => session.place === place)
  }

  async #leaveUnused(place: Place): Promise<void> {
    if (place.requests === 0 && this.#sessionsAt(place).length === 0) await place.seat.leave()
  }

  async #sweep(): Promise<void> {
    const tooOld = Date.now() - SESSION_IDLE_MS
    const closed = [...this.#sessions.values()]
      .filter(({ usedAt }) => usedAt < tooOld)
      .map(({ server }) => server.close())
    // At once: to give one back may take as long as an act, and the others end in time.
    const swept = [...this.#places.values()].map((place) => this.#sweepOne(place))
    for (const ended of await Promise.allSettled([...closed, ...swept]))
      if (ended.status === 'rejected') this.#onError('sweep', ended.reason)
  }

  async #sweepOne(place: Place): Promise<void> {
    if ((await verifyToken(this.#at, place.secret)) === null) {
      this.#places.delete(place.token)
      await Promise.all(this.#sessionsAt(place).map(({ server }) => server.close()))
      return place.seat.close()
    }
    if (place.seat.idleMs < this.#idleMs) return
    await place.seat.leave()
    if (place.requests === 0 && this.#sessionsAt(place).length === 0) this.#places.delete(place.token)
  }

  /** Ends every session and gives every being back. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#sweeps.close()
    await Promise.all([...this.#sessions.values()].map(({ server }) => server.close()))
    await this.#modern.close()
    await Promise.all([...this.#places.values()].map(({ seat }) => seat.close()))
  }
}
