import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '@temporalio/client'
import { type FileBounds, fileBoundsIn, isErrorCode, TreeosError } from '@treeos/core'
import {
  hasWorker,
  instanceDir,
  isDeadline,
  LateError,
  type LoginPlace,
  locatePortalPostgres,
  locatePostgres,
  locateSequencerPostgres,
  locateTemporal,
  NO_SEQUENCER,
  reachTemporal,
  readAccess,
  readDataConverter,
  readInstance,
  serviceDown,
  serviceLate,
  type TemporalAccess,
  type TemporalPlace,
  temporalClient,
} from '@treeos/local'
import type { VaultClient } from '@treeos/overlay/vault'
import {
  type DatabaseOptions,
  findReality,
  isTransient,
  openDatabase,
  type Reality,
  type StoreDb,
} from '@treeos/store'
import { buildRegistry, type Registry, seed } from '@treeos/world'
import type { Kysely } from 'kysely'
import type { InstanceOptions } from '../cli.ts'
import { messageOf, unavailable } from '../text/failure.ts'
import { missingWorker } from './task-queue.ts'

const POOL_MAX = 4
/** How long a command tries to connect to a service that may be busy; longer where its --wait is longer. */
const CONNECT_SECONDS = 10
const RETRY_MS = 200

/** Options of a command that may say how long it waits. */
interface WaitingOptions extends InstanceOptions {
  readonly wait?: number
}

const patienceOf = ({ wait = 0 }: WaitingOptions): number => Math.max(CONNECT_SECONDS, wait)

/** What a command needs that uses Postgres only. */
export interface ReadConnection {
  readonly db: Kysely<StoreDb>
  readonly reality: Reality
}

/** What a command needs that also uses Temporal, such as one that acts. */
export interface LiveConnection extends ReadConnection {
  readonly temporal: Client
  readonly registry: Registry
  /** left out: no worker has made the key of the vaults */
  readonly vaults?: VaultClient
  readonly fileBounds?: FileBounds
}

/** Opens the reality of an instance in Postgres, and closes the connection when `use` is done. */
export async function openReality<T>(
  options: InstanceOptions,
  use: (at: ReadConnection) => Promise<T>,
): Promise<T> {
  return withDatabase(peoplesPostgres(instanceDir(options)), use)
}

/** As commands, which act for persons. */
const peoplesPostgres = (dataDir: string): LoginPlace => {
  const { peopleUrl: url, address } = locatePostgres(dataDir)
  return { url, address }
}

/** Opens the database of an instance with the rights of its owner, which no being and no worker has. */
export async function asOwner<T>(
  options: InstanceOptions,
  use: (owner: Kysely<StoreDb>) => Promise<T>,
): Promise<T> {
  const { ownerUrl } = locatePostgres(instanceDir(options))
  return openReality(options, async () => {
    const owner = openDatabase(ownerUrl, { asOwner: true, poolMax: 1 })
    try {
      return await use(owner)
    } finally {
      await owner.destroy()
    }
  })
}

/**
 * Opens the reality of an instance and a connection to Temporal. The connection is made before anything is
 * written: otherwise an act whose doorbell cannot ring would have its effect later, unexpectedly.
 */
export async function openServices<T>(
  options: WaitingOptions,
  use: (at: LiveConnection) => Promise<T>,
): Promise<T> {
  const dataDir = instanceDir(options)
  const postgres = peoplesPostgres(dataDir)
  const place = locateTemporal(dataDir)
  const patience = patienceOf(options)
  return withTemporal(
    place,
    (temporal) =>
      withDatabase(
        postgres,
        async (at) => {
          try {
            return await use({
              ...at,
              ...(await vaultsOf(dataDir)),
              temporal,
              registry: buildRegistry([seed]),
              fileBounds: fileBoundsIn(process.env),
            })
          } catch (error) {
            const isLate = error instanceof TreeosError && error.code === 'TIMEOUT'
            throw isLate ? await withReason(error, dataDir, { ...at, temporal }) : error
          }
        },
        undefined,
        patience,
      ),
    patience,
  )
}

