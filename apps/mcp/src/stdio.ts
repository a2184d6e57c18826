import { StdioServerTransport, serveStdio as serve } from '@modelcontextprotocol/server/stdio'
import {
  actPace,
  authorizeGrant,
  type Connection,
  type ErrorListener,
  Seat,
  type TokenGrant,
} from '@treeos/client'
import { createBeingServer } from './being-server.ts'
import { MESSAGE_BYTES_MAX, PersonBounds } from './bounds.ts'

export interface StdioSession {
  /** resolves when the client closed its end of the pipe, or sent a message that is too large */
  readonly over: Promise<void>
  /** Ends the session and gives the being back. Safe to call again. */
  close(): Promise<void>
}

/**
 * Serves one client over standard input and output. The user who started the process vouches for it.
 * @throws {TreeosError} FORBIDDEN or BEING_NOT_FOUND, before anything is served
 */
export async function serveStdio(
  at: Connection,
  bearer: TokenGrant,
  { onError, actsPerMinute }: { readonly onError: ErrorListener; readonly actsPerMinute?: number },
): Promise<StdioSession> {
  const { person } = await authorizeGrant(at, bearer)
  const seat = new Seat(at, { ...bearer, person }, onError, new PersonBounds(actPace(actsPerMinute)))
  const transport = new Pipe()
  const handle = serve(
    () => {
      const server = createBeingServer(seat, onError)
      // Not before: a client may start a process only to ask which protocol it speaks. A client of the newer
      // protocol does not initialize. It takes the seat with its first call, which also reports a refusal.
      server.oninitialized = () => void seat.take().catch((error: unknown) => onError('lease', error))
      return server
    },
    { transport, onerror: (error) => onError('stdio', error) },
  )
  return {
    over: transport.over,
    async close() {
      await handle.close()
      await seat.leave()
    },
  }
}

class Pipe extends StdioServerTransport {
  readonly over: Promise<void>
  #end: () => void = () => undefined

  constructor() {
    super(process.stdin, process.stdout, { maxBufferSize: MESSAGE_BYTES_MAX })
    this.over = new Promise((resolve) => {
      this.#end = resolve
    })
    for (const end of ['end', 'close', 'error'] as const) process.stdin.once(end, () => this.#end())
  }

  override async close(): Promise<void> {
    await super.close()
    this.#end()
  }
}
