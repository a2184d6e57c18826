import { totalmem } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { forgetService, readInstance, recordService } from '../instance/instance.ts'
import { LocalError, messageOf } from '../machine/error.ts'
import { freePort, PortTakenError } from '../machine/ports.ts'
import { isRunning, logSize, type Process, spawnDetached, tail, terminate } from '../machine/process.ts'
import { serverEnvironment } from '../machine/server-environment.ts'
import {
  keyFileOf,
  makeKey,
  makePrivateFolder,
  readAccess,
  type TemporalGuard,
  temporalEnvironment,
  tlsFolderOf,
  writeConfig,
} from './access.ts'
import { isBeyondLoopback, LOOPBACK, nearAddress } from './bind.ts'
import type { TemporalBinary } from './executables.ts'
import { databaseOf } from './find.ts'
import { withConnection } from './namespace.ts'

interface Launch {
  dataDir: string
  binary: TemporalBinary
  /** the address that gRPC listens on */
  bind: string
  namespace: string
  searchAttributes: readonly string[]
  ports: { grpc?: number | undefined; ui?: number | undefined }
  logFile: string
  onProgress: (line: string) => void
}

export interface TemporalServer {
  address: string
  ui: string
  process: Process
}

const NAME = 'temporal'
const READY_MS = 30_000
const POLL_MS = 50
const ATTEMPTS_MAX = 3

/**
 * key=json. By default a server reads its queues at most 20 times a second, which costs 50 ms for each hop of
 * an activity, and rounds timers up to a whole second, since clocks of hosts differ (measured: 5 ms took
 * 1004, now 18).
 */
const DYNAMIC_CONFIG = [
  'history.transferProcessorMaxPollRPS=1000',
  'history.timerProcessorMaxPollRPS=1000',
  'history.timerProcessorMaxTimeShift="10ms"',
  'system.enableActivityEagerExecution=true',
  // More than 100 signals during one workflow task fail that task, with its local activities half done.
  // Measured: 12,000 doorbells within a minute starved a being of all but 2 of its turns and filled a run
  // with 10,216 events; now no run holds more than 1,036, and the being answers throughout.
  'history.maximumBufferedEventsBatch=10000',
  // By default Temporal waits up to ten minutes before it retries a task that failed three times. A being
  // whose workers died a few times in a row would not answer for that long.
  'history.workflowTaskRetryMaxInterval="10s"',
]

/**
 * Starts the server and waits until it answers. Tries other ports when another process took ours meanwhile.
 */
export async function launchServer(how: Launch): Promise<TemporalServer> {
  const { dataDir, binary, logFile, onProgress } = how
  makePrivateFolder(dataDir)
  const guard = guardFor(how)
  for (let attempt = 1; ; attempt++) {
    const last = attempt === 1 ? readInstance(dataDir).ports : {}
    const grpc = await freePort('Temporal', { wanted: how.ports.grpc, preferred: last.temporal })
    const uiPort = await freePort('the Temporal UI', { wanted: how.ports.ui, preferred: last.temporalUi })
    const [address, ui] = [nearAddress(how.bind, grpc), `http://${LOOPBACK}:${uiPort}`]
    const from = logSize(logFile)
    onProgress(`starting Temporal (${binary.kind}) on port ${grpc}`)
    const args = argumentsFor(how, grpc, uiPort)
    writeConfig(dataDir, { address, namespace: how.namespace, guard })
    const env = serverEnvironment()
    const started = await spawnDetached({ command: binary.path, args, logFile, cwd: dataDir, env })
    const detail = { namespace: how.namespace, ui, kind: binary.kind, bind: how.bind }
    const ports = { temporal: grpc, temporalUi: uiPort }
    await recordService(dataDir, { name: NAME, process: started, address, detail }, ports)
    if (await serverAnswers(dataDir, started)) return { address, ui, process: started }
    const wasAlive = isRunning(started)
    await stopServer(dataDir, started)
    const log = tail(logFile, { from })
    const isTaken = /is not free|address already in use/i.test(log)
    const isExplicit = how.ports.grpc !== undefined && how.ports.ui !== undefined
    if (isTaken && isExplicit) throw new PortTakenError(grpc, `Temporal, or ${uiPort} for its UI,`)
    if (isTaken && attempt < ATTEMPTS_MAX) continue
    const what = wasAlive ? `does not answer within ${READY_MS / 1000} s` : 'ended while starting'
    throw new LocalError(`Temporal (${binary.path}) ${what}. The end of ${logFile}:\n${log}`)
  }
}

