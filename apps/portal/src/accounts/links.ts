import { type BeingName, TreeosError } from '@treeos/core'
import { type Kysely, sql, type Transaction } from 'kysely'
import type { PortalDb } from '../store/schema.ts'
import { hashPassword } from './password.ts'
import { hashOf, isSecret, newSecret } from './secrets.ts'
import { forgetFailures } from './throttle.ts'

const HOUR_MINUTES = 60
const MINUTES = 24 * HOUR_MINUTES
/** Of a link that whoever made it opens at once. It may be seen on a screen. */
export const OWN_LINK_MINUTES = 15
/** An invitation may travel for a week. */
export const LINK_HOURS_MAX = 7 * 24

/** What a link opened or a person added: something to sign in by. */
export type GiveWay = (tx: Transaction<PortalDb>, being: BeingName) => Promise<unknown>

/**
 * Makes a link by which a person chooses how it signs in, once. Earlier links of the person end. Who may make
 * one is the caller's to decide.
 * @param minutes how long it is good, at most {@link LINK_HOURS_MAX}; a day when left out
 * @returns the secret of the link; only its hash is stored
 */
export async function makeLink(
  db: Kysely<PortalDb>,
  being: BeingName,
  {
    minutes = MINUTES,
    madeBy = null,
  }: { readonly minutes?: number; readonly madeBy?: BeingName | null } = {},
): Promise<string> {
  const token = newSecret()
  await db.transaction().execute(async (tx) => {
    await tx.deleteFrom('link').where('being', '=', being).execute()
    const expires_at = sql<Date>`clock_timestamp() + make_interval(mins => ${minutes})`
    await tx
      .insertInto('link')
      .values({ token_hash: hashOf(token), being, made_by: madeBy, expires_at })
      .execute()
  })
  return token
}

/** @throws {TreeosError} UNAUTHORIZED for a link that is unknown, used or over */
export async function requireLink(db: Kysely<PortalDb>, token: string): Promise<BeingName> {
  const row = isSecret(token)
    ? await db
        .selectFrom('link')
        .select('being')
        .where('token_hash', '=', hashOf(token))
        .where(isGood)
        .executeTakeFirst()
    : undefined
  if (row === undefined) throw spent()
  return row.being
}

const isGood = sql<boolean>`used_at is null and expires_at > clock_timestamp()`

/**
 * Uses a link: the person gets a way to sign in, and every session of that person ends.
 * @throws {TreeosError} UNAUTHORIZED for a link that is unknown, used or over; what `give` throws, and the
 *   link stays good
 */
export async function spendLink(db: Kysely<PortalDb>, token: string, give: GiveWay): Promise<BeingName> {
  await requireLink(db, token)
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
      .values({ being: used.being, password: null })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    await give(tx, used.being)
    await tx.deleteFrom('session').where('being', '=', used.being).execute()
    await forgetFailures(tx, used.being)
    return used.being
  })
}

/**
 * Uses a link to choose a password.
 * @throws {TreeosError} as {@link spendLink}; INVALID_INPUT for the password
 */
export async function useLink(db: Kysely<PortalDb>, token: string, password: string): Promise<BeingName> {
  const invited = await requireLink(db, token) // first: a hash takes memory
  const stored = await hashPassword(invited, password)
  return spendLink(db, token, (tx, being) =>
    tx.updateTable('account').set({ password: stored }).where('being', '=', being).execute(),
  )
}

const spent = () =>
  new TreeosError('UNAUTHORIZED', 'this link was used before, or is over: whoever made it makes another one')

export async function hasAccount(db: Kysely<PortalDb>, being: BeingName): Promise<boolean> {
  return (
    (await db.selectFrom('account').select('being').where('being', '=', being).executeTakeFirst()) !==
    undefined
  )
}
