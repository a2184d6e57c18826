import { type BeingName, TreeosError } from '@treeos/core'
import type { Kysely } from 'kysely'
import type { PortalDb } from '../store/schema.ts'
import type { GiveWay } from './links.ts'
import type { ProviderAccount } from './provider.ts'

/**
 * Whose the account of a provider is.
 * @throws {TreeosError} UNAUTHORIZED when it is nobody's: nobody is made by signing in
 */
export async function findByIdentity(
  db: Kysely<PortalDb>,
  { issuer, subject, label }: ProviderAccount,
): Promise<BeingName> {
  const row = await db
    .selectFrom('identity')
    .select('being')
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst()
  if (row !== undefined) return row.being
  throw new TreeosError(
    'UNAUTHORIZED',
    `nobody here signs in as ${label}: open your invitation first, and choose it there`,
  )
}

/**
 * Lets a person sign in by an account of a provider.
 * @returns throws RESOURCE_CONFLICT when it, or another one, is taken
 */
export const giveIdentity =
  ({ issuer, subject, label }: ProviderAccount): GiveWay =>
  async (tx, being) => {
    const added = await tx
      .insertInto('identity')
      .values({ issuer, subject, being, label })
      .onConflict((conflict) => conflict.doNothing())
      .returning('being')
      .executeTakeFirst()
    if (added === undefined)
      throw new TreeosError(
        'RESOURCE_CONFLICT',
        'this account belongs to somebody here already, or you have another one of this provider',
      )
  }
