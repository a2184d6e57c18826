import { bad, type DoctorCheck, good, RECHECK, unseen } from '@treeos/local'
import { type ExtensionVersionsView, listExtensionVersions } from '@treeos/reality'
import { findReality, listWorkers, openDatabase } from '@treeos/store'
import { describeAway, isAway } from './away-extensions.ts'
import { postgresUrlOf } from './life-signs.ts'

const name = 'extensions'

/** @returns no check where no database is known, or no worker lives: another check says that */
export async function examineVersions(dataDir: string, env: NodeJS.ProcessEnv): Promise<DoctorCheck[]> {
  const url = postgresUrlOf(dataDir, env)
  if (url === null) return []
  const db = openDatabase(url, { poolMax: 1 })
  try {
    const reality = await findReality(db)
    if (reality === null || (await listWorkers(db)).length === 0) return []
    return judgeVersions(await listExtensionVersions({ db, reality }))
  } catch (error) {
    return [unseen(name, error, RECHECK)]
  } finally {
    await db.destroy()
  }
}

/** Moments of an extension wait while no living worker has its current version. */
export function judgeVersions(extensions: readonly ExtensionVersionsView[]): DoctorCheck[] {
  const away = extensions.filter(isAway)
  if (away.length === 0)
    return [{ name, ...good('the current version of each has a worker that has loaded it') }]
  return away.map((one) => ({ name, ...bad(describeAway(one), mendOf(one)) }))
}

function mendOf({ extension, versions }: ExtensionVersionsView): string {
  const there = versions.findLast(({ workers }) => workers > 0)
  const start = 'start a worker that loads it'
  return there === undefined
    ? `${start}, or treeos extension end ${extension}`
    : `${start}, or treeos extension use ${extension} ${there.version}`
}
