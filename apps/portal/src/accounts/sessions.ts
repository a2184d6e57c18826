import type { BeingName } from '@treeos/core'
import { type Kysely, sql } from 'kysely'
import type { PortalDb } from '../store/schema.ts'
import { hashOf, isSecret, newSecret } from './secrets.ts'

const DAYS_MAX = 30
export const SESSION_SECONDS_MAX = DAYS_MAX * 24 * 3600
const IDLE_HOURS_MAX = 72
/** Use is recorded this often at most. */
const SEEN_SECONDS = 60

/**
 * The two halves of a session. The cookie cannot be read by scripts, but the browser sends it to every port of this machine's
 * name. The key is kept by the page, whose storage no other port can read. Either alone opens nothing.
 */
export interface SessionSecrets {
  readonly cookie: string
  readonly key: string
}

/** Begins a session with new secrets, and removes sessions that are over. */
export async function beginSession(db: Kysely<PortalDb>, being: BeingName): Promise<SessionSecrets> {
  const secrets = { cookie: newSecret(), key: newSecret() }
  await db
    .deleteFrom('session')
    .where(({ not }) => not(holds))
    .execute()
  await db
    .insertInto('session')
    .values({
      cookie_hash: hashOf(secrets.cookie),
      key_hash: hashOf(secrets.key),
      being,
      expires_at: sql<Date>`clock_timestamp() + make_interval(days => ${DAYS_MAX})`,
    })
    .execute()
  return secrets
}

const holds = sql<boolean>`(expires_at > clock_timestamp()
  and seen_at > clock_timestamp() - make_interval(hours => ${IDLE_HOURS_MAX}))`

/** @returns whose session it is; null when one half is missing, wrong or of another session, or the session is over */
export async function findSession(
  db: Kysely<PortalDb>,
  { cookie, key }: { readonly cookie: string | undefined; readonly key: string | undefined },
): Promise<BeingName | null> {
  if (!isSecret(cookie) || !isSecret(key)) return null
  const row = await db
    .selectFrom('session')
    .select([
      'being',
      sql<boolean>`seen_at < clock_timestamp() - make_interval(secs => ${SEEN_SECONDS})`.as('late'),
    ])
    .where('cookie_hash', '=', hashOf(cookie))
    .where('key_hash', '=', hashOf(key))
    .where(holds)
    .executeTakeFirst()
  if (row?.late === true)
    await db
      .updateTable('session')
      .set({ seen_at: sql<Date>`clock_timestamp()` })
      .where('cookie_hash', '=', hashOf(cookie))
      .execute()
  return row?.being ?? null
}

export async function endSession(db: Kysely<PortalDb>, cookie: string): Promise<void> {
  await db.deleteFrom('session').where('cookie_hash', '=', hashOf(cookie)).execute()
}
