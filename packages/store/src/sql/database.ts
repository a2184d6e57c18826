import { TreeosError } from '@treeos/core'
import { isPostgresUrl, openPool, POSTGRES_URL_FORM, type PoolConfig, typeParserOf } from '@treeos/postgres'
import { Kysely, PostgresDialect, sql, type Transaction } from 'kysely'
import { CarefulClient, NamelessClient } from './connection.ts'
import { type CopyOut, copyFrom } from './copy.ts'
import { isPooled } from './pooler.ts'
import type { StoreDb } from './schema.ts'

/** The pool or a transaction. */
export type Db = Kysely<StoreDb> | Transaction<StoreDb>

// bigint columns hold sequence numbers and milliseconds, both far below 2^53.
const INT8_OID = 20

/**
 * Of workers; of commands, which act for persons; and of acts by a Temporal signal. What each may do:
 * rights.sql.
 */
type Role = 'treeos_app' | 'treeos_people' | 'treeos_signals'

export interface DatabaseOptions {
  /** connections of the pool; default 10 */
  readonly poolMax?: number
  /** a statement that takes longer fails; default 30; no limit for the owner */
  readonly statementSecondsMax?: number
  /** called when a connection dies; the pool replaces it */
  readonly onConnectionError?: (error: Error) => void
  /** the role that the connections take, where their login may; default `treeos_app`, that of workers */
  readonly role?: Role
  /** connects as the owner, for migrations; default false: as a role that cannot change the past */
  readonly asOwner?: boolean
}

/**
 * Opens a pool, which connects at the first query. Close it with `db.destroy()`.
 * @throws {TreeosError} INVALID_INPUT for a URL that cannot be read; see also isPooled
 */
export function openDatabase(url: string, options: DatabaseOptions = {}): Kysely<StoreDb> {
  if (!isPostgresUrl(url))
    throw new TreeosError(
      'INVALID_INPUT',
      `the URL of Postgres (DATABASE_URL) cannot be read: ${POSTGRES_URL_FORM}`,
    )
  const onError = options.onConnectionError ?? (() => undefined)
  const statementMs = 1000 * (options.statementSecondsMax ?? STATEMENT_SECONDS_MAX)
  const pooled = isPooled(url)
  const takeRole = takes(options.role ?? 'treeos_app')
  const config = {
    connectionString: url,
    max: options.poolMax ?? 10,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    // The server times out first and says why. The client's own timeout is for a server that no longer
    // answers.
    ...(options.asOwner ? {} : { query_timeout: statementMs + SILENCE_MS_MAX }),
    ...(pooled
      ? {} // the login has these settings itself: docs/running.md, "Postgres with a pooler"
      : {
          ...(options.asOwner ? {} : { statement_timeout: statementMs }),
          // A worker that was stopped in a transaction must not hold its locks for ever.
          idle_in_transaction_session_timeout: 2 * statementMs,
          options: '-c search_path=treeos',
        }),
    application_name: 'treeos',
    types: {
      getTypeParser: (oid, format) => (oid === INT8_OID ? Number : typeParserOf(oid, format)),
    },
    async onConnect(client) {
      if (options.asOwner !== true && !pooled) await client.query(takeRole)
    },
  } satisfies PoolConfig
  const pool = openPool(config, pooled ? NamelessClient : CarefulClient)
  // A client in use emits `error` when it loses its server. Without a listener that would end the process.
  pool.on('connect', (client) => client.on('error', onError))
  pool.on('error', onError)
  const db = new Kysely<StoreDb>({ dialect: new PostgresDialect({ pool }) }).withSchema('treeos')
  places.set(db, { url, begin: options.asOwner === true || pooled ? '' : takeRole })
  return db
}

/** How to make one more connection like those of a pool. */
const places = new WeakMap<Kysely<StoreDb>, { readonly url: string; readonly begin: string }>()

const STATEMENT_SECONDS_MAX = 30
/** How much later than the server the client times out. */
const SILENCE_MS_MAX = 2000

// Where the role does not exist, or this user may not take it, only triggers guard the past.
const takes = (role: Role): string => `do $$ begin
  set role ${role};
exception when invalid_parameter_value or insufficient_privilege then null; end $$`

/**
 * Runs `read` in a read-only snapshot of the whole database at one instant. What it copies out is of the same
 * snapshot.
 */
export function inSnapshot<T>(
  db: Kysely<StoreDb>,
  read: (tx: Transaction<StoreDb>, copy: CopyOut) => Promise<T>,
): Promise<T> {
  const place = places.get(db)
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute((tx) =>
      read(tx, async (select, take) => {
        if (place === undefined) throw new Error('a snapshot is read over a pool that openDatabase made')
        const { rows } = await sql<{ snapshot: string }>`select pg_export_snapshot() as snapshot`.execute(tx)
        await copyFrom(place.url, place.begin, rows[0]?.snapshot ?? '')(select, take)
      }),
    )
}
