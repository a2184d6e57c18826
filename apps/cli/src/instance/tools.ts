import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { asJson, isKey, type JsonObject, quote, TreeosError } from '@treeos/core'
import { instanceDir, restartWorkers } from '@treeos/local'
import type { KeptToolServer, RecordAccepted, ToolServerCheck, ToolServerView } from '@treeos/portal'
import {
  ACCEPT,
  acceptance,
  acceptedOn,
  changesBetween,
  type Definitions,
  digestsOf,
  parseServer,
  readsOf,
  readToolsFile,
  type ServerEntries,
  type ServerEntry,
  secretsFor,
  type ToolList,
  toolExtensions,
  writeToolsFile,
} from '@treeos/tools'
import { buildRegistry, seed } from '@treeos/world'
import type { InstanceOptions } from '../cli.ts'
import { UsageError } from '../text/failure.ts'
import { withReality, withServices } from './with-instance.ts'

/** Told of each step. */
type StepListener = (line: string) => void

/** Names a server, and accepts the tools that it has now. @throws {TreeosError} */
export async function addServer(
  options: InstanceOptions,
  name: string,
  given: object,
  onProgress: StepListener,
  record: RecordAccepted = recordAsOperator(options),
): Promise<KeptToolServer> {
  const at = await toolsAt(options, record)
  const entry = parseServer(name, given)
  await requireUsable(at, name, entry) // before its server is started
  await requireAsked(options, entry)
  return keepNow(at, name, entry, null, onProgress)
}

/**
 * Names a server as a file of a world does, if its tools are what the file says that were accepted.
 * @throws {TreeosError} FORBIDDEN when they are others; as {@link addServer}
 */
export async function addServerOfFile(
  options: InstanceOptions,
  name: string,
  given: object,
  onProgress: StepListener,
): Promise<void> {
  const at = await toolsAt(options)
  const entry = parseServer(name, given)
  await requireUsable(at, name, entry)
  onProgress(`asking ${name} for its tools`)
  const { tools } = await askServer(at, name, entry)
  const [changed] = changesBetween(entry.tools, tools)
  if (changed !== undefined)
    throw new TreeosError(
      'FORBIDDEN',
      `the server ${name} has other tools than the file names, first ${name}:${changed.tool}; \`treeos tools add\` adds it as it is now`,
    )
  await keepServer(at, name, entry, onProgress)
}

/** The servers of an instance as its file names them. */
export const readServers = async (options: InstanceOptions): Promise<ServerEntries> =>
  readToolsFile((await toolsAt(options)).file)

/** Accepts the tools of a server as they are now. @param named `NAME`, or `NAME:TOOL` for one of them */
export async function acceptServer(
  options: InstanceOptions,
  named: string,
  onProgress: StepListener,
  record: RecordAccepted = recordAsOperator(options),
): Promise<KeptToolServer> {
  const at = await toolsAt(options, record)
  const [name = '', tool = null] = named.split(/:(.*)/s)
  return keepNow(at, name, requireServer(at, name), tool, onProgress)
}

async function keepNow(
  at: ToolsAt,
  name: string,
  entry: ServerEntry,
  tool: string | null,
  onProgress: StepListener,
): Promise<KeptToolServer> {
  onProgress(`asking ${name} for its tools`)
  const { tools: now, leftOut } = await askServer(at, name, entry)
  for (const [one, why] of Object.entries(leftOut)) onProgress(`${name}:${one} is left out: ${why}`)
  const tools = tool === null ? now : withTool(entry.tools, now, tool)
  await requireUsable(at, name, { ...entry, tools }) // or no worker could start
  const { accepted, askedBefore } = await keepServer(at, name, { ...entry, tools }, onProgress)
  return {
    server: name,
    accepted,
    tools: digestsOf(tools),
    reads: readsOf({ ...entry, tools }),
    ...(askedBefore === null ? {} : { askedBefore }),
  }
}

/** @throws {TreeosError} EXTENSION_NOT_FOUND */
export async function removeServer(
  options: InstanceOptions,
  name: string,
  onProgress: StepListener,
  record: RecordAccepted = recordAsOperator(options),
): Promise<void> {
  const at = await toolsAt(options, record)
  requireServer(at, name)
  const { runs } = await keepServer(at, name, null, onProgress)
  if (runs) return endTools(options, name, onProgress)
  onProgress(
    `once its workers have started without ${name}, \`treeos extension end ${name}\` ends what waits for it`,
  )
}

/** Or the moments that call a tool of it would wait for a worker that has it. */
async function endTools(options: InstanceOptions, name: string, onProgress: StepListener): Promise<void> {
  const { endExtensionOf } = await import('./ended-extension.ts')
  try {
    await endExtensionOf(options, name)
  } catch (error) {
    if (!(error instanceof TreeosError) || error.code !== 'RESOURCE_CONFLICT') throw error
    onProgress(`${error.message}; \`treeos extension end ${name}\` ends it once that worker is gone`)
  }
}

