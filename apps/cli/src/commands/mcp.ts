import type { Cli, InstanceOptions } from '../cli.ts'
import type { LiveConnection } from '../instance/connection.ts'
import { withServices } from '../instance/with-instance.ts'
import { errorReporter } from '../text/error-reporter.ts'
import { UsageError } from '../text/failure.ts'
import { requireStance, wholeNumber } from '../text/input.ts'
import type { ExitStatus, Output } from '../text/output.ts'

const PORT = 7437
const PORT_MAX = 65_535

interface McpOptions extends InstanceOptions {
  readonly as?: string
  readonly http?: string | true
  readonly listen?: string
  readonly host?: string[]
}

/** `treeos mcp`: the four verbs for an outside model. */
export function addMcp(cli: Cli): void {
  cli
    .onInstance(
      'mcp',
      'let an outside model act as a being, by MCP\nIt speaks on standard input and output, or over HTTP.',
    )
    .option('--as <stance>', 'the being that acts (default: @operator)')
    .option('--http [port]', `serve clients that have a token over HTTP instead (default port: ${PORT})`)
    .option('--listen <address>', 'with --http: the address to listen on (default: 127.0.0.1)')
    .option('--host <name...>', 'with --http: further names by which clients may reach it')
    .action(
      cli.run(async (out, options: McpOptions) => {
        requireOneWay(options)
        const { untilEnding } = await import('@treeos/local')
        const ending = untilEnding()
        const { loadedRegistry } = await import('../instance/connection.ts')
        const registry = await loadedRegistry(options)
        const serve = options.http === undefined ? servePipe : serveNet
        return withServices(options, (at) => serve({ ...at, registry }, options, { out, ending }))
      }),
    )
}

interface McpDeps {
  readonly out: Output
  readonly ending: Promise<void>
}

/** The client reads standard output, so everything else goes to standard error. */
async function servePipe(
  at: LiveConnection,
  { as }: McpOptions,
  { out, ending }: McpDeps,
): Promise<ExitStatus> {
  const { serveStdio } = await import('@treeos/mcp')
  const being = requireStance(as ?? '@operator')
  const serving = await serveStdio(at, { being, issuer: 'operator' }, await optionsOf(out))
  await Promise.race([serving.over, ending])
  await serving.close()
  process.stdin.destroy() // open, it would keep the process from ending
  return 0
}

async function serveNet(
  at: LiveConnection,
  { http, listen, host = [] }: McpOptions,
  { out, ending }: McpDeps,
): Promise<ExitStatus> {
  const { serveHttp } = await import('@treeos/mcp')
  const port = typeof http === 'string' ? portOf(http) : PORT
  const bound = listen === undefined ? {} : { listen }
  const edge = await serveHttp(at, { port, hosts: host, ...bound, ...(await optionsOf(out)) })
  out.value({ ready: true, pid: process.pid, url: edge.url }, ({ url }) => `MCP is served at ${url}`)
  await ending
  await edge.close()
  return 0
}

async function optionsOf(out: Output) {
  const { actsPerMinuteIn } = await import('@treeos/client')
  const actsPerMinute = actsPerMinuteIn(process.env.TREEOS_ACTS_PER_MINUTE)
  return { onError: errorReporter(out, 'mcp'), actsPerMinute }
}

const portOf = wholeNumber('--http', 0, PORT_MAX)

function requireOneWay({ as, http, listen, host }: McpOptions): void {
  if (typeof http === 'string') portOf(http)
  if (http !== undefined && as !== undefined)
    throw new UsageError('--as and --http do not go together: over HTTP, the token says who acts')
  if (http === undefined && (listen !== undefined || host !== undefined))
    throw new UsageError('--listen and --host need --http')
}
