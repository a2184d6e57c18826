import { loadClientConnectConfig } from '@temporalio/envconfig'
import { type NativeConnectionOptions, TransportError } from '@temporalio/worker'
import { messageOfThrown } from '@treeos/core'
import { readDataConverter, ServiceAwayError, type WaitOptions, waitFor, waitReason } from '@treeos/host'
import { findReality, isTransient, type Reality, type StoreDb } from '@treeos/store'
import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import { StartError } from './start-error.ts'
import { TemporalFault } from './temporal-fault.ts'
import { temporalProxy } from './temporal-proxy.ts'

/** SQLSTATE of an undefined table, schema, column or function. */
const OTHER_SCHEMA = /^(42P01|3F000|42703|42883)$/

export interface TemporalPlace {
  readonly address: string
  readonly namespace: string
  readonly options: NativeConnectionOptions
}

/** Where TEMPORAL_* and temporal.toml say that Temporal is. @throws {StartError} */
export function locateTemporal(env: NodeJS.ProcessEnv): TemporalPlace {
  try {
    const { connectionOptions: options, namespace = 'default' } = loadClientConnectConfig({
      overrideEnvVars: env as Record<string, string>,
    })
    const address = options.address ?? 'localhost:7233'
    const proxy = temporalProxy(address, env)
    return { address, namespace, options: { ...options, ...(proxy === undefined ? {} : { proxy }) } }
  } catch (error) {
    throw new StartError(`the configuration of Temporal cannot be read: ${messageOfThrown(error)}`)
  }
}

/** How payloads of a worker are converted. @throws {StartError} for what is no data converter */
export const dataConverterOf = (env: NodeJS.ProcessEnv, { namespace }: TemporalPlace) =>
  readDataConverter(env, namespace).catch((error: unknown) => {
    throw new StartError(messageOfThrown(error))
  })

/**
 * The calls to services that a worker makes before it takes work. It waits for a service that does not
 * answer, and logs that. A service that answers and refuses ends the start: waiting would not help.
 */
export class Start {
  readonly #log: Logger
  readonly #secondsMax: number

  constructor(log: Logger, secondsMax: number) {
    this.#log = log
    this.#secondsMax = secondsMax
  }

  async findReality(db: Kysely<StoreDb>, url: string): Promise<Reality> {
    const service = `Postgres at ${addressOf(url)}`
    const reality = await waitFor(() => findReality(db), this.#waiting(service, isTransient)).catch(
      (error) => {
        throw postgresRefusal(error, service)
      },
    )
    if (reality === null) throw new StartError(`${service} holds no reality yet: \`treeos up\` makes one`)
    return reality
  }

  /** Makes a call of Temporal's SDK that needs the server. */
  async askTemporal<T>({ address, namespace }: TemporalPlace, call: () => Promise<T>): Promise<T> {
    const service = `Temporal at ${address}`
    const isAway = (error: unknown) => error instanceof TemporalFault && error.isPassing
    const attempt = () =>
      call().catch((error: unknown) => {
        throw error instanceof TransportError ? new TemporalFault(error.message) : error
      })
    try {
      return await waitFor(attempt, this.#waiting(service, isAway))
    } catch (error) {
      if (!(error instanceof TemporalFault)) throw error
      throw new StartError(`${service} refuses, for the namespace ${namespace}: ${error.message}`)
    }
  }

  #waiting(service: string, isAway: (error: unknown) => boolean): WaitOptions {
    const secondsMax = this.#secondsMax
    const onWait = (error: unknown) =>
      this.#log.warn({ why: waitReason(error) }, `waiting for ${service}, ${secondsMax} s at most`)
    return { service, isAway, onWait, secondsMax }
  }
}

/** Messages of Postgres about a login or its tables quote names only, so they may be shown. */
function postgresRefusal(error: unknown, service: string): unknown {
  if (error instanceof ServiceAwayError) return error
  const { code } = error as { code?: unknown }
  if (OTHER_SCHEMA.test(String(code)))
    return new StartError(`${service} holds no TreeOS of this version: \`treeos up\` brings it up to date`)
  return new StartError(`${service} refuses: ${messageOfThrown(error)}`)
}

/** Host, port and database, without user and password. */
function addressOf(url: string): string {
  const parsed = URL.parse(url)
  return parsed === null ? 'DATABASE_URL (not a URL)' : `${parsed.host}${parsed.pathname}`
}
