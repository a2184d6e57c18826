import { asJson, isSameJson, type JsonObject, TreeosError } from '@treeos/core'
import { parseServer } from '@treeos/tools'
import type { InstanceOptions } from '../cli.ts'
import { addServerOfFile, readServers } from './tools.ts'

/** How a tool server of a file stands here. */
export interface ToolsState {
  readonly server: string
  readonly state: 'missing' | 'differs'
  /** the command that adding it starts, or its address */
  readonly at: string
}

/** Tool servers as they may leave this machine. One whose address may hold a secret stays. */
export async function toolsForFile(
  options: InstanceOptions,
): Promise<{ readonly tools: Record<string, JsonObject>; readonly leftOut: string[] }> {
  const servers = Object.entries(await readServers(options)).sort(([a], [b]) => (a < b ? -1 : 1))
  const isPlain = ({ url }: { readonly url?: string | undefined }) => {
    if (url === undefined) return true
    const { username, password, search } = new URL(url)
    return `${username}${password}${search}` === ''
  }
  return {
    tools: Object.fromEntries(
      servers
        .filter(([, entry]) => isPlain(entry))
        .map(([name, entry]) => [name, asJson(entry) as JsonObject]),
    ),
    leftOut: servers
      .filter(([, entry]) => !isPlain(entry))
      .map(([name]) => `tools.${name}: its address may hold a secret`),
  }
}

/**
 * The servers of a file that are not here as it says. Checks them all first.
 * @throws {TreeosError} INVALID_INPUT naming the file and the path
 */
export async function toolsInFile(
  options: InstanceOptions,
  tools: Readonly<Record<string, JsonObject>>,
  file: string,
): Promise<ToolsState[]> {
  const wanted = Object.entries(tools).map(([server, given]) => {
    try {
      return [server, parseServer(server, given)] as const
    } catch (error) {
      if (!(error instanceof TreeosError)) throw error
      throw new TreeosError(error.code, `${file}: tools.${server}: ${error.message}`)
    }
  })
  if (wanted.length === 0) return []
  const here = await readServers(options)
  return wanted.flatMap(([server, entry]): ToolsState[] => {
    const there = here[server]
    const at = entry.url ?? (entry.command ?? []).join(' ')
    if (there === undefined) return [{ server, state: 'missing', at }]
    return isSameJson(asJson(there), asJson(entry)) ? [] : [{ server, state: 'differs', at }]
  })
}

/** Adds the servers that are missing, as `treeos tools add` does. */
export async function plantTools(
  options: InstanceOptions,
  states: readonly ToolsState[],
  tools: Readonly<Record<string, JsonObject>>,
  onProgress: (line: string) => void,
): Promise<void> {
  for (const { server, state } of states)
    if (state === 'missing') await addServerOfFile(options, server, tools[server] ?? {}, onProgress)
}
