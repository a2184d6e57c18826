import type { EventEmitter } from 'node:events'
import type { Duplex } from 'node:stream'
import type pg from 'pg'
import { UnprovenServerError } from './unproven-server.ts'

interface Parties {
  /** for people */
  readonly server: string
  readonly hasPassword: boolean
  isChannelProven(): boolean
  isProofVerified(): boolean
  bindToChannel(): void
}

type Connection = pg.Connection & { attachListeners(stream: unknown): void }

/** Events of the connection itself, and messages that neither ask for anything nor end the login. */
const ALWAYS = new Set(['connect', 'sslconnect', 'error', 'end', 'errorMessage', 'notice', 'newListener'])
/**
 * The least that RFC 7677 allows. With fewer rounds a guessed password is tried faster against a proof that
 * was sent.
 */
const ROUNDS_MIN = 4096
/** A login takes less than a thousand bytes. */
const LOGIN_BYTES_MAX = 64 * 1024

/** Which message of a login by SCRAM comes next, and what is told when another one comes. */
const NEXT = {
  begun: { message: 'authenticationSASL', next: 'asked' },
  asked: { message: 'authenticationSASLContinue', next: 'answered' },
  answered: { message: 'authenticationSASLFinal', next: 'answered' },
} as const
const DID: Readonly<Record<string, string>> = {
  authenticationCleartextPassword: 'asked for the password in clear',
  authenticationMD5Password: 'asked for the password as MD5, which does not prove the server',
  authenticationOk: 'let us in without a proof that it knows the password',
}

/**
 * Passes the messages of a server on to `pg` only as long as they make a login that proves the server. Then
 * it steps aside.
 */
export class Login {
  readonly #parties: Parties
  readonly #connection: Connection
  readonly #pass: EventEmitter['emit']
  #stage: keyof typeof NEXT = 'begun'
  #isOver = false
  #isRefused = false
  #bytes = 0

  constructor(parties: Parties, connection: Connection) {
    this.#parties = parties
    this.#connection = connection
    this.#pass = (connection as unknown as EventEmitter).emit.bind(connection)
  }

  /** Stands between the connection and `pg.Client`, which hears of messages by `emit` alone. */
  watch(): void {
    const attach = this.#connection.attachListeners.bind(this.#connection)
    Object.assign(this.#connection, {
      emit: (event: string, ...about: unknown[]) => this.#hear(event, about),
      attachListeners: (stream: Duplex) => attach(this.#bounded(stream)),
    })
  }

  #hear(event: string, about: unknown[]): boolean {
    if (this.#isOver || ALWAYS.has(event)) return this.#tell(event, about)
    if (this.#isRefused) return false
    if (this.#parties.isChannelProven()) return this.#end(event, about)
    if (!this.#parties.hasPassword)
      return event === 'authenticationOk'
        ? this.#end(event, about)
        : this.#refuse('asked for a password, and there is none in the URL and in PGPASSWORD')
    const { message, next } = NEXT[this.#stage]
    if (event !== message) return this.#refuse(DID[event] ?? `answered a login with ${event}`)
    return this.#step(event, about, next)
  }

  #step(event: string, about: unknown[], next: keyof typeof NEXT): boolean {
    if (event === 'authenticationSASL') this.#parties.bindToChannel()
    if (event === 'authenticationSASLContinue' && roundsIn(about[0]) < ROUNDS_MIN)
      return this.#refuse(`asked for a proof of ${roundsIn(about[0])} rounds, of at least ${ROUNDS_MIN}`)
    this.#stage = next
    const isHeard = this.#pass(event, ...about)
    if (event !== 'authenticationSASLFinal' || this.#isRefused) return isHeard
    if (!this.#parties.isProofVerified()) return this.#refuse('did not prove that it knows the password')
    this.#withdraw()
    return isHeard
  }

  #end(event: string, about: unknown[]): boolean {
    this.#withdraw()
    return this.#pass(event, ...about)
  }

  #withdraw(): void {
    this.#isOver = true
    Reflect.deleteProperty(this.#connection, 'emit')
  }

  #tell(event: string, about: unknown[]): boolean {
    const [error] = about
    const isOfProof = event === 'error' && error instanceof Error && error.message.startsWith('SASL: ')
    if (this.#isOver || !isOfProof) return this.#pass(event, ...about)
    return this.#refuse(`did not prove that it knows the password (${error.message})`, error)
  }

  #refuse(did: string, cause?: unknown): false {
    if (this.#isRefused) return false
    this.#isRefused = true
    this.#pass('error', new UnprovenServerError(this.#parties.server, did, { cause }))
    this.#connection.stream.destroy()
    return false
  }

  /** The stream for the parser of `pg`, whose errors would end the process. */
  #bounded(stream: Duplex): Pick<Duplex, 'on'> {
    const on = (event: string, hear: (data: Buffer) => void) =>
      stream.on(event, (data: Buffer) => {
        if (this.#isOver || event !== 'data') return hear(data)
        this.#bytes += data.length
        if (this.#bytes > LOGIN_BYTES_MAX) return this.#refuse('sent more than a login has')
        try {
          hear(data)
        } catch (error) {
          if (this.#isOver) throw error
          this.#refuse('sent no messages of Postgres', error)
        }
      })
    return { on } as Pick<Duplex, 'on'>
  }
}

/** @returns 0 when the message names none */
function roundsIn(message: unknown): number {
  const { data } = (message ?? {}) as { data?: unknown }
  return typeof data === 'string' ? Number(/(?:^|,)i=(\d+)(?:,|$)/.exec(data)?.[1] ?? 0) : 0
}
