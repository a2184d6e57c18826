import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import getPort from 'get-port'
import { LocalError, systemCode } from './error.ts'

const HOST = '127.0.0.1'
/**
 * Below the ports that systems give to outgoing connections, so that none of those takes a port while its
 * service is stopped.
 */
const [PORTS_FROM, PORTS_TO] = [20_000, 32_000]
const PORTS_MAX = 50

/** A port that the user named is in use. */
export class PortTakenError extends LocalError {
  override readonly name: string = 'PortTakenError'
  readonly port: number
  constructor(port: number, purpose: string) {
    super(`port ${port} for ${purpose} is taken on ${HOST}: stop what listens there, or choose another`)
    this.port = port
  }
}

/**
 * A free TCP port on loopback. Within a process, ports differ for 15 seconds, so that several can be picked
 * before the first is bound. Another process may still bind the port first.
 * @param wanted a port set by the user: this one or none
 * @param preferred taken when free, such as the one of the last run
 * @throws PortTakenError
 */
export async function freePort(
  purpose: string,
  { wanted, preferred }: { wanted?: number | undefined; preferred?: number | undefined } = {},
): Promise<number> {
  if (wanted !== undefined) {
    if (await isFree(wanted)) return wanted
    throw new PortTakenError(wanted, purpose)
  }
  if (preferred !== undefined && (await isFree(preferred))) return preferred
  const candidates = Array.from({ length: PORTS_MAX }, () => randomInt(PORTS_FROM, PORTS_TO))
  return getPort({ host: HOST, port: candidates })
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  try {
    server.listen(port, HOST)
    await once(server, 'listening')
    server.close()
    await once(server, 'close')
    return true
  } catch (error) {
    if (systemCode(error) === 'EADDRINUSE' || systemCode(error) === 'EACCES') return false
    throw error
  }
}
