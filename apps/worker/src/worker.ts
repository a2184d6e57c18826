import { NativeConnection, Runtime, Worker, type WorkerOptions, type WorkerPlugin } from '@temporalio/worker'
import { parseMomentId, quote } from '@treeos/core'
import {
  historiesFolder,
  isOpenTemporal,
  joinObservers,
  type Observer,
  readConnections,
  resolveDefaultModel,
  type TreeosPlugin,
  treeos,
  tunerOf,
  workflowBundle,
} from '@treeos/host'
import { Metrics } from '@treeos/host/metrics'
import type { Extension } from '@treeos/sdk'
import { openDatabase } from '@treeos/store'
import { ToolServers } from '@treeos/tools/servers'
import type { Logger } from 'pino'
import { loadExtensions, secretsOf, toolServers } from './extensions.ts'
import { type Mind, Minds } from './minds.ts'
import { framesOf, nameAndCode } from './safe-error-text.ts'
import { readSettings, type Settings } from './settings.ts'
import { dataConverterOf, locateTemporal, Start, type TemporalPlace } from './start.ts'
import { StartError } from './start-error.ts'

/**
 * What the native part of the SDK logs. It would warn of each workflow task of more than 5 s. A being whose model
 * takes a second often has one, since several of its moments share a task.
 */
const NATIVE_LOG =
  'error,temporalio_client=warn,temporalio_common=warn,temporalio_sdk_core=warn,' +
  'temporalio_sdk_core::worker::workflow::managed_run=error'

/** The beings of a killed worker go on in another one after at most this long. */
const STICKY_TIMEOUT = '1s'

export interface RunningWorker {
  readonly taskQueue: string
  /** without its key; null when no model is configured */
  readonly mind: Mind | null
  /** models by the names that beings have in `llm.connection`, without their keys */
  readonly connections: Readonly<Record<string, Mind>>
  /** Temporal answers callers without a credential; null when that could not be found out */
  readonly temporalOpen: boolean | null
  /** persons may act by a Temporal signal */
  readonly actSignal: boolean
  /** where Prometheus reads this worker */
  readonly metrics: string
  /** resolves when the worker has stopped */
  readonly done: Promise<void>
  stop(): void
}

/**
 * Starts a worker for the reality of a database. It takes its services from the environment: `DATABASE_URL`,
 * `TEMPORAL_*`, `OPENAI_*`, `TREEOS_MODEL`, `TREEOS_MODELS`, `TREEOS_EXTENSIONS`, and `TREEOS_DATA` for the
 * folder for histories. TREEOS_WORKFLOW_BUNDLE is a bundle of our workflows made before; otherwise it is made
 * once and kept in the cache. With `TEMPORAL_WORKER_BUILD_ID` the worker has a version. A service that is
 * away is waited for.
 * @returns once it takes work
 * @throws {StartError} when the environment or a service says that this cannot work
 * @throws {ServiceAwayError} when a service stays away
 */
