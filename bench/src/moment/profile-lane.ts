import { setTimeout as sleep } from 'node:timers/promises'
import type { StatementCount } from '../statements.ts'
import { round } from '../statistics.ts'
import type { Lane } from './lanes.ts'
import { SETTLE_MS } from './measure.ts'
import type { Race } from './race.ts'

/** The CPU time of a worker per turn, by function. */
export interface Profile {
  readonly turns: number
  readonly statements: readonly (StatementCount & { perTurn: number })[]
  readonly packages: readonly { where: string; package: string; msPerTurn: number }[]
  readonly functions: readonly { where: string; package: string; function: string; msPerTurn: number }[]
}

const FUNCTIONS_MAX = 25

/** Runs a lane once more with a profiler. Use its times as shares, not as rates. */
export async function profile(lane: Lane, race: Race, seconds: number): Promise<Profile> {
  await lane.process.hear('counted', { type: 'count' })
  await lane.process.hear('profiling', { type: 'profile' })
  const { turns } = await race.run(lane.crowd, { ms: seconds * 1000 })
  await sleep(SETTLE_MS)
  const { functions } = await lane.process.hear('profiled', { type: 'profiled' })
  const { statements } = await lane.process.hear('counted', { type: 'count' })
  const byPackage = new Map<string, { where: string; package: string; ms: number }>()
  for (const { where, package: name, ms } of functions) {
    const entry = byPackage.get(`${where} ${name}`) ?? { where, package: name, ms: 0 }
    entry.ms += ms
    byPackage.set(`${where} ${name}`, entry)
  }
  const perTurn = <T extends { ms: number }>({ ms, ...rest }: T) => ({
    ...rest,
    msPerTurn: round(ms / turns),
  })
  return {
    turns,
    statements: statements
      .toSorted((a, b) => b.count - a.count)
      .map((statement) => ({
        ...statement,
        ms: round(statement.ms),
        perTurn: round(statement.count / turns),
      })),
    packages: [...byPackage.values()].sort((a, b) => b.ms - a.ms).map(perTurn),
    functions: functions
      .filter((one) => one.where !== 'thread')
      .slice(0, FUNCTIONS_MAX)
      .map(perTurn),
  }
}