/** @param name null or left out for all servers */
export async function checkServers(options: InstanceOptions, name?: string): Promise<ToolServerCheck[]> {
  const at = await toolsAt(options)
  const servers = name === undefined ? readToolsFile(at.file) : { [name]: requireServer(at, name) }
  return Promise.all(Object.entries(servers).map(([server, entry]) => checkServer(at, server, entry)))
}

export async function listServers(options: InstanceOptions): Promise<ToolServerView[]> {
  const { file } = await toolsAt(options)
  const accepted = await recorded(options)
  return Object.entries(readToolsFile(file)).map(([server, entry]) => ({
    server,
    at: entry.url ?? (entry.command ?? []).join(' '),
    secrets: secretsFor(entry),
    ask: entry.ask === undefined ? null : (asJson(entry.ask) as JsonObject),
    tools: Object.fromEntries(
      Object.entries(digestsOf(entry.tools)).map(([tool, digest]) => [
        tool,
        {
          digest,
          accepted: accepted === null ? null : accepted(server)[tool]?.digest === digest,
          read: readsOf(entry).includes(tool),
        },
      ]),
    ),
  }))
}

/** The file of an instance that names its tool servers, and their secrets. */
interface ToolsAt {
  readonly options: InstanceOptions
  readonly record: RecordAccepted
  readonly file: string
  readonly env: NodeJS.ProcessEnv
}

async function toolsAt(
  options: InstanceOptions,
  record: RecordAccepted = recordAsOperator(options),
): Promise<ToolsAt> {
  const { toolsFileOf } = await import('@treeos/worker/extensions')
  const env = { ...process.env, TREEOS_DATA: instanceDir(options) }
  return { options, record, file: toolsFileOf(env) ?? join(env.TREEOS_DATA, 'tools.json'), env }
}

/** @throws {TreeosError} EXTENSION_NOT_FOUND */
function requireServer({ file }: ToolsAt, name: string): ServerEntry {
  const servers = readToolsFile(file)
  const entry = servers[name]
  if (entry !== undefined) return entry
  const known = Object.keys(servers).join(', ') || 'none'
  throw new TreeosError('EXTENSION_NOT_FOUND', `${file} names no server ${quote(name)}; it names ${known}`)
}

/**
 * The tools that a server has now, from a connection of this process.
 * @throws {TreeosError} SERVICE_UNAVAILABLE, FORBIDDEN
 */
async function askServer({ env }: ToolsAt, name: string, entry: ServerEntry): Promise<ToolList> {
  const [{ listTools }, { secretsOf }] = await Promise.all([
    import('@treeos/tools/servers'),
    import('@treeos/worker/extensions'),
  ])
  const secret = secretsOf(env)
  const given = secretsFor(entry).map((one) => [one, secret(one)] as const)
  const missing = given.find(([, value]) => value === null)?.[0]
  if (missing !== undefined)
    throw new TreeosError(
      'FORBIDDEN',
      `there is no secret ${missing}: \`treeos secret set ${missing}\` sets it`,
    )
  return listTools(name, entry, Object.fromEntries(given.map(([one, value]) => [one, value ?? ''])))
}

/**
 * @throws {TreeosError} RESOURCE_CONFLICT when an extension has the name, INVALID_INPUT for a name that none
 *   may have
 */
async function requireUsable({ env }: ToolsAt, name: string, entry: ServerEntry): Promise<void> {
  const { loadExtensions } = await import('@treeos/worker/extensions')
  const { TREEOS_TOOLS: _, TREEOS_DATA: __, ...plain } = env
  const brought = await loadExtensions(plain) // without those of servers
  if ([acceptance, ...brought].some((extension) => extension.name === name))
    throw new TreeosError('RESOURCE_CONFLICT', `an extension is called ${name}: give the server another name`)
  try {
    buildRegistry([seed, ...brought, ...toolExtensions({ [name]: entry })])
  } catch (error) {
    throw error instanceof TreeosError
      ? error
      : new TreeosError('INVALID_INPUT', error instanceof Error ? error.message : String(error))
  }
}

/**
 * A call that asks nobody who is there would wait until it expires.
 * @throws {TreeosError} BEING_NOT_FOUND
 */
async function requireAsked(options: InstanceOptions, { ask }: ServerEntry): Promise<void> {
  const named = (ask?.who ?? []).filter((who) => who.startsWith('@'))
  if (named.length === 0) return
  await withReality(options, async (at, { beings }) => {
    const there = new Set((await beings(at.db)).map(({ stance }) => stance))
    const missing = named.find((who) => !there.has(who))
    if (missing !== undefined)
      throw new TreeosError('BEING_NOT_FOUND', `--ask ${missing}: no being of this reality has that name`)
  })
}