export async function startWorker(env: NodeJS.ProcessEnv, log: Logger): Promise<RunningWorker> {
  const settings = readSettings(env)
  const tools = new ToolServers(toolServers(env))
  const extensions = await loadExtensions(env, tools.call)
  const minds = new Minds(await resolveDefaultModel(env), readConnections(env))
  const temporal = locateTemporal(env)
  const dataConverter = await dataConverterOf(env, temporal)
  // for its own questions; the beats have a pool of their own
  const db = openDatabase(settings.DATABASE_URL, { poolMax: 1 })
  const metrics = new Metrics(db)
  const running = new WorkStart()
  const port = settings.TREEOS_METRICS_PORT
  const served = await metrics
    .serve({
      port,
      bind: settings.TREEOS_METRICS_BIND,
      isReady: () => running.isTakingWork,
      minds: () => minds.check(),
      tools: () => tools.states(),
    })
    .catch((error: NodeJS.ErrnoException) => {
      throw portError(port, error)
    })
  const start = new Start(log, settings.TREEOS_START_SECONDS)
  const reality = await start.findReality(db, settings.DATABASE_URL)
  Runtime.install({
    shutdownSignals: [],
    logger: runtimeLogger(log),
    telemetryOptions: { logging: { filter: NATIVE_LOG } },
  })
  const connection = await start.askTemporal(temporal, () => NativeConnection.connect(temporal.options))
  const temporalOpen = await isOpen(temporal, log)
  const takesActs = settings.TREEOS_ACT_SIGNAL ?? temporalOpen === false
  const signalsUrl = (takesActs ? settings.TREEOS_SIGNALS_DATABASE_URL : null) ?? null
  const { taskQueue } = reality
  const beings = pluginOf(settings, {
    ...{ extensions, minds, signalsUrl },
    secret: secretsOf(env),
    observe: joinObservers(metrics.observer, logObserver(log)),
  })
  const options = await workerOptions(settings, { taskQueue, dataConverter, log })
  const worker = await start.askTemporal(temporal, () =>
    Worker.create({ ...options, connection, namespace: temporal.namespace, plugins: [beings, running] }),
  )
  const done = worker.run().finally(async () => {
    await tools.close()
    await connection.close()
    await served.close()
    await db.destroy()
  })
  await Promise.race([running.begun, done])
  return {
    taskQueue,
    ...minds.shown(),
    temporalOpen,
    actSignal: signalsUrl !== null,
    metrics: served.url,
    done,
    stop: () => stop(worker),
  }
}

interface ForBeings {
  readonly extensions: readonly Extension[]
  readonly minds: Minds
  readonly signalsUrl: string | null
  readonly secret: (name: string) => string | null
  readonly observe: Observer
}

function pluginOf(
  settings: Settings,
  { extensions, minds, signalsUrl, secret, observe }: ForBeings,
): TreeosPlugin {
  const models = minds.models({
    timeoutSeconds: settings.TREEOS_MODEL_TIMEOUT_SECONDS,
    patienceSeconds: settings.TREEOS_MODEL_PATIENCE_SECONDS,
    prices: settings.prices,
    answerTokensMax: settings.TREEOS_ANSWER_TOKENS,
  })
  return treeos({
    extensions,
    databaseUrl: settings.DATABASE_URL,
    histories:
      settings.TREEOS_HISTORIES ?? (settings.TREEOS_DATA && historiesFolder(settings.TREEOS_DATA, {})),
    keepRunsSeconds: settings.TREEOS_KEEP_RUNS_SECONDS,
    poolMax: settings.TREEOS_POOL_MAX,
    shortMindMs: settings.TREEOS_SHORT_MIND_MS,
    ...models,
    signalsUrl,
    privateHosts: settings.TREEOS_FETCH_PRIVATE,
    embedder: settings.embedder,
    sandbox: settings.TREEOS_SANDBOX,
    fileBounds: settings.fileBounds,
    secret,
    vault: settings.vault,
    overlayMode: settings.overlayMode,
    observe,
  })
}

interface ForWorker extends Pick<WorkerOptions, 'taskQueue'> {
  readonly dataConverter: WorkerOptions['dataConverter']
  readonly log: Logger
}

/**
 * A task waits for the model of its being for up to 4 s, which costs next to nothing. What costs processors, the
 * moments of a worker do in turns.
 */
const TASKS_MAX = 1000

async function workerOptions(settings: Settings, { taskQueue, dataConverter, log }: ForWorker) {
  const { TREEOS_WORKFLOW_BUNDLE: codePath, TREEOS_CACHED_BEINGS: maxCachedWorkflows } = settings
  const onProblem = (message: string) => log.warn(message)
  return {
    taskQueue,
    workflowBundle: codePath === null ? await workflowBundle({ onProblem, dataConverter }) : { codePath },
    ...(dataConverter === undefined ? {} : { dataConverter }),
    ...(maxCachedWorkflows === undefined ? {} : { maxCachedWorkflows }),
    ...versionOf(settings.deployment, taskQueue),
    tuner: tunerOf(TASKS_MAX),
    maxConcurrentWorkflowTaskPolls: 20,
    maxConcurrentActivityTaskPolls: 20,
    stickyQueueScheduleToStartTimeout: STICKY_TIMEOUT,
    nonStickyToStickyPollRatio: 0.5,
    shutdownGraceTime: '5s',
    shutdownForceTime: '15s',
  } satisfies WorkerOptions
}

