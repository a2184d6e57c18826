import { createHash } from 'node:crypto'
import type { BeingName } from '@treeos/core'
import { sql } from 'kysely'
import type { Db } from '../sql/database.ts'

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
 * Secrets are compared by hash, so the time of a comparison reveals nothing: nobody can choose a secret whose
 * hash comes close to a stored one.
 */
export const tokenHash = (secret: string): Buffer => createHash('sha256').update(secret, 'utf8').digest()

/**
 * Stores the hash of a secret. Postgres' clock gives both times.
 * @throws SQLSTATE 42501 unless a person issues it, for itself or for its offspring, for 1 to 365 days
 */
export async function insertToken(
  db: Db,
  token: { id: string; being: BeingName; issuedBy: BeingName; secretHash: Buffer; days: number },
): Promise<AccessToken> {
  const { id, being, issuedBy, secretHash, days } = token
  const { rows } = await sql<{ issued: Date; expires: Date }>`
    select issued, expires
    from treeos.issue_token(${id}, ${being}, ${issuedBy}, ${secretHash}::bytea, ${days}::integer)`.execute(db)
  const [times] = rows
  if (times === undefined) throw new Error('treeos.issue_token returned no row')
  return { id, being, issuedBy, issuedAt: times.issued, expiresAt: times.expires, revokedAt: null }
}

/**
 * The access token with this secret, and whether it holds; null when there is none. Postgres' clock decides.
 */
export async function findTokenBySecret(
  db: Db,
  secret: string,
): Promise<(AccessToken & { readonly holds: boolean }) | null> {
  const { rows } = await sql<TokenRow & { holds: boolean }>`
    select id, being, issued_by, issued_at, expires_at, revoked_at, holds
    from treeos.token_of(${tokenHash(secret)}::bytea)`.execute(db)
  const [row] = rows
  return row === undefined ? null : { ...tokenOf(row), holds: row.holds }
}

/**
 * The access tokens that a person may revoke, ended ones too, the newest first.
 * @param after the id of the last one of the page before
 */
export async function listTokensOf(
  db: Db,
  person: BeingName,
  { after = null, limit }: { readonly after?: string | null; readonly limit: number },
): Promise<AccessToken[]> {
  const { rows } = await sql<TokenRow>`
    select * from treeos.tokens_of(${person}, ${after}, ${limit}::integer)`.execute(db)
  return rows.map(tokenOf)
}

/** One of them. */
export async function findTokenOf(db: Db, person: BeingName, id: string): Promise<AccessToken | null> {
  const { rows } = await sql<TokenRow>`
    select * from treeos.tokens_of(${person}, null, null) where id = ${id}`.execute(db)
  const [row] = rows
  return row === undefined ? null : tokenOf(row)
}

/** @returns false when the person may revoke no such token, or it was revoked before */
export async function markTokenRevoked(db: Db, id: string, person: BeingName): Promise<boolean> {
  const { rows } = await sql<{ revoked: boolean }>`
    select treeos.revoke_token(${id}, ${person}) as revoked`.execute(db)
  return rows[0]?.revoked === true
}

interface TokenRow {
  readonly id: string
  readonly being: string
  readonly issued_by: string
  readonly issued_at: Date
  readonly expires_at: Date
  readonly revoked_at: Date | null
}

const tokenOf = ({ id, being, issued_by, issued_at, expires_at, revoked_at }: TokenRow): AccessToken => ({
  id,
  being,
  issuedBy: issued_by,
  issuedAt: issued_at,
  expiresAt: expires_at,
  revokedAt: revoked_at,
})
