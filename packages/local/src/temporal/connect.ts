import type { Connection, ConnectionOptions } from '@temporalio/client'

type Interceptor = NonNullable<ConnectionOptions['interceptors']>[number]
type Call = ReturnType<Interceptor>

const CANCELLED = 1 // a status of gRPC, and one that the SDK does not try again

/**
 * Connects as `Connection.connect` does, but a call that waits for its next attempt when the connection is closed fails.
 * With `Connection.connect` alone the attempt throws in a timer, where nobody can catch it, and the process ends.
 */
export async function connectTemporal(options: ConnectionOptions): Promise<Connection> {
  // loaded here: most commands never need it
  const { Connection, defaultGrpcRetryOptions, makeGrpcRetryInterceptor } = await import('@temporalio/client')
  const retry = makeGrpcRetryInterceptor(defaultGrpcRetryOptions())
  return Connection.connect({
    ...options,
    ...(isLoopback(options.address) ? { channelArgs: { ...options.channelArgs, ...NO_PROXY } } : {}),
    interceptors: [retry, failWhenClosed],
  })
}

/** gRPC goes by the proxy that `https_proxy` names, also to this machine, which no proxy reaches. */
const NO_PROXY = { 'grpc.enable_http_proxy': 0 }

/** @param address host and port; the SDK's default is on this machine */
function isLoopback(address = 'localhost:7233'): boolean {
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
