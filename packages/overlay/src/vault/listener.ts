import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, isIP } from 'node:net'
import { TreeosError } from '@treeos/core'
import { answerAbout, askAbout, type VaultQuestion } from './message.ts'
import { seal, UnsealError, unseal } from './seal.ts'
import type { Vault } from './vault.ts'

/** A certificate, and the authority of those who may call, all in PEM. Both sides show a certificate. */
export interface MutualTls {
  readonly cert: string
  readonly key: string
  readonly ca: string
}

export interface ListenOptions {
  readonly key: Uint8Array
  /** an IP address; left out: 127.0.0.1 */
  readonly host?: string
  /** the host under which others reach it; left out: `host` */
  readonly advertise?: string
  /** required beyond loopback */
  readonly tls?: MutualTls
}

const REQUEST_BYTES_MAX = 64 * 1024
const REQUEST_MS_MAX = 5000
/** Others are closed at once, so that nobody takes the worker's file descriptors. */
const CONNECTIONS_MAX = 256

export interface Listener {
  readonly url: string
  /** Answers nobody from now on: callers look up where the vault is, and try again. */
  pause(): void
  close(): Promise<void>
}

/**
 * Lets clients and other workers reach a vault. Every message is sealed with the key of the instance.
 * @throws {TreeosError} INVALID_INPUT for an address beyond loopback without certificates
 */
export async function listen(
  vault: Vault,
  { key, host = '127.0.0.1', advertise = host, tls }: ListenOptions,
): Promise<Listener> {
  if (!isLoopbackIp(host) && tls === undefined)
    throw new TreeosError(
      'INVALID_INPUT',
      `the vault of a worker listens on ${host} only with certificates of both sides: set TREEOS_VAULT_TLS to their folder`,
    )
  let isPaused = false
  const onRequest: RequestListener = (request, response) => {
    if (isPaused) response.writeHead(503).end()
    else void answerVault(vault, key, request, response)
  }
  const server =
    tls === undefined
      ? createServer(onRequest)
      : createTlsServer({ ...tls, requestCert: true, rejectUnauthorized: true }, onRequest)
  server.maxConnections = CONNECTIONS_MAX
  server.requestTimeout = REQUEST_MS_MAX
  server.headersTimeout = REQUEST_MS_MAX
  server.on('tlsClientError', () => undefined) // a caller without our certificate; it gets no answer
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, host, resolve)
  })
  const { port } = server.address() as AddressInfo
  const shown = isIP(advertise) === 6 ? `[${advertise}]` : advertise
  return {
    url: `${tls === undefined ? 'http' : 'https'}://${shown}:${port}`,
    pause() {
      isPaused = true
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const isLoopbackIp = (host: string): boolean => host === '::1' || /^127([.]\d{1,3}){3}$/.test(host)

async function answerVault(
  vault: Vault,
  key: Uint8Array,
  request: IncomingMessage,
  response: ServerResponse,
) {
  try {
    const message = await readVaultBody(request)
    if (message === null || request.method !== 'POST') return void response.writeHead(400).end()
    const { name, question } = open(vault, key, message)
    response.writeHead(200).end(seal(key, answerAbout(name, message), reply(vault, question)))
  } catch (error) {
    // No message: it could quote what came.
    response.writeHead(error instanceof UnsealError ? 403 : 500).end()
  }
}

/** A question to this vault, or to one that handed its overlays on to it. @throws {UnsealError} */
function open(vault: Vault, key: Uint8Array, message: Buffer): { name: string; question: VaultQuestion } {
  for (const name of vault.names) {
    try {
      return { name, question: unseal(key, askAbout(name), message) as VaultQuestion }
    } catch (error) {
      if (!(error instanceof UnsealError)) throw error
    }
  }
  throw new UnsealError()
}

function reply(vault: Vault, question: VaultQuestion): unknown {
  if (question.ask === 'take') return vault.take(question.handle, question)
  if (question.ask === 'drop') {
    vault.drop(question.handle, question.moment)
    return null
  }
  try {
    if (question.ask === 'put') return { handle: vault.put(question, question, question.mark) }
    vault.takeOver(question.handed)
    return null
  } catch (error) {
    if (!(error instanceof TreeosError)) throw error
    return { refused: { code: error.code, message: error.message } }
  }
}

/** @returns null when it is too long or breaks off */
function readVaultBody(request: IncomingMessage): Promise<Buffer | null> {
  return new Promise((resolve) => {
    const parts: Buffer[] = []
    let bytes = 0
    request.on('data', (part: Buffer) => {
      bytes += part.length
      if (bytes <= REQUEST_BYTES_MAX) return void parts.push(part)
      resolve(null)
      request.destroy()
    })
    request.on('end', () => resolve(Buffer.concat(parts)))
    request.on('error', () => resolve(null))
    request.on('close', () => resolve(null))
  })
}
