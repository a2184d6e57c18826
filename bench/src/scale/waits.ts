import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { cpuOf } from '../processes.ts'
import { round } from '../statistics.ts'

const EACH_MS = 50

/** A database of one side, as the waits name it. */
export type SideOf = (database: string | null) => string

export interface Waits {
  /**
   * average number of statements under way, by side and by what they wait for; `CPU` waits for nothing that
   * Postgres knows of
   */
  readonly active: Readonly<Record<string, number>>
  /**
   * average number of statements that wait for a lock of a row or table, by side and by the beginning of the
   * statement
   */
  readonly blocked: Readonly<Record<string, number>>
  readonly samples: number
}

/** Samples what the statements of a server wait for, until it is stopped. */
export function watchWaits(url: string, sideOf: SideOf): { stop(): Promise<Waits> } {
  const active = new Map<string, number>()
  const blocked = new Map<string, number>()
  let samples = 0
  const over = new AbortController()
  const run = async () => {
    const client = new pg.Client(url)
    await client.connect()
    try {
      while (!over.signal.aborted) {
        const { rows } = await client.query(ACTIVE)
        samples += 1
        for (const { database, type, event, statement } of rows as Sample[]) {
          const side = sideOf(database)
          add(active, `${side}: ${type === null ? 'CPU' : `${type}/${event}`}`)
          if (type === 'Lock') add(blocked, `${side}: ${shorten(statement)}`)
        }
        await sleep(EACH_MS, undefined, { signal: over.signal }).catch(() => undefined)
      }
    } finally {
      await client.end()
    }
  }
  const done = run()
  done.catch(() => undefined) // reported by stop
  return {
    async stop() {
      over.abort()
      await done
      return { active: averages(active, samples), blocked: averages(blocked, samples), samples }
    },
  }
}

interface Sample {
  readonly database: string | null
  readonly type: string | null
  readonly event: string | null
  readonly statement: string
}
const ACTIVE = `
  select datname as database, wait_event_type as type, wait_event as event, left(query, 200) as statement
  from pg_stat_activity where state = 'active' and pid <> pg_backend_pid() and backend_type = 'client backend'`

const add = (counts: Map<string, number>, name: string) => void counts.set(name, (counts.get(name) ?? 0) + 1)
const shorten = (statement: string) => statement.replaceAll(/\s+/g, ' ').trim().slice(0, 80)
const averages = (counts: ReadonlyMap<string, number>, samples: number) =>
  Object.fromEntries(
    [...counts].sort(([, a], [, b]) => b - a).map(([name, count]) => [name, round(count / samples, 2)]),
  )

/**
 * CPU time of the server by side: of its connections by their database, and `server` for the processes
 * without one, such as the writer of the log. A connection that ends meanwhile is counted as `server`.
 * @param whole CPU time of the whole server
 */
export async function cpuByDatabase(
  url: string,
  whole: number,
  sideOf: SideOf,
): Promise<Record<string, number>> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    const { rows } = await client.query(
      'select pid, datname as database from pg_stat_activity where datname is not null and pid <> pg_backend_pid()',
    )
    const bySide: Record<string, number> = { server: whole }
    for (const { pid, database } of rows as { pid: number; database: string }[]) {
      const side = sideOf(database)
      const ms = cpuOf(pid)
      bySide[side] = (bySide[side] ?? 0) + ms
      bySide.server = (bySide.server ?? 0) - ms
    }
    return bySide
  } finally {
    await client.end()
  }
}
