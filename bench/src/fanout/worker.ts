/** A worker in a process of its own, for benchmarks that kill it. */
import { createModel, modelEndpoint, skipWorkflowStackTraces, treeos } from '@treeos/host'
import { diary } from '../moment/diary.ts'
import { runWorker } from '../moment/worker.ts'

/** Settings from the parent, as JSON. */
export interface Setup {
  readonly databaseUrl: string
  /**
   * environment variables with the address of Temporal and the path of its configuration file; they hold no
   * key
   */
  readonly temporal: Record<string, string>
  readonly taskQueue: string
  /** base URL of the model stub; left out when no being has a model */
  readonly modelUrl?: string
}

process.env.TZ = 'UTC'
const { databaseUrl, temporal, taskQueue, modelUrl } = JSON.parse(process.argv[2] ?? '') as Setup
skipWorkflowStackTraces()
const observe = { error: (where: string, error: unknown) => console.error(where, error) }
const asked =
  modelUrl === undefined
    ? {}
    : {
        extensions: [diary],
        model: createModel(modelEndpoint({ model: 'stub', baseUrl: modelUrl, apiKey: null }), {
          timeoutSeconds: 30,
        }),
      }
await runWorker(temporal, { taskQueue, plugins: [treeos({ databaseUrl, observe, ...asked })] })
process.on('disconnect', () => process.exit())
process.send?.('ready')
