import type { JsonObject } from '@treeos/core'
import type { ToolList } from './definition.ts'
import type { ToolCall } from './extension.ts'
import type { ServerEntries, ServerEntry } from './file.ts'
import { type ServerState, ToolServer } from './server.ts'

export type { ServerState } from './server.ts'

/** The servers of one worker, each at most once however many beings call it. */
export class ToolServers {
  readonly #servers: ReadonlyMap<string, ToolServer>

  constructor(entries: ServerEntries) {
    this.#servers = new Map(
      Object.entries(entries).map(([name, entry]) => [name, new ToolServer(name, entry)]),
    )
  }

  readonly call = async (server: string, call: ToolCall): Promise<JsonObject> => {
    const known = this.#servers.get(server)
    if (known === undefined) throw new Error(`this worker knows no server ${server}`)
    return known.call(call)
  }

  /** By name, without any secret. */
  states(): Record<string, ServerState> {
    return Object.fromEntries([...this.#servers].map(([name, server]) => [name, server.state]))
  }

  async close(): Promise<void> {
    await Promise.all([...this.#servers.values()].map((server) => server.close()))
  }
}

/** Connects to a server, asks which tools it has, and leaves it. @throws {TreeosError} SERVICE_UNAVAILABLE */
export async function listTools(
  name: string,
  entry: ServerEntry,
  secrets: Readonly<Record<string, string>>,
): Promise<ToolList> {
  const server = new ToolServer(name, entry)
  try {
    return await server.list(secrets)
  } finally {
    await server.close()
  }
}
