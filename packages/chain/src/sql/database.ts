import { Kysely, PostgresDialect, type Transaction } from 'kysely'
import pg from 'pg'
import { CarefulClient } from './connection.ts'
import type { ChainDb } from './schema.ts'

/** Either the pool or a transaction: what a query needs to know of the database. */
export type Db = Kysely<ChainDb> | Transaction<ChainDb>

// bigint columns hold sequence numbers and milliseconds, both far below 2^53.
const INT8_OID = 20

export interface DatabaseOptions {
  /** connections of the pool; default 10 */
  readonly poolMax?: number
  /** a statement that takes longer fails; default 30. Owners wait for ever */
  readonly statementSecondsMax?: number
  /** told of a connection that died; the pool replaces it */
  readonly onConnectionError?: (error: Error) => void
  /** run as the owner, for migrations; default false: the role that cannot change the past */
  readonly asOwner?: boolean
}

/** Opens a pool; nothing connects before the first query. Close it with `db.destroy()`. */
export function openDatabase(url: string, options: DatabaseOptions = {}): Kysely<ChainDb> {
  const onError = options.onConnectionError ?? (() => undefined)
  const statementMs = 1000 * (options.statementSecondsMax ?? STATEMENT_SECONDS_MAX)
  const pool = new pg.Pool({
    Client: CarefulClient,
    connectionString: url,
    max: options.poolMax ?? 10,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    // The server gives up first and says so; the client's own timeout is for a server that says nothing any more.
    ...(options.asOwner
      ? {}
      : { statement_timeout: statementMs, query_timeout: statementMs + SILENCE_MS_MAX }),
    // A worker that was stopped halfway must not hold its locks for ever.
    idle_in_transaction_session_timeout: 2 * statementMs,
    application_name: 'treeos',
    options: '-c search_path=treeos',
    types: {
      getTypeParser: (oid, format) => (oid === INT8_OID ? Number : pg.types.getTypeParser(oid, format)),
    },
    async onConnect(client) {
      if (options.asOwner !== true) await client.query(SET_ROLE)
    },
  })
  // A checked-out client that loses its server emits `error`; unheard, that would end the process.
  pool.on('connect', (client) => client.on('error', onError))
  pool.on('error', onError)
  return new Kysely<ChainDb>({ dialect: new PostgresDialect({ pool }) }).withSchema('treeos')
}

const STATEMENT_SECONDS_MAX = 30
/** How much later than the server itself the client gives up. */
const SILENCE_MS_MAX = 2000

// Where the role could not be made, or not be handed to this user, triggers alone guard the past.
const SET_ROLE = `do $$ begin
  set role treeos_app;
exception when invalid_parameter_value or insufficient_privilege then null; end $$`

/** A snapshot of the whole world at one instant: what a moment reads, it reads here. */
export function inSnapshot<T>(
  db: Kysely<ChainDb>,
  read: (tx: Transaction<ChainDb>) => Promise<T>,
): Promise<T> {
  return db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(read)
}
