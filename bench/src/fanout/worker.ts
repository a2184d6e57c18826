/** A worker process of the fan-out. It is killed halfway, so it is a process of its own. */
import { skipWorkflowStackTraces, treeos } from '@treeos/host'
import { runWorker } from '../moment/worker.ts'

/** What the parent hands it, as JSON. */
export interface Setup {
  readonly databaseUrl: string
  readonly temporalAddress: string
  readonly taskQueue: string
}

process.env.TZ = 'UTC'
const { databaseUrl, temporalAddress, taskQueue } = JSON.parse(process.argv[2] ?? '') as Setup
skipWorkflowStackTraces()
const observe = { error: (where: string, error: unknown) => console.error(where, error) }
await runWorker(temporalAddress, { taskQueue, plugins: [treeos({ databaseUrl, observe })] })
process.on('disconnect', () => process.exit())
process.send?.('ready')
