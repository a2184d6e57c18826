import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { openInstance, recordService } from '../instance/instance.ts'
import { runningService } from '../instance/services.ts'
import { LocalError } from '../machine/error.ts'
import { acquireLock } from '../machine/lock.ts'
import type { Process } from '../machine/process.ts'
import { readAccess, type TemporalAccess, temporalEnvironment } from './access.ts'
import { isBeyondLoopback, LOOPBACK, requireBind } from './bind.ts'
import type { TemporalBinary } from './executables.ts'
import { externalTemporal } from './external.ts'
import { findTemporal, formerTemporal, ownTemporal } from './find.ts'
import { prepareNamespace, withConnection } from './namespace.ts'
import { launchServer, serverAnswers, stopServer } from './server.ts'

export interface TemporalOptions {
  /** The instance's folder. */
  dataDir: string
  /** Names of keyword search attributes the namespace has to have. */
  searchAttributes: readonly string[]
  /** Ports that have to be used; free ones otherwise, the last ones if possible. */
  ports?: { grpc?: number | undefined; ui?: number | undefined }
  /**
   * The IP address that gRPC listens on, by default that in TREEOS_BIND, else loopback. Beyond it callers
   * need a certificate.
   */
  bind?: string
  /** The server's log file; `temporal.log` in the instance's folder unless given. */
  log?: string
  onProgress?: (line: string) => void
  env?: NodeJS.ProcessEnv
  /** The folders to look for executables in, as PATH lists them. */
  path?: string
  /** Where downloaded and built servers are kept for all instances of this user. */
  cacheDir?: string
}

export interface Temporal extends TemporalAccess {
  /** host:port of the gRPC frontend. */
  address: string
  /** TEMPORAL_* variables by which other programs reach it. */
  env: Record<string, string>
  /** Where to see workflows in a browser, if we know. */
  ui: string | null
  /** Null for a server that is not ours. */
  pid: number | null
  /** `external` is not ours; the others say where our server's executable came from. */
  kind: 'external' | TemporalBinary['kind']
  /** True when it ran before this call. */
  reused: boolean
  /** Ends our server in order; nothing for one that is not ours. */
  stop(): Promise<void>
}

const NAME = 'temporal'
const NAMESPACE = 'default'
const BUILD_MS_MAX = 3_600_000

/** `treeos` in XDG_CACHE_HOME or ~/.cache. */
export function defaultCacheDir(env: NodeJS.ProcessEnv = process.env): string {
  return join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'treeos')
}

/**
 * The Temporal of an instance, with its search attributes: TEMPORAL_ADDRESS, else the server of this instance
 * which still runs, else one started from `temporal` on PATH, from the pinned download, or built with Go. It
 * runs on when this process ends.
 * @throws LocalError, PortTakenError
 */
export async function ensureTemporal(options: TemporalOptions): Promise<Temporal> {
  const { env = process.env, onProgress = () => {}, searchAttributes } = options
  const dataDir = resolve(options.dataDir)
  const bind = requireBind(options.bind ?? env.TREEOS_BIND)
  openInstance(dataDir)
  const external = await externalTemporal(dataDir, env, searchAttributes, onProgress)
  if (external !== null) {
    if (bind !== LOOPBACK)
      throw new LocalError(
        `--bind (TREEOS_BIND) is ${bind}, but Temporal is your own server at ${external.address}: leave one of them out`,
      )
    const { address, namespace, options } = external
    await recordService(dataDir, { name: NAME, process: null, address, detail: { namespace, ui: null } })
    const notOurs = { ui: null, pid: null, kind: 'external', reused: true } as const
    return { address, namespace, options, env: namedBy(env), ...notOurs, stop: async () => {} }
  }
  const lock = await acquireLock(join(dataDir, 'temporal.lock'), {
    waitMs: BUILD_MS_MAX,
    onWait: ({ pid }) => onProgress(`process ${pid} is starting Temporal for this instance`),
  })
  try {
    const found =
      (await reuse(dataDir, { ...options, bind })) ??
      (await start(dataDir, { ...options, bind, env, onProgress }))
    await withConnection(found.options, (connection) =>
      prepareNamespace(connection, { namespace: NAMESPACE, searchAttributes, retentionDays: 90 }),
    )
    return found
  } finally {
    lock.release()
  }
}

/** The recorded server when it still answers. One that lives without answering is ended. */
async function reuse(
  dataDir: string,
  { ports, bind }: TemporalOptions & { bind: string },
): Promise<Temporal | null> {
  const service = runningService(dataDir, NAME)
  if (service?.process == null) return null
  const { address, detail, process: known } = service
  if (ports?.grpc !== undefined && !address.endsWith(`:${ports.grpc}`)) {
    throw new LocalError(
      `Temporal of ${dataDir} runs on ${address}, not port ${ports.grpc}: stop the instance first`,
    )
  }
  const bound = detail?.bind ?? LOOPBACK
  if (bound !== bind)
    throw new LocalError(
      `Temporal of ${dataDir} listens on ${bound}, not on ${bind}: stop the instance first`,
    )
  const kind = detail?.kind as TemporalBinary['kind']
  if (!(await serverAnswers(dataDir, known))) {
    await stopServer(dataDir, known)
    return null
  }
  return describeNamespace(dataDir, { address, ui: detail?.ui ?? null, kind, process: known }, true)
}

async function start(
  dataDir: string,
  options: TemporalOptions & Required<Pick<TemporalOptions, 'env' | 'onProgress' | 'bind'>>,
): Promise<Temporal> {
  const { env, onProgress, path = env.PATH ?? '', cacheDir = defaultCacheDir(env) } = options
  const where = { env, path, cacheDir, onProgress }
  const mustBeOurs = env.TREEOS_OWN_TEMPORAL === '1' || isBeyondLoopback(options.bind)
  const binary =
    (await formerTemporal(dataDir, where)) ??
    (mustBeOurs ? await ownTemporal(where) : await findTemporal(where))
  const server = await launchServer({
    dataDir,
    binary,
    bind: options.bind,
    namespace: NAMESPACE,
    searchAttributes: options.searchAttributes,
    ports: options.ports ?? {},
    logFile: options.log ?? join(dataDir, 'temporal.log'),
    onProgress,
  })
  return describeNamespace(dataDir, { ...server, kind: binary.kind }, false)
}

async function describeNamespace(
  dataDir: string,
  server: { address: string; ui: string | null; kind: TemporalBinary['kind']; process: Process },
  reused: boolean,
): Promise<Temporal> {
  const { address, ui, kind, process } = server
  const stop = () => stopServer(dataDir, process)
  const env = temporalEnvironment(dataDir, {})
  return { ...(await readAccess(env)), address, env, ui, pid: process.pid, kind, reused, stop }
}

function namedBy(env: NodeJS.ProcessEnv): Record<string, string> {
  const given = Object.entries(env).filter(
    (pair): pair is [string, string] => pair[0].startsWith('TEMPORAL_') && pair[1] !== undefined,
  )
  return Object.fromEntries(given)
}
