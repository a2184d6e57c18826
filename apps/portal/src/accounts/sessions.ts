import type { BeingName } from '@treeos/core'
import { type Kysely, sql } from 'kysely'
import type { PortalDb } from '../store/schema.ts'
import { hashOf, isSecret, newSecret } from './secrets.ts'

const DAYS_MAX = 30
export const SESSION_SECONDS_MAX = DAYS_MAX * 24 * 3600
const IDLE_HOURS_MAX = 72
/** Use is recorded this often at most. */
const SEEN_SECONDS = 60
/** For this long after signing in one may change how one signs in. */
const FRESH_MINUTES = 15
/** The oldest ones of a person end. */
const SESSIONS_MAX = 50
const AGENT_CHARS_MAX = 300

/**
 * The two halves of a session. The cookie cannot be read by scripts, but the browser sends it to every port
 * of this machine's name. The key is kept by the page, whose storage no other port can read. Either alone
 * opens nothing.
 */
export interface SessionSecrets {
  readonly cookie: string
  readonly key: string
}

/** How a session was begun. */
export type Way = 'password' | 'passkey' | 'link' | 'provider'

/** A session as its person sees it. */
export interface SessionView {
  readonly id: string
  readonly way: string
  /** what the browser said of itself */
  readonly agent: string
  readonly createdAt: string
  readonly seenAt: string
  readonly expiresAt: string
}

/** Begins a session with new secrets, and removes sessions that are over. */
export async function beginSession(
  db: Kysely<PortalDb>,
  being: BeingName,
  { way, agent = '' }: { readonly way: Way; readonly agent?: string | undefined },
): Promise<SessionSecrets> {
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
      way,
      agent: agent.slice(0, AGENT_CHARS_MAX),
      expires_at: sql<Date>`clock_timestamp() + make_interval(days => ${DAYS_MAX})`,
    })
    .execute()
  await db
    .deleteFrom('session')
    .where('id', 'in', (all) =>
      all
        .selectFrom('session')
        .select('id')
        .where('being', '=', being)
        .orderBy('seen_at', 'desc')
        .offset(SESSIONS_MAX),
    )
    .execute()
  return secrets
}

const holds = sql<boolean>`(expires_at > clock_timestamp()
  and seen_at > clock_timestamp() - make_interval(hours => ${IDLE_HOURS_MAX}))`

/** A session that holds. */
export interface FoundSession {
  readonly id: string
  readonly being: BeingName
  /** it began a short time ago, so its person may change how it signs in */
  readonly isFresh: boolean
  /** its person signs acts by a passkey */
  readonly signs: boolean
}

/** @returns null when one half is missing, wrong or of another session, or the session is over */
export async function findSession(
  db: Kysely<PortalDb>,
  { cookie, key }: { readonly cookie: string | undefined; readonly key: string | undefined },
): Promise<FoundSession | null> {
  if (!isSecret(cookie) || !isSecret(key)) return null
  const row = await db
    .selectFrom('session')
    .select([
      'id',
      'being',
      sql<boolean>`seen_at < clock_timestamp() - make_interval(secs => ${SEEN_SECONDS})`.as('late'),
      sql<boolean>`created_at > clock_timestamp() - make_interval(mins => ${FRESH_MINUTES})`.as('isFresh'),
      sql<boolean>`exists (select from portal.passkey p where p.being = session.being and p.signs)`.as(
        'signs',
      ),
    ])
    .where('cookie_hash', '=', hashOf(cookie))
    .where('key_hash', '=', hashOf(key))
    .where(holds)
    .executeTakeFirst()
  if (row === undefined) return null
  const { late, ...session } = row
  if (late)
    await db
      .updateTable('session')
      .set({ seen_at: sql<Date>`clock_timestamp()` })
      .where('id', '=', session.id)
      .execute()
  return session
}

/** The sessions of a person, the one that was used last first. */
export async function listSessions(db: Kysely<PortalDb>, being: BeingName): Promise<SessionView[]> {
  const rows = await db
    .selectFrom('session')
    .select(['id', 'way', 'agent', 'created_at', 'seen_at', 'expires_at'])
    .where('being', '=', being)
    .where(holds)
    .orderBy('seen_at', 'desc')
    .execute()
  return rows.map(({ created_at, seen_at, expires_at, ...row }) => ({
    ...row,
    createdAt: created_at.toISOString(),
    seenAt: seen_at.toISOString(),
    expiresAt: expires_at.toISOString(),
  }))
}

/**
 * Ends sessions of a person, and of nobody else.
 * @param which one by its id, all, or all but one
 * @returns the ids of those that ended
 */
export async function endSessions(
  db: Kysely<PortalDb>,
  being: BeingName,
  which: { readonly id: string } | { readonly except: string } | 'all',
): Promise<string[]> {
  const own = db.deleteFrom('session').where('being', '=', being)
  const chosen =
    which === 'all'
      ? own
      : 'id' in which
        ? own.where(sql`id::text`, '=', which.id)
        : own.where(sql`id::text`, '!=', which.except)
  return (await chosen.returning('id').execute()).map(({ id }) => id)
}
