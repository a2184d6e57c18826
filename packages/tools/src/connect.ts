import type { Client } from '@modelcontextprotocol/client'
import type { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { CODE_VERSION, messageOfThrown } from '@treeos/core'
import type { ServerEntry } from './file.ts'
import { fetchOf } from './named-addresses.ts'
import { admitAnyResult } from './wire.ts'

/** A connection to a server. */
export interface ToolConnection {
  readonly client: Client
  /** the process of a server that we started */
  readonly pid: number | null
  /** the version of the protocol that both speak */
  readonly protocol: string
  /** the end of what a process wrote to its standard error */
  told(): string
  /** the server keeps a session for it, which it may forget */
  hasSession(): boolean
}

/**
 * A process that does not answer within this time to the question which versions it speaks is asked in the
 * older way.
 */
const PROBE_MS = 10_000
const CONNECT_MS = 60_000
const TOLD_CHARS_MAX = 2000

/**
 * Starts a server, or connects to it. It gets no variable of our environment but those that a program needs
 * to run, and its secrets.
 * @param secrets values by name
 * @throws {Error} of the library
 */
export async function connect(
  entry: ServerEntry,
  secrets: Readonly<Record<string, string>>,
  signal?: AbortSignal,
): Promise<ToolConnection> {
  const { Client } = await import('@modelcontextprotocol/client')
  const client = new Client(
    { name: 'treeos', version: CODE_VERSION },
    { versionNegotiation: { mode: 'auto', probe: { timeoutMs: PROBE_MS } } },
  )
  const { transport, pid, told } =
    entry.url === undefined
      ? await processOf(entry, secrets)
      : { transport: await netOf(entry.url, entry, secrets), pid: () => null, told: () => '' }
  try {
    await client.connect(transport, { timeout: CONNECT_MS, ...(signal === undefined ? {} : { signal }) })
  } catch (error) {
    await client.close().catch(() => undefined) // it never ran
    throw told() === ''
      ? error
      : new Error(`${messageOfThrown(error)}; it wrote: ${told()}`, { cause: error })
  }
  admitAnyResult(transport, client.getProtocolEra() === 'modern')
  const hasSession = () => 'sessionId' in transport && transport.sessionId !== undefined
  return { client, pid: pid(), protocol: client.getNegotiatedProtocolVersion() ?? '', told, hasSession }
}

async function processOf(
  { command = [], secrets: given }: ServerEntry,
  secrets: Readonly<Record<string, string>>,
) {
  const { StdioClientTransport, getDefaultEnvironment } = await import('@modelcontextprotocol/client/stdio')
  const [program = '', ...args] = command
  const env = { ...getDefaultEnvironment(), ...namedBy(given, secrets) }
  const transport: StdioClientTransport = new StdioClientTransport({
    command: program,
    args,
    env,
    stderr: 'pipe',
  })
  let told = ''
  transport.stderr?.on('data', (chunk: Buffer) => {
    told = `${told}${chunk.toString('utf8')}`.slice(-TOLD_CHARS_MAX)
  })
  return { transport, pid: () => transport.pid, told: () => told.trim() }
}

async function netOf(
  url: string,
  { secrets: given, oauth }: ServerEntry,
  secrets: Readonly<Record<string, string>>,
) {
  const { ClientCredentialsProvider, StreamableHTTPClientTransport } = await import(
    '@modelcontextprotocol/client'
  )
  const headers = Object.fromEntries(
    Object.entries(namedBy(given, secrets)).map(([header, value]) => [
      header,
      header.toLowerCase() === 'authorization' && !value.includes(' ') ? `Bearer ${value}` : value,
    ]),
  )
  return new StreamableHTTPClientTransport(new URL(url), {
    fetch: fetchOf({ url, oauth }),
    requestInit: { headers },
    ...(oauth === undefined
      ? {}
      : {
          authProvider: new ClientCredentialsProvider({
            clientId: oauth.clientId,
            clientSecret: secrets[oauth.secret] ?? '',
            expectedIssuer: oauth.issuer,
            ...(oauth.scope === undefined ? {} : { scope: oauth.scope }),
          }),
        }),
  })
}

/** The values of secrets, by the variables or headers that take them. */
const namedBy = (
  given: ServerEntry['secrets'],
  secrets: Readonly<Record<string, string>>,
): Record<string, string> =>
  Object.fromEntries(Object.entries(given).map(([name, as]) => [as, secrets[name] ?? '']))
