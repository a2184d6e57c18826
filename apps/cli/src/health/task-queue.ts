import { taskQueueOf } from '@treeos/protocol'
import { withServices } from '../instance/connection.ts'
import { missingWorker } from '../instance/task-queue.ts'
import { bad, type Check, good } from './check.ts'

/** @returns no check where Temporal or Postgres does not answer: other checks say so */
export async function examineTaskQueue(dataDir: string): Promise<Check[]> {
  try {
    return await withServices({ data: dataDir }, async ({ temporal, reality }) => {
      const missing = await missingWorker(temporal, reality)
      const found = `a worker polls ${taskQueueOf(reality.name)}`
      const mend = `treeos worker, or create your own worker with taskQueue: '${taskQueueOf(reality.name)}'`
      return [{ name: 'task queue', ...(missing === null ? good(found) : bad(missing, mend)) }]
    })
  } catch {
    return []
  }
}
