import { bad, type DoctorCheck, dataFlag, good, locatePostgres } from '@treeos/local'
import { openDatabase, waitingMigrations } from '@treeos/store'

const name = 'database'

/**
 * Only the owner of the tables may read which migrations a database had.
 * @returns null where nothing tells
 */
export async function readWaiting(dataDir: string, env: NodeJS.ProcessEnv): Promise<string[] | null> {
  try {
    const owner = openDatabase(locatePostgres(dataDir, env).ownerUrl, { asOwner: true, poolMax: 1 })
    try {
      return await waitingMigrations(owner)
    } finally {
      await owner.destroy()
    }
  } catch {
    return null // it does not run, or this login may not: other checks say so
  }
}

/** @returns no check where nothing tells */
export async function examineMigrations(dataDir: string, env: NodeJS.ProcessEnv): Promise<DoctorCheck[]> {
  const waiting = await readWaiting(dataDir, env)
  return waiting === null ? [] : [{ name, ...judgeWaiting(waiting, dataFlag(dataDir)) }]
}

export const judgeWaiting = (waiting: readonly string[], flag: string) =>
  waiting.length === 0
    ? good('is of this version')
    : bad(
        `${describeWaiting(waiting)}: workers of this version take no work`,
        `treeos down${flag}, then treeos up${flag}`,
      )

export const describeWaiting = (waiting: readonly string[]): string =>
  `the ${waiting.length === 1 ? 'migration' : 'migrations'} ${waiting.join(', ')} ${waiting.length === 1 ? 'waits' : 'wait'}`
