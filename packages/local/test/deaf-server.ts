import { createServer as createHttp2, createSecureServer, type ServerHttp2Stream } from 'node:http2'
import type { AddressInfo } from 'node:net'

export interface DeafServer {
  readonly port: number
  /** all headers of all calls, and how many connections came */
  received(): { readonly headers: string; readonly connections: number }
  close(): Promise<void>
}

/**
 * A gRPC server of somebody else: it notes what each caller shows, and answers with success and nothing else.
 */
export async function deafServer(port: number, tls?: { cert: string; key: string }): Promise<DeafServer> {
  const server = tls === undefined ? createHttp2() : createSecureServer({ ...tls, requestCert: true })
  const headers: string[] = []
  let connections = 0
  server.on(tls === undefined ? 'connection' : 'secureConnection', () => {
    connections += 1
  })
  server.on('sessionError', () => undefined)
  server.on('stream', (stream: ServerHttp2Stream, shown) => {
    headers.push(JSON.stringify(shown))
    stream.on('error', () => undefined)
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true })
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }))
    stream.end(Buffer.alloc(5)) // an empty message
  })
  const sessions = new Set<{ destroy(): void }>()
  server.on('session', (session) => sessions.add(session))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    received: () => ({ headers: headers.join(), connections }),
    async close() {
      for (const session of sessions) session.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
