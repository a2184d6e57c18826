import { TreeosError } from '@treeos/core'
import { type Kysely, sql } from 'kysely'
import type { PortalDb } from '../store/schema.ts'

/**
 * Pauses after failed attempts are ours: they double, and all portals of a reality count in Postgres. No kept limiter of rates does both.
 * This many failures cost nothing. Each further one doubles the pause.
 */
const FREE = 5
const PAUSE_SECONDS_MIN = 5
const PAUSE_SECONDS_MAX = 900
/** After this long without a failure the count begins anew. */
const FORGET_SECONDS = 24 * 3600

/** @throws {TreeosError} RATE_LIMITED while a pause lasts */
export async function requireNoPause(db: Kysely<PortalDb>, key: string): Promise<void> {
  const { rows } = await sql<{ seconds: number }>`
    select ceil(extract(epoch from until - clock_timestamp()))::integer as seconds
    from portal.throttle where key = ${key} and until > clock_timestamp()`.execute(db)
  const [pause] = rows
  if (pause === undefined) return
  throw new TreeosError('RATE_LIMITED', `too many failed attempts: try again in ${pause.seconds} s`, {
    seconds: pause.seconds,
  })
}

export async function countFailure(db: Kysely<PortalDb>, key: string): Promise<void> {
  await sql`
    insert into portal.throttle as t (key, failures, until) values (${key}, 1, clock_timestamp())
    on conflict (key) do update set
      failures = case when t.until < clock_timestamp() - make_interval(secs => ${FORGET_SECONDS})
        then 1 else t.failures + 1 end,
      until = clock_timestamp() + make_interval(secs => case when t.failures + 1 < ${FREE}::integer then 0
        else least(${PAUSE_SECONDS_MAX}::double precision, ${PAUSE_SECONDS_MIN} * 2 ^ (t.failures + 1 - ${FREE}::integer)) end)
  `.execute(db)
}

export async function forgetFailures(db: Kysely<PortalDb>, key: string): Promise<void> {
  await db.deleteFrom('throttle').where('key', '=', key).execute()
}
