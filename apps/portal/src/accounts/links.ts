import { type BeingName, TreeosError } from '@treeos/core'
import { type Kysely, sql } from 'kysely'
import type { PortalDb } from '../store/schema.ts'
import { hashPassword } from './password.ts'
import { hashOf, isSecret, newSecret } from './secrets.ts'

const HOURS = 24

/**
 * Makes a link by which a person chooses a password, once, within a day. Earlier links of the person end. Who may make one is
 * the caller's to decide.
 * @returns the secret of the link; only its hash is stored
 */
export async function makeLink(db: Kysely<PortalDb>, being: BeingName): Promise<string> {
  const token = newSecret()
  await db.transaction().execute(async (tx) => {
    await tx.deleteFrom('link').where('being', '=', being).execute()
    const expires_at = sql<Date>`clock_timestamp() + make_interval(hours => ${HOURS})`
    await tx
      .insertInto('link')
      .values({ token_hash: hashOf(token), being, expires_at })
      .execute()
  })
  return token
}

/** The person whom a link is for; null when it is unknown, used or over. */
export async function findLink(db: Kysely<PortalDb>, token: string): Promise<BeingName | null> {
  if (!isSecret(token)) return null
  const row = await db
    .selectFrom('link')
    .select('being')
    .where('token_hash', '=', hashOf(token))
    .where(isGood)
    .executeTakeFirst()
  return row?.being ?? null
}

const isGood = sql<boolean>`used_at is null and expires_at > clock_timestamp()`

/**
 * Uses a link: the person gets this password, and every session of that person ends.
 * @throws {TreeosError} UNAUTHORIZED for a link that is unknown, used or over; INVALID_INPUT for the password, and the link
 *   stays good
 */
export async function useLink(db: Kysely<PortalDb>, token: string, password: string): Promise<BeingName> {
  if ((await findLink(db, token)) === null) throw spent()
  const stored = await hashPassword(password)
  return db.transaction().execute(async (tx) => {
    const used = await tx
      .updateTable('link')
      .set({ used_at: sql<Date>`clock_timestamp()` })
      .where('token_hash', '=', hashOf(token))
      .where(isGood)
      .returning('being')
      .executeTakeFirst()
    if (used === undefined) throw spent() // another request was faster
    await tx
      .insertInto('account')
      .values({ being: used.being, password: stored })
      .onConflict((conflict) => conflict.column('being').doUpdateSet({ password: stored }))
      .execute()
    await tx.deleteFrom('session').where('being', '=', used.being).execute()
    await tx.deleteFrom('throttle').where('key', '=', used.being).execute()
    return used.being
  })
}

const spent = () =>
  new TreeosError('UNAUTHORIZED', 'this link was used before, or is over: `treeos link` makes another one')

export async function hasAccount(db: Kysely<PortalDb>, being: BeingName): Promise<boolean> {
  return (
    (await db.selectFrom('account').select('being').where('being', '=', being).executeTakeFirst()) !==
    undefined
  )
}
