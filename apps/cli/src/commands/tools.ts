import { digestsOf, parseServer, readToolsFile, type ServerEntry } from '@treeos/tools'
import type { Cli, InstanceOptions } from '../cli.ts'
import {
  askServer,
  checkServer,
  keepServer,
  recorded,
  requireFreeName,
  requireServer,
  type ToolsAt,
  toolsAt,
  withTool,
  writeSecret,
} from '../instance/tools.ts'
import { type ServerView, shownChecks, shownServers, toldKept } from '../show/tools.ts'
import { UsageError } from '../text/failure.ts'
import { readText } from '../text/input.ts'
import type { Output } from '../text/output.ts'

interface AddOptions extends InstanceOptions {
  readonly url?: string
  readonly secret: readonly string[]
  readonly timeout?: string
}

/** `treeos tools`: outside MCP servers. `treeos secret`: what they are given. */
export function addTools(cli: Cli): void {
  cli.describeGroup('tools', 'outside MCP servers, whose tools become operations that beings may be given')
  cli
    .onInstance('add <name> [command...]', 'name a server, and accept the tools that it has now', 'tools')
    .option('--url <url>', 'the address of a server that speaks streamable HTTP, instead of a command')
    .option(
      '--secret <name[=variable]>',
      'a secret that it gets, and the variable or header that holds it',
      (one: string, all: readonly string[]) => [...all, one],
      [] as readonly string[],
    )
    .option('--timeout <seconds>', 'longest time of a call (default: 60)')
    .action(
      cli.run(async (out, name: string, command: readonly string[], options: AddOptions) => {
        const at = await toolsAt(options)
        const entry = parseServer(name, given(command, options))
        await requireFreeName(at, name, entry)
        const { tools, leftOut } = await out.spinning(() => askServer(at, name, entry))
        for (const [tool, why] of Object.entries(leftOut)) out.progress(`${name}:${tool} is left out: ${why}`)
        await kept(out, at, name, { ...entry, tools })
      }),
    )
  cli
    .onInstance('list', 'list the servers, their tools and the digests that were accepted', 'tools', true)
    .action(
      cli.run(async (out, options: InstanceOptions) => {
        out.value(await listed(await toolsAt(options)), shownServers)
      }),
    )
  cli
    .onInstance(
      'check [name]',
      'ask servers for their tools, and show what differs from what was accepted',
      'tools',
    )
    .action(
      cli.run(async (out, name: string | undefined, options: InstanceOptions) => {
        const at = await toolsAt(options)
        const servers = name === undefined ? readToolsFile(at.file) : { [name]: requireServer(at, name) }
        const checks = await Promise.all(
          Object.entries(servers).map(([server, entry]) => checkServer(at, server, entry)),
        )
        out.value(checks, shownChecks)
        return checks.every(({ changes, fault }) => changes.length === 0 && fault === null) ? 0 : 1
      }),
    )
  cli
    .onInstance(
      'accept <name>',
      'accept the tools of a server as they are now: NAME, or one of them: NAME:TOOL',
      'tools',
    )
    .action(
      cli.run(async (out, named: string, options: InstanceOptions) => {
        const at = await toolsAt(options)
        const [name = '', tool] = named.split(/:(.*)/s)
        const entry = requireServer(at, name)
        const { tools } = await out.spinning(() => askServer(at, name, entry))
        await kept(out, at, name, {
          ...entry,
          tools: tool === undefined ? tools : withTool(entry.tools, tools, tool),
        })
      }),
    )
  cli.onInstance('remove <name>', 'forget a server: its tools are no operations any more', 'tools').action(
    cli.run(async (out, name: string, options: InstanceOptions) => {
      const at = await toolsAt(options)
      requireServer(at, name)
      await keepServer(at, name, null, (line) => out.progress(line))
      out.value({ removed: name }, () => `${name} is forgotten`)
    }),
  )
  cli.describeGroup('secret', 'secrets by name, which effects and tool servers are given')
  cli.onInstance('set <name>', 'store a secret of this instance, from standard input', 'secret').action(
    cli.run(async (out, name: string, options: InstanceOptions) => {
      await writeSecret(options, name, (await readText('-')).replace(/\r?\n$/, ''))
      out.value({ secret: name }, () => `the secret ${name} is stored`)
    }),
  )
}

function given(command: readonly string[], { url, secret, timeout }: AddOptions): object {
  if ((url === undefined) === (command.length === 0))
    throw new UsageError('name a command after --, or an address with --url, and not both')
  const secrets = secret.map((one) => {
    const [name = '', as] = one.split(/=(.*)/s)
    return [name, as ?? (url === undefined ? name.toUpperCase().replaceAll('-', '_') : 'Authorization')]
  })
  return {
    ...(url === undefined ? { command } : { url }),
    secrets: Object.fromEntries(secrets),
    ...(timeout === undefined ? {} : { timeoutSeconds: Number(timeout) }),
  }
}

async function kept(out: Output, at: ToolsAt, name: string, entry: ServerEntry): Promise<void> {
  const { accepted } = await keepServer(at, name, entry, (line) => out.progress(line))
  out.value({ server: name, accepted, tools: digestsOf(entry.tools) }, ({ tools }) =>
    toldKept(name, accepted, Object.keys(tools)),
  )
}

async function listed(at: ToolsAt): Promise<ServerView[]> {
  const accepted = await recorded(at.options)
  return Object.entries(readToolsFile(at.file)).map(([server, { command, url, secrets, tools }]) => ({
    server,
    at: url ?? (command ?? []).join(' '),
    secrets: Object.keys(secrets),
    tools: Object.fromEntries(
      Object.entries(digestsOf(tools)).map(([tool, digest]) => [
        tool,
        { digest, accepted: accepted === null ? null : accepted(server)[tool] === digest },
      ]),
    ),
  }))
}
