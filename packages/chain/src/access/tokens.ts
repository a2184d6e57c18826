import { createHash } from 'node:crypto'
import type { BeingName } from '@treeos/core'
import { type ExpressionBuilder, sql } from 'kysely'
import type { Db } from '../sql/database.ts'
import type { ChainDb } from '../sql/schema.ts'

/** What is known of a token; its secret is not. */
export interface Token {
  readonly id: string
  /** the one being that its bearer acts as */
  readonly being: BeingName
  readonly issuedBy: BeingName
  readonly issuedAt: Date
  readonly expiresAt: Date
  readonly revokedAt: Date | null
}

/** No timing tells anything of a secret: what is compared are hashes, and nobody can steer those towards a stored one. */
const hashOf = (secret: string): Buffer => createHash('sha256').update(secret, 'utf8').digest()

/** Keeps the hash of a secret. Both instants are Postgres'. */
export async function insertToken(
  db: Db,
  token: { id: string; being: BeingName; issuedBy: BeingName; secret: string; days: number },
): Promise<Token> {
  const { id, being, issuedBy, secret, days } = token
  const row = await db
    .insertInto('token')
    .values({
      id,
      being,
      secret_hash: hashOf(secret),
      issued_by: issuedBy,
      issued_at: sql`clock_timestamp()`,
      expires_at: sql`clock_timestamp() + make_interval(days => ${days}::integer)`,
    })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow()
  return tokenOf(row)
}

/** The token that a secret is of, while it holds; null for any other secret. */
export async function findTokenBySecret(db: Db, secret: string): Promise<Token | null> {
  const row = await db
    .selectFrom('token')
    .select(COLUMNS)
    .where('secret_hash', '=', hashOf(secret))
    .where(holds)
    .executeTakeFirst()
  return row === undefined ? null : tokenOf(row)
}

export async function findToken(db: Db, id: string): Promise<Token | null> {
  const row = await db.selectFrom('token').select(COLUMNS).where('id', '=', id).executeTakeFirst()
  return row === undefined ? null : tokenOf(row)
}

/** Those of these ids that hold no more. */
export async function listEndedTokens(db: Db, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return []
  const rows = await db.selectFrom('token').select('id').where('id', 'in', ids).where(holds).execute()
  const held = new Set(rows.map(({ id }) => id))
  return ids.filter((id) => !held.has(id))
}

/** Every token there ever was, the oldest first. */
export async function listAllTokens(db: Db): Promise<Token[]> {
  const rows = await db.selectFrom('token').select(COLUMNS).orderBy('issued_at').orderBy('id').execute()
  return rows.map(tokenOf)
}

/** @returns false when it was revoked before */
export async function markTokenRevoked(db: Db, id: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('token')
    .set({ revoked_at: sql`clock_timestamp()` })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

const COLUMNS = ['id', 'being', 'issued_by', 'issued_at', 'expires_at', 'revoked_at'] as const

const holds = ({ eb, and }: ExpressionBuilder<ChainDb, 'token'>) =>
  and([eb('revoked_at', 'is', null), eb('expires_at', '>', sql<Date>`clock_timestamp()`)])

interface Row {
  readonly id: string
  readonly being: string
  readonly issued_by: string
  readonly issued_at: Date
  readonly expires_at: Date
  readonly revoked_at: Date | null
}

const tokenOf = ({ id, being, issued_by, issued_at, expires_at, revoked_at }: Row): Token => ({
  id,
  being,
  issuedBy: issued_by,
  issuedAt: issued_at,
  expiresAt: expires_at,
  revokedAt: revoked_at,
})
