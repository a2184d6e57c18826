import { type BeingName, TreeosError } from '@treeos/core'
import { type Kysely, sql } from 'kysely'
import type { PortalDb } from '../store/schema.ts'
import type { GiveWay } from './links.ts'
import { hashPassword } from './password.ts'

/** How a person may sign in. */
export interface WaysView {
  readonly hasPassword: boolean
  readonly passkeys: readonly {
    readonly id: string
    readonly name: string
    /** the name of the portal that it works with */
    readonly site: string
    /** the person signs what it does by it */
    readonly signs: boolean
    readonly createdAt: string
    readonly usedAt: string | null
  }[]
  readonly identities: readonly {
    readonly issuer: string
    readonly label: string
    readonly createdAt: string
  }[]
}

export async function waysOf(db: Kysely<PortalDb>, being: BeingName): Promise<WaysView> {
  const [account, passkeys, identities] = await Promise.all([
    db.selectFrom('account').select('password').where('being', '=', being).executeTakeFirst(),
    db
      .selectFrom('passkey')
      .select(['id', 'name', 'site', 'signs', 'created_at', 'used_at'])
      .where('being', '=', being)
      .orderBy('created_at')
      .execute(),
    db
      .selectFrom('identity')
      .select(['issuer', 'label', 'created_at'])
      .where('being', '=', being)
      .orderBy('created_at')
      .execute(),
  ])
  return {
    hasPassword: account !== undefined && account.password !== null,
    passkeys: passkeys.map(({ created_at, used_at, ...passkey }) => ({
      ...passkey,
      createdAt: created_at.toISOString(),
      usedAt: used_at?.toISOString() ?? null,
    })),
    identities: identities.map(({ created_at, ...identity }) => ({
      ...identity,
      createdAt: created_at.toISOString(),
    })),
  }
}

/**
 * Sets the password of a person.
 * @throws {TreeosError} INVALID_INPUT for one that is too short or too long
 */
export async function setPassword(db: Kysely<PortalDb>, being: BeingName, password: string): Promise<void> {
  const stored = await hashPassword(being, password)
  await db.updateTable('account').set({ password: stored }).where('being', '=', being).execute()
}

/**
 * Takes a way to sign in away from a person, but never the last one.
 * @param take removes it within the transaction
 * @throws {TreeosError} RESOURCE_CONFLICT when no other way is left; what `take` throws
 */
async function removeWay(db: Kysely<PortalDb>, being: BeingName, take: GiveWay): Promise<void> {
  await db.transaction().execute(async (tx) => {
    // One after the other: two that remove the last two ways at once would each see the other way.
    await tx.selectFrom('account').select('being').where('being', '=', being).forUpdate().execute()
    await take(tx, being)
    const { rows } = await sql<{ left: number }>`
      select (select count(*) from portal.account where being = ${being} and password is not null)
        + (select count(*) from portal.passkey where being = ${being})
        + (select count(*) from portal.identity where being = ${being}) as left`.execute(tx)
    if (Number(rows[0]?.left) === 0)
      throw new TreeosError(
        'RESOURCE_CONFLICT',
        'it is your last way to sign in: add another one before you remove it',
      )
  })
}

export const removePassword = (db: Kysely<PortalDb>, being: BeingName): Promise<void> =>
  removeWay(db, being, (tx) =>
    tx.updateTable('account').set({ password: null }).where('being', '=', being).execute(),
  )

/** @throws {TreeosError} INVALID_INPUT for one that the person does not have */
export const removePasskey = (db: Kysely<PortalDb>, being: BeingName, id: string): Promise<void> =>
  removeWay(db, being, async (tx) => {
    const gone = await tx
      .deleteFrom('passkey')
      .where('being', '=', being)
      .where('id', '=', id)
      .returning('signs')
      .executeTakeFirst()
    if (gone === undefined) throw noPasskey()
    if (gone.signs)
      throw new TreeosError('RESOURCE_CONFLICT', 'you sign what you do by this passkey: stop that first')
  })

/** @throws {TreeosError} INVALID_INPUT for one that the person does not have */
export async function renamePasskey(
  db: Kysely<PortalDb>,
  being: BeingName,
  { id, name }: { readonly id: string; readonly name: string },
): Promise<void> {
  const renamed = await db
    .updateTable('passkey')
    .set({ name })
    .where('being', '=', being)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
  if (renamed === undefined) throw noPasskey()
}

const noPasskey = () => new TreeosError('INVALID_INPUT', 'you have no such passkey')

/** @throws {TreeosError} INVALID_INPUT for one that the person does not have */
export const removeIdentity = (db: Kysely<PortalDb>, being: BeingName, issuer: string): Promise<void> =>
  removeWay(db, being, async (tx) => {
    const gone = await tx
      .deleteFrom('identity')
      .where('being', '=', being)
      .where('issuer', '=', issuer)
      .returning('issuer')
      .executeTakeFirst()
    if (gone === undefined) throw new TreeosError('INVALID_INPUT', 'no account of this provider is yours')
  })
