import { NativeConnection } from '@temporalio/worker'
import { treeos } from '@treeos/host'
import { loadExtensions } from './extensions.ts'
import { readSettings } from './settings.ts'
import { locateTemporal } from './start.ts'

/** What was prepared: the reality of the database, and the task queue of its workers. */
export interface PreparedServices {
  readonly reality: string
  readonly taskQueue: string
}

/**
 * Brings the database and Temporal's namespace of a worker up to date. Safe to repeat.
 * @param env that of a worker, and TREEOS_OWNER_DATABASE_URL, the login that owns the tables
 */
export async function prepareServices(env: NodeJS.ProcessEnv): Promise<PreparedServices> {
  const { DATABASE_URL: databaseUrl } = readSettings(env)
  const {
    TREEOS_OWNER_DATABASE_URL: ownerUrl,
    TREEOS_REALITY: reality,
    TREEOS_TIME_ZONE: timeZone,
    TREEOS_TASK_QUEUE: taskQueue,
  } = env
  const { options, namespace } = locateTemporal(env)
  const connection = await NativeConnection.connect(options)
  try {
    const prepared = await treeos({ extensions: await loadExtensions(env), databaseUrl }).prepare({
      connection,
      namespace,
      ...(ownerUrl ? { ownerUrl } : {}),
      ...(reality ? { reality } : {}),
      ...(timeZone ? { timeZone } : {}),
      ...(taskQueue ? { taskQueue } : {}),
    })
    return { reality: prepared.reality.name, taskQueue: prepared.taskQueue }
  } finally {
    await connection.close()
  }
}
