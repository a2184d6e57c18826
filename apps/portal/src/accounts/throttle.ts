import { type BeingName, TreeosError } from '@treeos/core'
import { type Kysely, sql } from 'kysely'
import type { PortalDb } from '../store/schema.ts'

/**
 * Pauses after failed attempts are ours: they double, and all portals of a reality count in Postgres. No kept
 * limiter of rates does both. `free` failures cost nothing. Each further one doubles the pause.
 */
interface Pauses {
  readonly free: number
  readonly secondsMin: number
  readonly secondsMax: number
}

/** Of one person from one address, or in one browser that it used before. */
const OWN: Pauses = { free: 5, secondsMin: 5, secondsMax: 900 }
/**
 * Of one person from all addresses together: slower guesses, and never a pause for a browser that it used
 * before.
 */
const JOINT: Pauses = { free: 50, secondsMin: 1, secondsMax: 60 }
/** After this long without a failure the count begins anew. */
const FORGET_SECONDS = 24 * 3600

/** Whose sign-in is attempted, and from where. */
export interface SignInAttempt {
  /** `?` for all names that no being can have */
  readonly name: BeingName | '?'
  readonly address: string
  /** the hash of the secret of a browser in which this person has signed in before */
  readonly device: string | null
}

const throttleKeys = ({ name, address, device }: SignInAttempt): readonly (readonly [string, Pauses])[] =>
  device === null
    ? [
        [`${name} from ${address}`, OWN],
        [name, JOINT],
      ]
    : [[`${name} in ${device}`, OWN]]

/** @throws {TreeosError} RATE_LIMITED while a pause lasts */
export async function requireNoPause(db: Kysely<PortalDb>, attempt: SignInAttempt): Promise<void> {
  const keys = throttleKeys(attempt).map(([key]) => key)
  const { rows } = await sql<{ seconds: number }>`
    select ceil(extract(epoch from until - clock_timestamp()))::integer as seconds
    from portal.throttle where key = any(${keys}) and until > clock_timestamp()
    order by until desc limit 1`.execute(db)
  const [pause] = rows
  if (pause === undefined) return
  throw new TreeosError(
    'RATE_LIMITED',
    `too many failed attempts: try again in ${pause.seconds} s, in a browser in which you signed in before, or by a link`,
    { seconds: pause.seconds },
  )
}

export async function countFailure(db: Kysely<PortalDb>, attempt: SignInAttempt): Promise<void> {
  await sql`
    delete from portal.throttle
    where until < clock_timestamp() - make_interval(secs => ${FORGET_SECONDS})`.execute(db)
  for (const [key, { free, secondsMin, secondsMax }] of throttleKeys(attempt))
    await sql`
      insert into portal.throttle as t (key, failures, until) values (${key}, 1, clock_timestamp())
      on conflict (key) do update set
        failures = t.failures + 1,
        until = clock_timestamp() + make_interval(secs => case when t.failures + 1 < ${free}::integer then 0
          else least(${secondsMax}::double precision, ${secondsMin} * 2 ^ least(t.failures + 1 - ${free}::integer, 30)) end)
    `.execute(db)
}

/**
 * After a sign-in: what was counted where it came from. The joint count goes on, since others may be
 * guessing.
 */
export async function forgetOwnFailures(db: Kysely<PortalDb>, attempt: SignInAttempt): Promise<void> {
  const [[own] = ['']] = throttleKeys(attempt)
  await db.deleteFrom('throttle').where('key', '=', own).execute()
  if (attempt.device === null)
    await db
      .updateTable('throttle')
      .set({ failures: sql`greatest(failures - 1, 0)` }) // its own attempt
      .where('key', '=', attempt.name)
      .execute()
}

/** A link was used: whatever was counted of this person is over. */
export async function forgetFailures(db: Kysely<PortalDb>, name: BeingName): Promise<void> {
  await db
    .deleteFrom('throttle')
    .where(({ eb, or }) => or([eb('key', '=', name), eb('key', 'like', `${name.replaceAll('_', '\\_')} %`)]))
    .execute()
}
