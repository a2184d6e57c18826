import type { Cli, InstanceOptions } from '../cli.ts'
import { serve } from '../served/serve.ts'
import { ACCEPT_TOOLS, ADD_TOOLS, CHECK_TOOLS, REMOVE_TOOLS, TOOL_SERVERS } from '../served/tools.ts'
import { shownChecks, shownServers, toldKept } from '../show/tools.ts'
import { UsageError } from '../text/failure.ts'
import { readText } from '../text/input.ts'

interface AddOptions extends InstanceOptions {
  readonly url?: string
  readonly secret: readonly string[]
  readonly timeout?: string
  readonly ask?: string
  readonly read?: string
  readonly oauthClient?: string
  readonly oauthSecret?: string
  readonly oauthIssuer?: string
}

/** `treeos tools`: outside MCP servers. `treeos secret`: what they are given. */
export function addTools(cli: Cli): void {
  cli.describeGroup('tools', 'outside MCP servers, whose tools become operations of beings')
  cli
    .onInstance('add <name> [command...]', 'name a server, and accept the tools that it has now', 'tools')
    .option('--url <url>', 'the address of a server that speaks streamable HTTP, instead of a command')
    .option(
      '--secret <name[=variable]>',
      'a secret that it gets, and the variable or header that holds it',
      (one: string, all: readonly string[]) => [...all, one],
      [] as readonly string[],
    )
    .option(
      '--ask <whom>',
      'whom to ask before a call of a tool that does not say that it only reads: stances, operator, owner or parent, with commas',
    )
    .option(
      '--read <tools>',
      'its tools that only read although it does not say so, with commas: a model may call several in one answer',
    )
    .option('--oauth-client <id>', 'the client of OAuth that calls the server, with the next two')
    .option('--oauth-secret <name>', 'the secret that holds the secret of that client')
    .option('--oauth-issuer <url>', 'the authorization server that gives it tokens')
    .option('--timeout <seconds>', 'longest time of a call (default: 60)')
    .action(
      cli.run(async (out, name: string, command: readonly string[], options: AddOptions) => {
        const named = given(command, options)
        const asked = { server: name, given: named, onProgress: (line: string) => out.progress(line) }
        out.value(await serve(options, ADD_TOOLS, asked), toldKept)
      }),
    )
  cli
    .onInstance('list', 'list the servers, their tools and the digests that were accepted', 'tools', true)
    .action(
      cli.run(async (out, options: InstanceOptions) => {
        out.value(await serve(options, TOOL_SERVERS, {}), shownServers)
      }),
    )
  cli
    .onInstance('check [name]', 'show where the tools of servers differ from what was accepted', 'tools')
    .action(
      cli.run(async (out, name: string | undefined, options: InstanceOptions) => {
        const checks = await serve(options, CHECK_TOOLS, { server: name })
        out.value(checks, shownChecks)
        return checks.every(({ changes, fault }) => changes.length === 0 && fault === null) ? 0 : 1
      }),
    )
  cli
    .onInstance('accept <name>', 'accept the tools of a server as they are now, or one: NAME:TOOL', 'tools')
    .action(
      cli.run(async (out, named: string, options: InstanceOptions) => {
        const asked = { named, onProgress: (line: string) => out.progress(line) }
        out.value(await serve(options, ACCEPT_TOOLS, asked), toldKept)
      }),
    )
  cli.onInstance('remove <name>', 'forget a server: its tools are not operations any more', 'tools').action(
    cli.run(async (out, name: string, options: InstanceOptions) => {
      const asked = { server: name, onProgress: (line: string) => out.progress(line) }
      out.value(await serve(options, REMOVE_TOOLS, asked), () => `${name} is forgotten`)
    }),
  )
  cli.describeGroup('secret', 'secrets by name, which effects and tool servers are given')
  cli.onInstance('set <name>', 'store a secret of this instance, from standard input', 'secret').action(
    cli.run(async (out, name: string, options: InstanceOptions) => {
      const { writeSecret } = await import('../instance/tools.ts')
      await writeSecret(options, name, (await readText('-')).replace(/\r?\n$/, ''))
      out.value({ secret: name }, () => `the secret ${name} is stored`)
    }),
  )
}

function given(command: readonly string[], options: AddOptions): object {
  const { url, secret, timeout, ask, read } = options
  if ((url === undefined) === (command.length === 0))
    throw new UsageError('name a command after --, or an address with --url, and not both')
  const secrets = secret.map((one) => {
    const [name = '', as] = one.split(/=(.*)/s)
    return [name, as ?? (url === undefined ? name.toUpperCase().replaceAll('-', '_') : 'Authorization')]
  })
  return {
    ...(url === undefined ? { command } : { url }),
    secrets: Object.fromEntries(secrets),
    ...oauthOf(options),
    ...(timeout === undefined ? {} : { timeoutSeconds: Number(timeout) }),
    ...(ask === undefined ? {} : { ask: { who: ask.split(',') } }),
    ...(read === undefined ? {} : { reads: read.split(',') }),
  }
}

function oauthOf({ oauthClient: clientId, oauthSecret: secret, oauthIssuer: issuer }: AddOptions): object {
  const given = [clientId, secret, issuer].filter((one) => one !== undefined).length
  if (given === 0) return {}
  if (given < 3) throw new UsageError('OAuth takes --oauth-client, --oauth-secret and --oauth-issuer')
  return { oauth: { clientId, secret, issuer } }
}
