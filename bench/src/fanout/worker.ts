/** A worker of the fan-out benchmark, in a process of its own because the benchmark kills it. */
import { enterWorkflowsQuickly, skipWorkflowStackTraces, treeos } from '@treeos/host'
import { runWorker } from '../moment/worker.ts'

/** Settings from the parent, as JSON. */
export interface Setup {
  readonly databaseUrl: string
  /** environment variables with the address of Temporal and the path of its configuration file; they hold no key */
  readonly temporal: Record<string, string>
  readonly taskQueue: string
}

process.env.TZ = 'UTC'
const { databaseUrl, temporal, taskQueue } = JSON.parse(process.argv[2] ?? '') as Setup
skipWorkflowStackTraces()
if (process.env.TREEOS_QUICK_ENTRY !== '0') enterWorkflowsQuickly()
const observe = { error: (where: string, error: unknown) => console.error(where, error) }
await runWorker(temporal, { taskQueue, plugins: [treeos({ databaseUrl, observe })] })
process.on('disconnect', () => process.exit())
process.send?.('ready')
