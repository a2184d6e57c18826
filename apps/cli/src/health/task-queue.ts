import type { Client } from '@temporalio/client'
import { quote } from '@treeos/core'
import { type FailingRun, listFailingRuns } from '@treeos/host'
import { bad, type DoctorCheck, good, hasTemporal, locateTemporal, RECHECK, unseen } from '@treeos/local'
import type { Reality } from '@treeos/store'
import { openServices } from '../instance/connection.ts'
import { missingWorker } from '../instance/task-queue.ts'
import { checkStrays } from './strays.ts'

const name = 'task queue'

/** @returns no check where no Temporal was started or named */
export async function examineTaskQueue(dataDir: string, env: NodeJS.ProcessEnv): Promise<DoctorCheck[]> {
  if (!hasTemporal(dataDir, env)) return []
  try {
    return await openServices({ data: dataDir }, async (at) => {
      const place = locateTemporal(dataDir, env)
      const isAlone = place.kind !== 'environment'
      const configFile = isAlone ? (place.env.TEMPORAL_CONFIG_FILE ?? null) : null
      return [
        ...(await checkPollers(at)),
        ...(await checkTasks(at)),
        ...(await checkStrays({ ...at, isAlone }, configFile)),
      ]
    })
  } catch (error) {
    return [unseen(name, error, RECHECK)]
  }
}

const NAMED_MAX = 3

/** @returns no check where the server does not tell */
async function checkTasks({ temporal, reality }: { readonly temporal: Client; readonly reality: Reality }) {
  const failing = await listFailingRuns(temporal, reality.name)
  return failing === null ? [] : [judgeTasks(failing)]
}

export function judgeTasks(failing: readonly FailingRun[]): DoctorCheck {
  if (failing.length === 0) return { name: 'workflow tasks', ...good('no run fails its tasks') }
  const named = failing
    .slice(0, NAMED_MAX)
    .map(({ workflowId, causes }) => `${quote(workflowId)} (${causes.join(', ') || 'no cause told'})`)
  const more = failing.length > named.length ? ` and ${failing.length - named.length} more` : ''
  return {
    name: 'workflow tasks',
    ...bad(
      `workers fail the tasks of ${named.join(', ')}${more}, again and again: these beings do not live on`,
      'read the log of the workers, or the last failed task in the Temporal UI; start workers whose bundle has the workflows of TreeOS and the code with which these runs began',
    ),
  }
}

export async function checkPollers({
  temporal,
  reality,
}: {
  readonly temporal: Client
  readonly reality: Reality
}): Promise<DoctorCheck[]> {
  const missing = await missingWorker(temporal, reality)
  const found = `a worker polls ${reality.taskQueue}`
  const mend = `treeos worker, or create your own worker with taskQueue: '${reality.taskQueue}'`
  return [{ name, ...(missing === null ? good(found) : bad(missing, mend)) }]
}
