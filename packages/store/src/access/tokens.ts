import { createHash } from 'node:crypto'
import type { BeingName } from '@treeos/core'
import { type ExpressionBuilder, sql } from 'kysely'
import type { Db } from '../sql/database.ts'
import type { StoreDb } from '../sql/schema.ts'

/** An access token as it is stored: without its secret. */
export interface AccessToken {
  readonly id: string
  /** the one being that the bearer acts as */
  readonly being: BeingName
  readonly issuedBy: BeingName
  readonly issuedAt: Date
  readonly expiresAt: Date
  readonly revokedAt: Date | null
}

/**
 * Secrets are compared by hash, so the time of a comparison reveals nothing: nobody can choose a secret whose hash comes
 * close to a stored one.
 */
const hashOf = (secret: string): Buffer => createHash('sha256').update(secret, 'utf8').digest()

/**
 * Stores the hash of a secret. Postgres' clock gives both times.
 * @throws SQLSTATE 42501 unless a person issues it, for itself or for its offspring, for 1 to 365 days
 */
export async function insertToken(
  db: Db,
  token: { id: string; being: BeingName; issuedBy: BeingName; secret: string; days: number },
): Promise<AccessToken> {
  const { id, being, issuedBy, secret, days } = token
  const { rows } = await sql<{ issued: Date; expires: Date }>`
    select issued, expires
    from treeos.issue_token(${id}, ${being}, ${issuedBy}, ${hashOf(secret)}::bytea, ${days}::integer)`.execute(
    db,
  )
  const [times] = rows
  if (times === undefined) throw new Error('treeos.issue_token returned no row')
  return { id, being, issuedBy, issuedAt: times.issued, expiresAt: times.expires, revokedAt: null }
}

/** The access token with this secret, and whether it holds; null when there is none. Postgres' clock decides. */
export async function findTokenBySecret(
  db: Db,
  secret: string,
): Promise<(AccessToken & { readonly holds: boolean }) | null> {
  const { rows } = await sql<Row & { holds: boolean }>`
    select id, being, issued_by, issued_at, expires_at, revoked_at, holds
    from treeos.token_of(${hashOf(secret)}::bytea)`.execute(db)
  const [row] = rows
  return row === undefined ? null : { ...tokenOf(row), holds: row.holds }
}

export async function findToken(db: Db, id: string): Promise<AccessToken | null> {
  const row = await db.selectFrom('token').select(COLUMNS).where('id', '=', id).executeTakeFirst()
  return row === undefined ? null : tokenOf(row)
}

/** Which of these ids belong to no valid access token. */
export async function listEndedTokens(db: Db, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return []
  const rows = await db.selectFrom('token').select('id').where('id', 'in', ids).where(holds).execute()
  const held = new Set(rows.map(({ id }) => id))
  return ids.filter((id) => !held.has(id))
}

/** All access tokens ever issued, oldest first. */
export async function listAllTokens(db: Db): Promise<AccessToken[]> {
  const rows = await db.selectFrom('token').select(COLUMNS).orderBy('issued_at').orderBy('id').execute()
  return rows.map(tokenOf)
}

/** @returns false when the token does not exist or was already revoked */
export async function markTokenRevoked(db: Db, id: string): Promise<boolean> {
  const { rows } = await sql<{ revoked: boolean }>`select treeos.revoke_token(${id}) as revoked`.execute(db)
  return rows[0]?.revoked === true
}

const COLUMNS = ['id', 'being', 'issued_by', 'issued_at', 'expires_at', 'revoked_at'] as const

const holds = ({ eb, and }: ExpressionBuilder<StoreDb, 'token'>) =>
  and([eb('revoked_at', 'is', null), eb('expires_at', '>', sql<Date>`clock_timestamp()`)])

interface Row {
  readonly id: string
  readonly being: string
  readonly issued_by: string
  readonly issued_at: Date
  readonly expires_at: Date
  readonly revoked_at: Date | null
}

const tokenOf = ({ id, being, issued_by, issued_at, expires_at, revoked_at }: Row): AccessToken => ({
  id,
  being,
  issuedBy: issued_by,
  issuedAt: issued_at,
  expiresAt: expires_at,
  revokedAt: revoked_at,
})