/** The codes of an act that no worker does, or only one that has not read the file yet. */
const WITHOUT_WORKER: readonly string[] = ['SERVICE_UNAVAILABLE', 'TIMEOUT', 'ACTION_NOT_SUPPORTED']

/**
 * Writes a server into the file, or takes it out, and starts the workers again. Then the operator's act puts
 * the digests of its tools into the record.
 * @param entry null takes the server out
 * @returns whether the record holds it, which is false while no worker runs; whether workers run here; and who was
 *   asked before its calls and is asked no longer, or null
 */
async function keepServer(
  { options, file, record }: ToolsAt,
  name: string,
  entry: ServerEntry | null,
  onProgress: (line: string) => void,
): Promise<{ accepted: boolean; runs: boolean; askedBefore: readonly string[] | null }> {
  const { [name]: before, ...others } = readToolsFile(file)
  const next: ServerEntries = entry === null ? others : { ...others, [name]: entry }
  const dataDir = instanceDir(options)
  // Without a server no worker knows the operation any more, so what was accepted is taken back first.
  const takenBack = entry === null && (await accept(record, name, NONE, onProgress))
  mkdirSync(dirname(file), { recursive: true })
  writeToolsFile(file, next)
  onProgress('starting the workers again')
  const runs = await restartWorkers(dataDir)
  if (entry === null) return { accepted: takenBack, runs, askedBefore: null }
  return {
    accepted: runs && (await accept(record, name, entry, onProgress)),
    runs,
    askedBefore: entry.ask === undefined ? (before?.ask?.who ?? null) : null,
  }
}

const NONE = { tools: {}, reads: [] }

/** @returns false when no worker does it: nothing runs, or it was not started by `treeos up` */
async function accept(
  record: RecordAccepted,
  server: string,
  entry: Pick<ServerEntry, 'tools' | 'reads'>,
  onProgress: (line: string) => void,
): Promise<boolean> {
  try {
    await record({ server, tools: digestsOf(entry.tools), reads: readsOf(entry) })
    return true
  } catch (error) {
    if (!(error instanceof TreeosError) || !WITHOUT_WORKER.includes(error.code)) throw error
    onProgress(error.message)
    return false
  }
}

/** Who may read the files of an instance is its operator. */
const recordAsOperator =
  (options: InstanceOptions): RecordAccepted =>
  async ({ server, tools, reads }) => {
    const args = { server, tools, reads: [...reads] }
    const call = { verb: 'do', target: '/', operation: ACCEPT, args } as const
    await withServices(options, (at, { act }) => act(at, 'operator', call))
  }

/** What the record holds of the tools of each server; null while Postgres does not answer. */
async function recorded(
  options: InstanceOptions,
): Promise<((server: string) => ReturnType<typeof acceptedOn>) | null> {
  try {
    return await withReality(options, async ({ db, reality }) => {
      const [{ readRows }, { spaceKey }] = await Promise.all([
        import('@treeos/store'),
        import('@treeos/world'),
      ])
      const [row] = await readRows(db, reality.id, [spaceKey('/')])
      return (server: string) => acceptedOn((row?.state ?? null) as never, server)
    })
  } catch (error) {
    if (error instanceof TreeosError && error.code === 'SERVICE_UNAVAILABLE') return null
    throw error
  }
}

async function checkServer(at: ToolsAt, server: string, entry: ServerEntry): Promise<ToolServerCheck> {
  try {
    const { tools, leftOut } = await askServer(at, server, entry)
    return { server, changes: changesBetween(entry.tools, tools), leftOut, fault: null }
  } catch (error) {
    if (!(error instanceof TreeosError)) throw error
    return { server, changes: [], leftOut: {}, fault: error.message }
  }
}

/** The accepted tools after one more was accepted, or one that is gone was left. */
function withTool(accepted: Definitions, now: Definitions, tool: string): Definitions {
  const { [tool]: _, ...others } = accepted
  const fresh = now[tool]
  return fresh === undefined ? others : { ...others, [tool]: fresh }
}

/** Writes a secret of the instance, which no command shows again. */
export async function writeSecret(options: InstanceOptions, name: string, value: string): Promise<void> {
  if (!isKey(name)) throw new UsageError(`the name of a secret is kebab-case, not ${quote(name)}`)
  const { secretsFolder } = await import('@treeos/worker/extensions')
  const folder = secretsFolder(instanceDir(options))
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  writeFileSync(join(folder, name), value, { mode: 0o600 })
}
