import { loadClientConnectConfig } from '@temporalio/envconfig'
import { NativeConnection, Runtime, Worker } from '@temporalio/worker'
import { openDatabase, readReality } from '@treeos/chain'
import { historiesIn } from '@treeos/client'
import { createModel, type Observer, resolveMind, treeos } from '@treeos/plugin'
import { taskQueueOf } from '@treeos/workflows'
import type { Logger } from 'pino'
import { extensions } from './extensions.ts'
import { Metrics } from './metrics.ts'

/** A killed worker's beings go on elsewhere after at most this. */
const STICKY_TIMEOUT = '1s'
const MODEL_TIMEOUT_SECONDS = 120

export interface RunningWorker {
  readonly taskQueue: string
  /** without its key; null when LLM beings have no mind */
  readonly mind: { readonly model: string; readonly baseUrl: string } | null
  /** where Prometheus reads this worker */
  readonly metrics: string
  /** resolves when the worker has stopped */
  readonly done: Promise<void>
  stop(): void
}

/**
 * Starts a worker for the reality of a database. It takes its services from the environment: `DATABASE_URL`, `TEMPORAL_*`,
 * `OPENAI_*`, `TREEOS_MODEL`, and `TREEOS_DATA` for the folder that keeps histories. TREEOS_WORKFLOW_BUNDLE is a bundle of
 * our workflows made before: it saves each start a second or two.
 */
export async function startWorker(env: NodeJS.ProcessEnv, log: Logger): Promise<RunningWorker> {
  const databaseUrl = env.DATABASE_URL
  if (!databaseUrl) throw new Error('DATABASE_URL is not set: `treeos up` starts everything a worker needs')
  const db = openDatabase(databaseUrl, { poolMax: 1 }) // for its own questions; the beats have a pool of their own
  const reality = await readReality(db)
  if (reality === null) throw new Error('this database holds no reality yet: `treeos up` makes one')
  const mind = await resolveMind(env)
  const timeoutSeconds = Number(env.TREEOS_MODEL_TIMEOUT_SECONDS || MODEL_TIMEOUT_SECONDS)
  const metrics = new Metrics(db)
  const served = await metrics.serve(Number(env.TREEOS_METRICS_PORT || 0))
  Runtime.install({ shutdownSignals: [], logger: runtimeLogger(log) })
  const { connectionOptions, namespace } = loadClientConnectConfig()
  const connection = await NativeConnection.connect(connectionOptions)
  const taskQueue = taskQueueOf(reality.name)
  const worker = await Worker.create({
    connection,
    namespace: namespace ?? 'default',
    taskQueue,
    ...(env.TREEOS_WORKFLOW_BUNDLE ? { workflowBundle: { codePath: env.TREEOS_WORKFLOW_BUNDLE } } : {}),
    plugins: [
      treeos({
        extensions,
        databaseUrl,
        ...(env.TREEOS_DATA ? { histories: historiesIn(env.TREEOS_DATA) } : {}),
        model: mind === null ? null : createModel(mind, { timeoutSeconds }),
        observe: observer(metrics, log),
      }),
    ],
    maxConcurrentWorkflowTaskExecutions: 100,
    maxConcurrentWorkflowTaskPolls: 20,
    maxConcurrentActivityTaskPolls: 20,
    maxConcurrentLocalActivityExecutions: 100,
    stickyQueueScheduleToStartTimeout: STICKY_TIMEOUT,
    nonStickyToStickyPollRatio: 0.5,
    shutdownGraceTime: '5s',
    shutdownForceTime: '15s',
  })
  const done = worker.run().finally(async () => {
    await connection.close()
    await served.close()
    await db.destroy()
  })
  const told = mind === null ? null : { model: mind.model, baseUrl: mind.baseUrl }
  return { taskQueue, mind: told, metrics: served.url, done, stop: () => stop(worker) }
}

/** One that does not run yet has nothing to finish, and Temporal would refuse to shut it down. */
function stop(worker: Worker): void {
  if (worker.getState() === 'INITIALIZED') process.exit(0)
  else if (worker.getState() === 'RUNNING') worker.shutdown()
}

/** Counts everything, and logs what a person would want to see: failures and retries, by name and code. */
function observer(metrics: Metrics, log: Logger): Observer {
  const { beat, outcome, model, error } = metrics.observer
  return {
    beat,
    model,
    outcome(kind, reason) {
      outcome(kind, reason)
      if (kind === 'failure' || kind === 'skipped')
        log.info({ outcome: kind, reason }, 'a moment came to nothing')
    },
    error(where, fault) {
      error(where)
      log.warn({ where, ...nameAndCode(fault) }, 'will be tried again')
    },
  }
}

/** An error without its message: messages of Postgres and of providers quote what they were given. */
export function nameAndCode(error: unknown): { error: string; code?: string } {
  const name = error instanceof Error ? error.name : typeof error
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' || typeof code === 'number'
    ? { error: name, code: String(code) }
    : { error: name }
}

/** The SDK's own lines; of the errors they carry, name and code. */
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