/** How overlays reach the vaults of workers; nothing before a worker has made their key. */
export async function vaultsOf(dataDir: string): Promise<Pick<LiveConnection, 'vaults'>> {
  // loads HTTP, which few commands need
  const { VaultClient, vaultAccess } = await import('@treeos/overlay/vault')
  const access = vaultAccess(process.env, dataDir)
  return access === null ? {} : { vaults: new VaultClient(access.key, access.tls) }
}

/**
 * As `openServices`, for the portal, which logs in to Postgres with fewer rights than commands and workers.
 */
export async function withPortalServices<T>(
  options: InstanceOptions,
  use: (at: LiveConnection & { readonly postgresUrl: string }) => Promise<T>,
): Promise<T> {
  const dataDir = instanceDir(options)
  const postgres = requirePortalPostgres(dataDir)
  return withTemporal(locateTemporal(dataDir), (temporal) =>
    withDatabase(postgres, async (at) =>
      use({
        ...at,
        ...(await vaultsOf(dataDir)),
        temporal,
        registry: await loadedRegistry(options),
        fileBounds: fileBoundsIn(process.env),
        postgresUrl: postgres.url,
      }),
    ),
  )
}

/**
 * Opens the reality with the rights of the sequencer of the log.
 * @throws {TreeosError} SERVICE_UNAVAILABLE where it has no login
 */
export async function asSequencer<T>(
  options: InstanceOptions,
  use: (at: ReadConnection) => Promise<T>,
): Promise<T> {
  const postgres = locateSequencerPostgres(instanceDir(options))
  if (postgres === null) throw unavailable(`no checkpoints can be made: ${NO_SEQUENCER}`)
  return withDatabase(postgres, use, { poolMax: 2, statementSecondsMax: 600 })
}

/** Opens the reality with the rights of the portal. */
export const asPortal = async <T>(
  options: InstanceOptions,
  use: (at: ReadConnection) => Promise<T>,
): Promise<T> => withDatabase(requirePortalPostgres(instanceDir(options)), use)

function requirePortalPostgres(dataDir: string): LoginPlace {
  const postgres = locatePortalPostgres(dataDir)
  if (postgres === null)
    throw unavailable(
      'the portal needs a login of its own: set TREEOS_PORTAL_DATABASE_URL to one that is a member of treeos_portal',
    )
  return postgres
}

/** Adds to a timeout that no worker runs, or that none takes the work of this reality. */
async function withReason(
  error: TreeosError,
  dataDir: string,
  { temporal, reality }: ReadConnection & { readonly temporal: Client },
): Promise<TreeosError> {
  const { services } = readInstance(dataDir)
  if (services.length > 0 && !hasWorker(dataDir))
    return late(error, 'No worker of this instance runs: `treeos up` starts one')
  const missing = await missingWorker(temporal, reality).catch(() => null)
  if (missing === null) return error
  return late(error, `${missing}; \`treeos doctor\` says what to do`)
}

const late = ({ message, detail }: TreeosError, why: string): TreeosError =>
  new TreeosError('TIMEOUT', `${message}. ${why}`, detail)

/** Everything that the code of this instance's worker registers. */
export async function loadedRegistry(options: InstanceOptions): Promise<Registry> {
  return buildRegistry([seed, ...(await loadedExtensions(options))])
}

/** The extensions of this instance's worker, those of its tool servers among them. */
export async function loadedExtensions(options: InstanceOptions) {
  const { loadExtensions } = await import('@treeos/worker/extensions')
  return loadExtensions({ ...process.env, TREEOS_DATA: instanceDir(options) })
}

async function withDatabase<T>(
  postgres: LoginPlace,
  use: (at: ReadConnection) => Promise<T>,
  options: DatabaseOptions = { poolMax: POOL_MAX, role: 'treeos_people' },
  patience = CONNECT_SECONDS,
): Promise<T> {
  const db = openDatabase(postgres.url, options)
  try {
    const reality = await patiently(() => findReality(db), patience)
    if (reality === null)
      throw unavailable(`${postgres.address} holds no reality yet: \`treeos up\` makes one`)
    return await use({ db, reality })
  } catch (error) {
    throw postgresFailure(error, postgres.address)
  } finally {
    await db.destroy()
  }
}

