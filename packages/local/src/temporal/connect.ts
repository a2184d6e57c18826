import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client, ClientOptions, Connection, ConnectionOptions } from '@temporalio/client'
import { systemCode } from '../machine/error.ts'

type Interceptor = NonNullable<ConnectionOptions['interceptors']>[number]
type Call = ReturnType<Interceptor>

const CANCELLED = 1 // a status of gRPC, and one that the SDK does not try again

/**
 * Connects as `Connection.connect` does, but leaves nothing open when it fails, and a call that waits for its
 * next attempt when the connection is closed fails. With `Connection.connect` alone the attempt throws in a
 * timer, where nobody can catch it, and the process ends.
 */
export async function connectTemporal(options: ConnectionOptions): Promise<Connection> {
  // loaded here: most commands never need it
  const { Connection, defaultGrpcRetryOptions, makeGrpcRetryInterceptor } = await import('@temporalio/client')
  const retry = makeGrpcRetryInterceptor(defaultGrpcRetryOptions())
  const connection = Connection.lazy({
    ...options,
    ...(isLoopbackAddress(options.address) ? { channelArgs: { ...options.channelArgs, ...NO_PROXY } } : {}),
    interceptors: [retry, failWhenClosed],
  })
  try {
    await connection.ensureConnected()
    return connection
  } catch (error) {
    await connection.close() // or it would go on trying
    throw error
  }
}

/** Where a client of Temporal works, and how it converts payloads. */
export interface ClientPlace {
  readonly namespace: string
  /** undefined: payloads are plain JSON */
  readonly dataConverter: ClientOptions['dataConverter'] | undefined
}

/**
 * A client on a connection. It converts payloads as told, whatever plugins of the connection add: a worker has
 * applied those already, and a codec that is applied twice encrypts twice.
 */
export async function temporalClient(
  connection: NonNullable<ClientOptions['connection']>,
  { namespace, dataConverter = {} }: ClientPlace,
): Promise<Client> {
  const { Client } = await import('@temporalio/client') // loaded here: most commands never need it
  const { plugins = [] } = connection
  if (plugins.length === 0) return new Client({ connection, namespace, dataConverter })
  const last = {
    name: 'treeos-data-converter',
    configureClient: (options: ClientOptions) => ({ ...options, dataConverter }),
  }
  const withLast = Object.create(connection, { plugins: { value: [...plugins, last] } })
  return new Client({ connection: withLast, namespace })
}

/**
 * A server did not answer within the time that it was given. It may run, and be busy; or this process had too
 * little of a processor.
 */
export class LateError extends Error {
  override readonly name = 'LateError'
}

/**
 * Connects to a server that may be busy: tries for this long, but for {@link REFUSED_MS} only while its
 * address refuses connections, since then nothing listens there.
 * @throws {LateError} when the time was over
 * @throws {Error} of the system when the address refuses; of the SDK when the server answers, and refuses us
 */
export async function reachTemporal(options: ConnectionOptions, patienceMs: number): Promise<Connection> {
  const since = Date.now()
  const stop = new AbortController()
  const connecting = connectTemporal({ ...options, connectTimeout: patienceMs })
  try {
    return await Promise.race([connecting, connectRefusal(options.address, stop.signal)])
  } catch (error) {
    void connecting.then((connection) => connection.close()).catch(() => undefined)
    const isLate = Date.now() - since >= patienceMs || isDeadline(error)
    throw isLate ? new LateError('the time to connect is over', { cause: error }) : error
  } finally {
    stop.abort()
  }
}

const DEADLINE_EXCEEDED = 4 // a status of gRPC

/** Whether it is our deadline that ended a call. */
export function isDeadline(error: unknown): boolean {
  const { code, cause } = (error ?? {}) as { readonly code?: unknown; readonly cause?: unknown }
  return code === DEADLINE_EXCEEDED || (cause instanceof Error && isDeadline(cause))
}

const PROBE_MS = 500
const REFUSED_MS = 2000

/**
 * Rejects when every probe of {@link REFUSED_MS} was refused. gRPC itself does not tell that before its
 * deadline.
 */
async function connectRefusal(address: string | undefined, stop: AbortSignal): Promise<never> {
  const never = new Promise<never>(() => undefined)
  // a direct probe would say nothing
  if (!isLoopbackAddress(address) && PROXIES.some((name) => process.env[name])) return never
  const since = Date.now()
  while (true) {
    await sleep(PROBE_MS, undefined, { signal: stop }).catch(() => undefined)
    if (stop.aborted) return never
    const error = await probe(address, stop)
    if (systemCode(error) !== 'ECONNREFUSED') return never
    if (Date.now() - since >= REFUSED_MS) throw error
  }
}

/** @returns why no connection was made; null when one was */
async function probe(address = 'localhost:7233', signal: AbortSignal): Promise<unknown> {
  const [, name = '', port = '7233'] = /^(.*?)(?::(\d+))?$/.exec(address) ?? []
  const socket = connect({ host: name.replace(/^\[(.*)\]$/, '$1'), port: Number(port) })
  try {
    await once(socket, 'connect', { signal })
    return null
  } catch (error) {
    return error
  } finally {
    socket.destroy()
  }
}

/** By which variables gRPC finds a proxy. */
const PROXIES = ['grpc_proxy', 'https_proxy', 'http_proxy']

/** gRPC goes by the proxy that `https_proxy` names, also to this machine, which no proxy reaches. */
const NO_PROXY = { 'grpc.enable_http_proxy': 0 }

/** @param address host and port; the SDK's default is on this machine */
function isLoopbackAddress(address = 'localhost:7233'): boolean {
  const hostname = URL.parse(`http://${address}`)?.hostname ?? ''
  return hostname === 'localhost' || hostname === '[::1]' || /^127([.]\d{1,3}){3}$/.test(hostname)
}

const failWhenClosed: Interceptor = (options, nextCall) => {
  try {
    return nextCall(options) as Call
  } catch (error) {
    return endedCall(String(error)) as Call
  }
}

/** A call that has failed before anything was sent. */
const endedCall = (details: string): Pick<Call, 'start' | 'sendMessage' | 'halfClose'> => ({
  start(metadata, listener) {
    listener?.onReceiveMessage?.(null)
    listener?.onReceiveStatus?.({ code: CANCELLED, details, metadata })
  },
  sendMessage() {},
  halfClose() {},
})
