import { DefaultLogger, NativeConnection, Runtime, Worker, type WorkerOptions } from '@temporalio/worker'
import { readAccess } from '@treeos/local'

/** Options of our worker app. The bare workflows use them too. */
const TUNED = {
  maxConcurrentWorkflowTaskPolls: 20,
  maxConcurrentActivityTaskPolls: 20,
  stickyQueueScheduleToStartTimeout: '1s',
  nonStickyToStickyPollRatio: 0.5,
} as const satisfies Partial<WorkerOptions>
/** As many as our worker app has; the bare workflows need no bound by what processors can do. */
export const TASKS_MAX = 1000
const SLOTS = {
  maxConcurrentWorkflowTaskExecutions: TASKS_MAX,
  maxConcurrentLocalActivityExecutions: TASKS_MAX,
} as const satisfies Partial<WorkerOptions>

export async function runWorker(
  env: Record<string, string>,
  options: Omit<WorkerOptions, 'connection'>,
): Promise<{ stop(): Promise<void> }> {
  Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [] })
  const connection = await NativeConnection.connect((await readAccess(env)).options)
  const worker = await Worker.create({
    ...TUNED,
    ...(options.tuner === undefined ? SLOTS : {}),
    ...options,
    connection,
  })
  const done = worker.run()
  done.catch((error) => {
    console.error(error)
    process.exit(1)
  })
  return {
    async stop() {
      worker.shutdown()
      await done
      await connection.close()
    },
  }
}