/** @param patience for how many seconds a busy Temporal is tried */
async function withTemporal<T>(
  place: TemporalPlace,
  use: (client: Client) => Promise<T>,
  patience = CONNECT_SECONDS,
): Promise<T> {
  const { options, namespace } = await accessOf(place)
  const dataConverter = await readDataConverter(place.env, namespace)
  const address = options.address ?? 'localhost:7233'
  const connection = await reachTemporal(options, 1000 * patience).catch((error: unknown) => {
    throw error instanceof LateError
      ? serviceLate('Temporal', address, patience)
      : serviceDown('Temporal', address, connectionReason(error))
  })
  try {
    return await use(await temporalClient(connection, { namespace, dataConverter }))
  } catch (error) {
    throw temporalFailure(error, address)
  } finally {
    await connection.close()
  }
}

function accessOf({ env }: TemporalPlace): Promise<TemporalAccess> {
  return readAccess(env).catch((error: unknown) => {
    throw unavailable(messageOf(error))
  })
}

/** An unknown login or database: the address is wrong, never the command. */
const POSTGRES_REFUSES = /^(28...|3D000)$/
/** A right is missing: the login is one of workers. */
const POSTGRES_FORBIDS = '42501'
/** An undefined table, schema, column or function: the database has another schema version, or none. */
const POSTGRES_OTHER = /^(42P01|3F000|42703|42883)$/

/** Postgres lacks connections, memory or space, or it is still starting. */
const POSTGRES_BUSY = /^(53...|57P03)$/
/** What `pg` says when our own time to connect, or for an answer, is over. */
const POSTGRES_LATE =
  /^(timeout exceeded when trying to connect|Connection terminated due to connection timeout|Query read timeout)/

/** Asks Postgres, and asks again while it is busy. @param patience for how many seconds */
async function patiently<T>(ask: () => Promise<T>, patience: number): Promise<T> {
  for (const until = Date.now() + 1000 * patience; ; await sleep(RETRY_MS)) {
    try {
      return await ask()
    } catch (error) {
      const isBusy =
        error instanceof Error &&
        (POSTGRES_BUSY.test(connectionErrorCode(error)) || POSTGRES_LATE.test(error.message))
      if (!isBusy || Date.now() >= until) throw error
    }
  }
}

function postgresFailure(error: unknown, address: string): unknown {
  if (!(error instanceof Error)) return error
  if (POSTGRES_LATE.test(error.message)) return serviceLate('Postgres', address, null)
  const code = connectionErrorCode(error)
  if (isErrorCode(code)) return error
  if (code === POSTGRES_FORBIDS)
    return unavailable(
      `Postgres at ${address} lets this login not do that (${error.message}): set TREEOS_PEOPLE_DATABASE_URL to one that is a member of ` +
        'treeos_people, as docs/running.md says',
    )
  if (POSTGRES_OTHER.test(code))
    return unavailable(
      `Postgres at ${address} holds no TreeOS of this version (${error.message}): \`treeos up\` brings it up to date`,
    )
  if (POSTGRES_REFUSES.test(code) || isTransient(error))
    return serviceDown('Postgres', address, messageOf(error))
  return error
}

function connectionErrorCode(error: Error): string {
  const first = error instanceof AggregateError ? (error.errors[0] as unknown) : error
  const code = (first as { code?: unknown } | null)?.code
  return typeof code === 'string' ? code : ''
}

function temporalFailure(error: unknown, address: string): unknown {
  if (!(error instanceof Error)) return error
  const isTemporal = ['ServiceError', 'TransportError', 'GrpcConnectionError'].includes(error.name)
  if (!isTemporal) return error
  return isDeadline(error)
    ? serviceLate('Temporal', address, null)
    : serviceDown('Temporal', address, connectionReason(error))
}

/** The inner message of gRPC is more precise than the SDK's own. */
function connectionReason(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined
  const details = (cause as { details?: unknown } | undefined)?.details
  return typeof details === 'string' && details !== '' ? details : messageOf(error)
}
