import { taskQueueOf } from '@treeos/protocol'
import { withServices } from '../instance/connection.ts'
import { hasTemporal } from '../instance/instance.ts'
import { missingWorker } from '../instance/task-queue.ts'
import { bad, type Check, good, RECHECK, unseen } from './check.ts'

/** @returns no check where no Temporal was started or named */
export async function examineTaskQueue(dataDir: string, env: NodeJS.ProcessEnv): Promise<Check[]> {
  const name = 'task queue'
  if (!hasTemporal(dataDir, env)) return []
  try {
    return await withServices({ data: dataDir }, async ({ temporal, reality }) => {
      const missing = await missingWorker(temporal, reality)
      const found = `a worker polls ${taskQueueOf(reality.name)}`
      const mend = `treeos worker, or create your own worker with taskQueue: '${taskQueueOf(reality.name)}'`
      return [{ name, ...(missing === null ? good(found) : bad(missing, mend)) }]
    })
  } catch (error) {
    return [unseen(name, error, RECHECK)]
  }
}
