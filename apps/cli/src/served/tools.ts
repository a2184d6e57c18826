import type { KeptToolServer, ToolServerCheck, ToolServerView } from '@treeos/portal'
import type { ExtensionView } from '../instance/extension-lists.ts'
import { UsageError } from '../text/failure.ts'
import { answered, type Service } from './serve.ts'

/** With what talks to servers, to the record and to workers. */
const loaded = () => import('../instance/tools.ts')
/** Told of each step; by the API of none. */
type ProgressListener = (line: string) => void

export const TOOL_SERVERS: Service<object, readonly ToolServerView[]> = {
  record: async (options) => (await loaded()).listServers(options),
  api: (treeos) => answered(treeos.api.GET('/tools')),
}

export const CHECK_TOOLS: Service<{ readonly server: string | undefined }, readonly ToolServerCheck[]> = {
  record: async (options, { server }) => (await loaded()).checkServers(options, server),
  api: (treeos, { server }) =>
    answered(treeos.api.GET('/tools/check', { params: { query: server === undefined ? {} : { server } } })),
}

interface AddedServer {
  readonly server: string
  readonly given: object
  readonly onProgress: ProgressListener
}

/** What the API takes of a server: the rest belongs to the machine of its workers. */
const REMOTE: readonly string[] = ['url', 'timeoutSeconds', 'ask', 'reads']

export const ADD_TOOLS: Service<AddedServer, KeptToolServer> = {
  record: async (options, { server, given, onProgress }) =>
    (await loaded()).addServer(options, server, given, onProgress),
  api: (treeos, { server, given }) => {
    const kept = Object.entries(given).filter(
      ([, value]) => Object.keys(value ?? 0).length > 0 || typeof value === 'number',
    )
    const local = kept.find(([name]) => !REMOTE.includes(name))?.[0]
    if (local !== undefined)
      throw new UsageError(
        `a server with ${local === 'secrets' ? 'a secret' : local === 'oauth' ? 'OAuth' : `a ${local}`} is named on the machine of its worker: run this there, with --data`,
      )
    return answered(treeos.api.POST('/tools', { body: { server, ...Object.fromEntries(kept) } as never }))
  },
}

export const ACCEPT_TOOLS: Service<
  { readonly named: string; readonly onProgress: ProgressListener },
  KeptToolServer
> = {
  record: async (options, { named, onProgress }) => (await loaded()).acceptServer(options, named, onProgress),
  api: (treeos, { named }) => answered(treeos.api.POST('/tools/accept', { body: { named } })),
}

export const REMOVE_TOOLS: Service<
  { readonly server: string; readonly onProgress: ProgressListener },
  { readonly removed: string }
> = {
  record: async (options, { server, onProgress }) => {
    await (await loaded()).removeServer(options, server, onProgress)
    return { removed: server }
  },
  api: (treeos, { server }) => answered(treeos.api.POST('/tools/remove', { body: { server } })),
}

export const EXTENSIONS: Service<object, readonly ExtensionView[]> = {
  record: async (options) => (await import('../instance/extension-lists.ts')).listExtensions(options),
  api: (treeos) => answered(treeos.api.GET('/extensions')),
}