/** @returns false when the process ended, or did not answer in time */
export async function serverAnswers(dataDir: string, known: Process): Promise<boolean> {
  for (const until = Date.now() + READY_MS; isRunning(known) && Date.now() < until; await sleep(POLL_MS)) {
    try {
      const { options } = await readAccess(temporalEnvironment(dataDir, {}))
      await withConnection({ ...options, connectTimeout: 1_000 }, async (connection) => {
        await connection.workflowService.getSystemInfo({})
      })
      if (isRunning(known)) return true // otherwise another server answered
    } catch (error) {
      if (isRefusal(error)) return false
      if (!isNotYet(error)) throw error
    }
  }
  return false
}

export async function stopServer(dataDir: string, known: Process): Promise<void> {
  await terminate(known)
  await forgetService(dataDir, NAME, known)
}

function isRefusal(error: unknown): boolean {
  return /PERMISSION_DENIED|unauthorized/.test(messageOf(error))
}

/**
 * Whether nothing listens yet, the services are still starting, or the server has not made its certificates.
 */
function isNotYet(error: unknown): boolean {
  return /connect|UNAVAILABLE|DEADLINE|deadline|ENOENT/.test(messageOf(error))
}

/** @throws LocalError for a server that would be open beyond loopback */
function guardFor({ dataDir, binary, bind }: Launch): TemporalGuard {
  if (binary.kind === 'built') {
    makeKey(dataDir)
    return 'certificate'
  }
  if (!isBeyondLoopback(bind)) return null // Temporal's CLI has no way to ask for one
  throw new LocalError(
    `Temporal of this instance is ${binary.path}, which cannot ask its callers for a certificate, so it does not listen on ${bind}: ` +
      'start a new instance with TREEOS_OWN_TEMPORAL=1, or leave --bind out',
  )
}

function argumentsFor(
  { dataDir, binary, bind, namespace, searchAttributes }: Launch,
  port: number,
  uiPort: number,
) {
  // Below the folder that the server is started in: SQLite takes a path for a URI, in which `#`, `?` and `%` of the
  // folder's name mean something else.
  const database = databaseOf(binary.kind)
  const network = [
    '--ip',
    bind,
    '--port',
    String(port),
    '--ui-port',
    String(uiPort),
    '--namespace',
    namespace,
  ]
  if (binary.kind === 'built') {
    return [
      ...[...network, '--db', database, '--key-file', keyFileOf(dataDir), '--tls-dir', tlsFolderOf(dataDir)],
      ...searchAttributes.flatMap((name) => ['--search-attribute', name]),
      ...DYNAMIC_CONFIG.flatMap((pair) => ['--dynamic-config', pair]),
      ...['--memory-mib', String(memoryMib())],
    ]
  }
  return [
    ...[
      'server',
      'start-dev',
      ...network,
      '--headless=false',
      '--db-filename',
      database,
      '--log-level',
      'error',
    ],
    ...['--sqlite-pragma', 'journal_mode=wal', '--sqlite-pragma', 'synchronous=normal'],
    ...searchAttributes.flatMap((name) => ['--search-attribute', `${name}=Keyword`]),
    ...DYNAMIC_CONFIG.flatMap((pair) => ['--dynamic-config-value', pair]),
  ]
}

/** Near this bound the server collects garbage all the time. With 5,000 beings its process takes 1.3 GiB. */
function memoryMib(): number {
  const bound = process.constrainedMemory() || Number.POSITIVE_INFINITY
  return Math.max(1024, Math.floor(Math.min(bound, totalmem()) / 8 / 2 ** 20))
}
