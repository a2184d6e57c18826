import { loadClientConnectConfig } from '@temporalio/envconfig'
import { NativeConnection, Runtime, Worker } from '@temporalio/worker'
import { openDatabase, readReality } from '@treeos/chain'
import { createModel, resolveMind, treeos } from '@treeos/plugin'
import { taskQueueOf } from '@treeos/workflows'
import type { Logger } from 'pino'
import { extensions } from './extensions.ts'

/** A killed worker's beings go on elsewhere after at most this. */
const STICKY_TIMEOUT = '1s'

export interface RunningWorker {
  readonly taskQueue: string
  readonly model: string | null
  /** resolves when the worker has stopped */
  readonly done: Promise<void>
  stop(): void
}

/**
 * Starts a worker for the reality of a database. It takes its services from the environment: `DATABASE_URL`, `TEMPORAL_*`,
 * `OPENAI_*`, `TREEOS_MODEL`.
 */
export async function startWorker(env: NodeJS.ProcessEnv, log: Logger): Promise<RunningWorker> {
  const databaseUrl = env.DATABASE_URL
  if (databaseUrl === undefined)
    throw new Error('DATABASE_URL is not set: `treeos up` starts everything a worker needs')
  const reality = await realityOf(databaseUrl)
  const mind = await resolveMind(env)
  const timeoutSeconds = Number(env.TREEOS_MODEL_TIMEOUT_SECONDS ?? 120)
  Runtime.install({ shutdownSignals: [], logger: runtimeLogger(log) })
  const { connectionOptions, namespace } = loadClientConnectConfig()
  const connection = await NativeConnection.connect(connectionOptions)
  const taskQueue = taskQueueOf(reality.name)
  const worker = await Worker.create({
    connection,
    namespace: namespace ?? 'default',
    taskQueue,
    plugins: [
      treeos({
        extensions,
        databaseUrl,
        model: mind === null ? null : createModel(mind, { timeoutSeconds }),
        onError: (where, error) => log.warn({ where, ...nameAndCode(error) }, 'retried'),
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
  const done = worker.run().finally(() => connection.close())
  return { taskQueue, model: mind?.model ?? null, done, stop: () => worker.shutdown() }
}

async function realityOf(databaseUrl: string) {
  const db = openDatabase(databaseUrl, { poolMax: 1 })
  try {
    const reality = await readReality(db)
    if (reality === null) throw new Error('this database holds no reality yet: `treeos up` makes one')
    return reality
  } finally {
    await db.destroy()
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

/** The SDK's own lines, without the errors they carry. */
function runtimeLogger(log: Logger) {
  const level = (name: 'info' | 'warn' | 'error' | 'debug' | 'trace') => (message: string) =>
    log[name](message)
  return {
    log: (_level: string, message: string) => log.debug(message),
    trace: level('trace'),
    debug: level('debug'),
    info: level('debug'),
    warn: level('warn'),
    error: level('error'),
  }
}
