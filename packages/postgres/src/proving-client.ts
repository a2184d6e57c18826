import { statSync } from 'node:fs'
import { TLSSocket } from 'node:tls'
import pg from 'pg'
import { Login } from './login.ts'

/** What `pg.Client` has beyond its types. */
interface Internals {
  readonly host: string
  readonly port: number
  readonly password: unknown
  readonly ssl: false | true | { readonly checkServerIdentity?: unknown }
  readonly saslSession: unknown
  enableChannelBinding: boolean
  readonly connection: pg.Connection & { attachListeners(stream: unknown): void }
}

/**
 * A client that makes the server prove itself first. `pg` alone gives a server whatever it asks for, such as
 * the password in clear. Here a server proves itself by its channel, which is a certificate that was verified
 * or a Unix socket in a folder that others cannot write, or by SCRAM-SHA-256, whose last message only who
 * knows the password can make. Without a password there is nothing to prove, and none is sent.
 */
export class ProvingClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config)
    const { connection, host, port, password } = this.#internals
    const login = new Login(
      {
        server: host.startsWith('/') ? `${host}/.s.PGSQL.${port}` : `${host}:${port}`,
        hasPassword: typeof password === 'function' || Boolean(password),
        isChannelProven: () => this.#isChannelProven(),
        // `pg` clears it once the signature matches
        isProofVerified: () => this.#internals.saslSession === null,
        bindToChannel: () => this.#bindToChannel(),
      },
      connection,
    )
    login.watch()
  }

  get #internals(): Internals {
    return this as unknown as Internals
  }

  #isChannelProven(): boolean {
    const { connection, host, ssl } = this.#internals
    const { stream } = connection
    if (stream instanceof TLSSocket)
      // An own check of names, as of sslmode=verify-ca, lets every certificate of the authority pass.
      return stream.authorized && (typeof ssl !== 'object' || ssl.checkServerIdentity === undefined)
    return host.startsWith('/') && isGuarded(host)
  }

  /**
   * Where TLS verified no certificate, somebody could sit between client and server. SCRAM with channel
   * binding shows that nobody does, if the server offers it.
   */
  #bindToChannel(): void {
    this.#internals.enableChannelBinding = this.#internals.connection.stream instanceof TLSSocket
  }
}

/** Whether users other than the owner and its group cannot put a socket into a folder. */
function isGuarded(folder: string): boolean {
  const found = statSync(folder, { throwIfNoEntry: false })
  return found !== undefined && (found.mode & 0o002) === 0
}
