import {
  bad,
  type CheckResult,
  type DoctorCheck,
  dataFlag,
  good,
  RECHECK,
  replayHours,
  unseen,
} from '@treeos/local'
import { findLastReplay, openDatabase, readRealityAge, type StoredReplayRun } from '@treeos/store'
import { duration } from '../text/output.ts'
import { postgresUrlOf } from './life-signs.ts'

const name = 'replay'
const HOUR_SECONDS = 3600

/** What is known of the replays of all moments. */
export interface KnownReplays {
  readonly last: StoredReplayRun | null
  /** how long there has been something to replay */
  readonly realitySeconds: number
  /** how often a replay is due; 0: never */
  readonly hours: number
}

/** @returns no check where no database is known, or it has no reality */
export async function examineReplays(dataDir: string, env: NodeJS.ProcessEnv): Promise<DoctorCheck[]> {
  const url = postgresUrlOf(dataDir, env)
  if (url === null) return []
  const db = openDatabase(url, { poolMax: 1 })
  try {
    const realitySeconds = await readRealityAge(db)
    if (realitySeconds === null) return []
    const known = { last: await findLastReplay(db), realitySeconds, hours: replayHours(env) }
    return [{ name, ...judgeReplays(known, dataFlag(dataDir)) }]
  } catch (error) {
    return [unseen(name, error, RECHECK)]
  } finally {
    await db.destroy()
  }
}

/**
 * A difference is an error. That nobody has looked for long is a warning.
 * @param flag the option by which commands reach this instance
 */
export function judgeReplays(
  { last, realitySeconds, hours }: KnownReplays,
  flag: string,
): CheckResult & Pick<DoctorCheck, 'optional'> {
  const mend = `treeos replay --all${flag}`
  if (last !== null && last.differences > 0) return bad(describeReplay(last), `${mend} names each`)
  const isLate = hours > 0 && (last?.ageSeconds ?? realitySeconds) > 2 * hours * HOUR_SECONDS
  const due =
    hours > 0 ? `due every ${duration(hours * HOUR_SECONDS)}` : 'none is due: TREEOS_REPLAY_HOURS is 0'
  const found = `${last === null ? 'never yet' : describeReplay(last)}; ${due}`
  return isLate ? { ...bad(found, mend), optional: true } : good(found)
}

/** What the last replay of all moments found, and by which login. */
export function describeReplay({
  login,
  record,
  ageSeconds,
  moments,
  newest,
  differences,
  accepted,
  elsewhere,
  differing,
}: StoredReplayRun): string {
  const what =
    record === 'both' ? 'the chain and Temporal' : record === 'chain' ? 'the chain alone' : 'Temporal alone'
  const upTo = newest === null ? '' : ` up to ${newest}`
  const found =
    differences === 0
      ? 'no difference'
      : `${differences} ${differences === 1 ? 'difference' : 'differences'}, in ${differing.join(', ')}`
  const agreed = accepted === 0 ? '' : `, and ${accepted} that a person accepted`
  const otherwise =
    elsewhere === 0
      ? ''
      : `, and ${elsewhere} that may come from other extensions (treeos replay --all lists them)`
  return `${moments} moments${upTo} against ${what}, ${duration(ageSeconds)} ago by the login ${login}: ${found}${agreed}${otherwise}`
}
