import { type BeingName, stanceOf, TreeosError } from '@treeos/core'
import { type Kysely, sql } from 'kysely'
import type { PortalDb } from '../store/schema.ts'

/** A person, and whether it can sign in. */
export interface PersonView {
  readonly stance: string
  /** it has an account: a password, a passkey or a provider's account */
  readonly hasAccount: boolean
  /** when it used the portal last; null: never, or it has no session now */
  readonly seenAt: string | null
  /** a link that waits to be opened; null when there is none, or it was used */
  readonly invitation: {
    readonly madeBy: string | null
    readonly expiresAt: string
    readonly isOver: boolean
  } | null
}

/** Of these persons, which can sign in and who was invited, in the same order. */
export async function describePeople(
  db: Kysely<PortalDb>,
  persons: readonly BeingName[],
): Promise<PersonView[]> {
  if (persons.length === 0) return []
  const [accounts, links] = await Promise.all([
    db
      .selectFrom('account')
      .leftJoin('session', 'session.being', 'account.being')
      .select(['account.being', sql<Date | null>`max(session.seen_at)`.as('seenAt')])
      .where('account.being', 'in', persons)
      .groupBy('account.being')
      .execute(),
    db
      .selectFrom('link')
      .select([
        'being',
        'made_by as madeBy',
        'expires_at as expiresAt',
        sql<boolean>`expires_at <= clock_timestamp()`.as('isOver'),
      ])
      .where('being', 'in', persons)
      .where('used_at', 'is', null)
      .execute(),
  ])
  const accountOf = new Map(accounts.map((account) => [account.being, account]))
  const linkOf = new Map(links.map((link) => [link.being, link]))
  return persons.map((being) => {
    const account = accountOf.get(being)
    const link = linkOf.get(being)
    return {
      stance: stanceOf(being),
      hasAccount: account !== undefined,
      seenAt: account?.seenAt?.toISOString() ?? null,
      invitation:
        link === undefined
          ? null
          : {
              madeBy: link.madeBy === null ? null : stanceOf(link.madeBy),
              expiresAt: link.expiresAt.toISOString(),
              isOver: link.isOver,
            },
    }
  })
}

/**
 * Takes back the link of a person that was not used yet.
 * @throws {TreeosError} RESOURCE_CONFLICT when there is none
 */
export async function revokeLink(db: Kysely<PortalDb>, being: BeingName): Promise<void> {
  const revoked = await db
    .deleteFrom('link')
    .where('being', '=', being)
    .where('used_at', 'is', null)
    .returning('being')
    .executeTakeFirst()
  if (revoked === undefined)
    throw new TreeosError('RESOURCE_CONFLICT', `no link of ${stanceOf(being)} waits to be opened`)
}

/**
 * Takes the account of a person away: its ways to sign in, its sessions and its link, where it is told what
 * waits, its hooks, its access tokens and the links by which it would answer calls. The person itself lives
 * on.
 * @returns the ids of the sessions that ended
 */
export async function removeAccount(db: Kysely<PortalDb>, being: BeingName): Promise<string[]> {
  return db.transaction().execute(async (tx) => {
    await tx.deleteFrom('link').where('being', '=', being).execute()
    const ended = await tx.deleteFrom('session').where('being', '=', being).returning('id').execute()
    await revokeTokensOf(tx, being)
    for (const table of ['account', 'outlet', 'hook', 'answer_link'] as const)
      await tx.deleteFrom(table).where('being', '=', being).execute()
    return ended.map(({ id }) => id)
  })
}

/** Access tokens for the person, and those that it issued. */
async function revokeTokensOf(tx: Kysely<PortalDb>, being: BeingName): Promise<void> {
  await sql`
    select treeos.revoke_token(t.id, ${being}) from treeos.tokens_of(${being}, null, null) t
    where t.revoked_at is null and ${being} in (t.issued_by, t.being)`.execute(tx)
}
