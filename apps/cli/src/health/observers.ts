import { bad, type DoctorCheck, good, RECHECK, unseen } from '@treeos/local'
import { listObservers, openDatabase, type SchemaObserver } from '@treeos/store'
import { postgresUrlOf } from './life-signs.ts'

const name = 'observers'

/** @returns no check where no database is known */
export async function examineObservers(dataDir: string, env: NodeJS.ProcessEnv): Promise<DoctorCheck[]> {
  const url = postgresUrlOf(dataDir, env)
  if (url === null) return []
  const db = openDatabase(url, { poolMax: 1 })
  try {
    return judgeObservers(await listObservers(db))
  } catch (error) {
    return [unseen(name, error, RECHECK)]
  } finally {
    await db.destroy()
  }
}

/** They change no row, so they are no fault of the record. Who made them, and whether for a purpose, only the operator knows. */
export const judgeObservers = (observers: readonly SchemaObserver[]): DoctorCheck[] =>
  observers.length === 0
    ? [{ name, ...good('nothing else follows what is written to Postgres') }]
    : observers.map(({ kind, name: whose, does }) => ({
        name,
        ...bad(
          `the ${kind} ${whose} of Postgres ${does}, and TreeOS did not make it`,
          `if it is yours: comment on ${kind} ${quoted(whose)} is 'accepted: why'; else: drop ${kind} ${quoted(whose)}`,
        ),
        optional: true,
      }))

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`
