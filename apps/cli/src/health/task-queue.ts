import type { Client } from '@temporalio/client'
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
      return [...(await checkPollers(at)), ...(await checkStrays({ ...at, isAlone }, configFile))]
    })
  } catch (error) {
    return [unseen(name, error, RECHECK)]
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
