/**
 * What listens at the address did not prove that it is the server, so it got no password and no query.
 * Retrying may mend it: another program can have the port while Postgres is down.
 */
export class UnprovenServerError extends Error {
  override readonly name = 'UnprovenServerError'
  /** SQLSTATE of a connection that could not be made: who retries those, retries this */
  readonly code = '08001'
  constructor(server: string, did: string, options?: ErrorOptions) {
    super(`what listens at ${server} ${did}: it got no password and no query. ${REMEDY}`, options)
  }
}

const REMEDY =
  'Postgres may be down, and another program may listen in its place. If this is your server, let it (or its pooler: auth_type) ask ' +
  'for scram-sha-256, or connect by TLS with sslmode=verify-full, or by a Unix socket'