/**
 * With a version, a being's run stays with workers of the version that began it, and its next run begins with
 * the current one.
 */
function versionOf(
  deployment: Settings['deployment'],
  taskQueue: string,
): Pick<WorkerOptions, 'workerDeploymentOptions'> {
  if (deployment === null) return {}
  const { buildId, name } = deployment
  return {
    workerDeploymentOptions: {
      version: { deploymentName: name ?? taskQueue, buildId },
      useWorkerVersioning: true,
      defaultVersioningBehavior: 'PINNED',
    },
  }
}

async function isOpen({ address, namespace, options }: TemporalPlace, log: Logger): Promise<boolean | null> {
  try {
    const open = await isOpenTemporal(options, namespace)
    if (open)
      log.warn(`Temporal at ${address} answers without a credential: who reaches it can do everything`)
    return open
  } catch (error) {
    log.warn(nameAndCode(error), `whether Temporal at ${address} is open could not be found out`)
    return null
  }
}

/** The innermost plugin of a worker, called last: resolves `begun` when the worker starts to take work. */
class WorkStart implements WorkerPlugin {
  readonly name = 'treeos-running'
  readonly begun: Promise<void>
  isTakingWork = false
  #begin: () => void = () => undefined

  constructor() {
    this.begun = new Promise((resolve) => {
      this.#begin = resolve
    })
  }

  runWorker(worker: Worker, next: (worker: Worker) => Promise<void>): Promise<void> {
    const done = next(worker)
    this.isTakingWork = true
    this.#begin()
    return done.finally(() => {
      this.isTakingWork = false
    })
  }
}

/** Two workers on one machine cannot share a port. */
function portError(port: number, { code, message }: NodeJS.ErrnoException): StartError {
  return new StartError(
    `TREEOS_METRICS_PORT ${port} cannot be bound (${code ?? message}): leave it unset for a free port, or give each worker its own`,
  )
}

/** Temporal throws when a worker that has ended, or is about to, is shut down. */
function stop(worker: Worker): void {
  if (worker.getState() === 'RUNNING') worker.shutdown()
}

/** Logs failures and retries by name and code, and errors of models, scripts and extensions in full. */
function logObserver(log: Logger): Partial<Observer> {
  return {
    outcome(kind, reason, moment, thread) {
      if (reason === null) return
      const isNothing = kind === 'failure' || kind === 'skipped'
      log.info(
        { being: parseMomentId(moment).being, moment, thread, outcome: kind, reason },
        isNothing ? 'a moment failed or was skipped' : 'a moment reached a limit',
      )
    },
    leftOut(what, fault) {
      log.warn({ leftOut: quote(what), ...nameAndCode(fault) }, 'a moment goes on without it')
    },
    fault(moment, { part, attempt, message, stack }, thread) {
      const level = part === 'model' ? 'warn' : 'error'
      log[level](
        {
          moment,
          ...(thread === undefined ? {} : { thread }),
          part,
          attempt,
          why: message,
          ...(stack === null ? {} : { stack }),
        },
        'an attempt failed',
      )
    },
    error(where, fault) {
      log.warn({ where, ...nameAndCode(fault), at: framesOf(fault)[0] }, 'will be tried again')
    },
  }
}

/** Logs the SDK's own lines; of errors in them only name and code. */
function runtimeLogger(log: Logger) {
  type Meta = Record<string | symbol, unknown> | undefined
  const line = (level: 'trace' | 'debug' | 'warn' | 'error') => (message: string, meta?: Meta) => {
    const { error, activityType, workflowId } = meta ?? {}
    log[level]({ ...(error === undefined ? {} : nameAndCode(error)), activityType, workflowId }, message)
  }
  return {
    log: (_level: string, message: string, meta?: Meta) => line('debug')(message, meta),
    trace: line('trace'),
    debug: line('debug'),
    info: line('debug'),
    warn: line('warn'),
    error: line('error'),
  }
}
