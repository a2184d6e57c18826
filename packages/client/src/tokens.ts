import { randomBytes, randomUUID } from 'node:crypto'
import {
  findToken,
  findTokenBySecret,
  insertToken,
  listAllTokens,
  listEndedTokens,
  markTokenRevoked,
  type Token,
} from '@treeos/chain'
import { type BeingName, quote, stanceOf, TreeosError } from '@treeos/core'
import { readerOf } from '@treeos/reality'
import type { WorldReader } from '@treeos/world'
import { authorizeActingAs, type Presence } from './persons.ts'

/** How long a token may hold, in days. */
export const TOKEN_DAYS_MAX = 365
const TOKEN_DAYS = 30
const SECRET_BYTES = 32
/** Named, so that whatever finds one in a log or a file knows what it is. */
const SECRET = /^treeos_[A-Za-z0-9_-]{43}$/

/** Whom somebody outside acts as, and on whose behalf. */
export interface TokenGrant {
  readonly being: BeingName
  /** the person who answers for it: the being itself, or one of those it descends from */
  readonly issuer: BeingName
}

/** A token as people are told of it. */
export interface TokenView {
  readonly id: string
  readonly being: string
  readonly issuedBy: string
  /** ISO 8601, UTC */
  readonly issuedAt: string
  readonly expiresAt: string
  readonly revokedAt: string | null
}

/**
 * Lets somebody outside act as one being, until it expires or is revoked.
 * @returns the secret, which is shown this once and stored nowhere
 * @throws {TreeosError} FORBIDDEN for whoever is neither the person itself nor descends from it; BEING_NOT_FOUND
 */
export async function issueToken(
  at: Presence,
  { being, as, days = TOKEN_DAYS }: { being: BeingName; as: BeingName; days?: number },
): Promise<TokenView & { readonly secret: string }> {
  await requirePerson(at, as)
  await authorizeGrant(at, { being, issuer: as })
  if (!Number.isInteger(days) || days < 1 || days > TOKEN_DAYS_MAX)
    throw new TreeosError(
      'INVALID_INPUT',
      `days is ${quote(days)}; it takes a whole number from 1 to ${TOKEN_DAYS_MAX}`,
    )
  const secret = `treeos_${randomBytes(SECRET_BYTES).toString('base64url')}`
  const token = await insertToken(at.db, { id: randomUUID(), being, issuedBy: as, secret, days })
  return { ...viewOf(token), secret }
}

/** The tokens by which somebody may act, or might have, as a person or as whoever descends from it; the oldest first. */
export async function listTokens(at: Presence, as: BeingName): Promise<TokenView[]> {
  await requirePerson(at, as)
  const reader = readerOf(at)
  const views: TokenView[] = []
  for (const token of await listAllTokens(at.db)) {
    if (await mayManage(reader, as, token)) views.push(viewOf(token))
  }
  return views
}

/**
 * Ends a token for good. Its issuer may, and whoever could have issued it.
 * @throws {TreeosError} FORBIDDEN, INVALID_INPUT for an id that is of no token, RESOURCE_CONFLICT when it was revoked before
 */
export async function revokeToken(
  at: Presence,
  { id, as }: { id: string; as: BeingName },
): Promise<TokenView> {
  await requirePerson(at, as)
  const token = await findToken(at.db, id)
  if (token === null)
    throw new TreeosError(
      'INVALID_INPUT',
      `id is ${quote(id)}, which is of no token; \`treeos token list\` lists them`,
    )
  if (!(await mayManage(readerOf(at), as, token)))
    throw new TreeosError(
      'FORBIDDEN',
      `token ${id} acts as ${stanceOf(token.being)}, which does not descend from ${stanceOf(as)}`,
    )
  if (!(await markTokenRevoked(at.db, id)))
    throw new TreeosError('RESOURCE_CONFLICT', `token ${id} was revoked before`)
  const revoked = await findToken(at.db, id)
  if (revoked === null) throw new Error('a token that is gone')
  return viewOf(revoked)
}

/** Whom a secret stands for, while its token holds; null for any other text. */
export async function verifyToken(
  at: Presence,
  secret: string,
): Promise<(TokenGrant & { readonly token: string }) | null> {
  if (!SECRET.test(secret)) return null
  const token = await findTokenBySecret(at.db, secret)
  return token === null ? null : { token: token.id, being: token.being, issuer: token.issuedBy }
}

/** Those of these tokens that hold no more: revoked, or expired. */
export const endedTokens = ({ db }: Presence, ids: readonly string[]): Promise<string[]> =>
  listEndedTokens(db, ids)

/** By whose hands a bearer acts. */
export interface Authorization {
  readonly person: BeingName
  /** whether that person must inhabit the being first: it has a mind of its own */
  readonly inhabits: boolean
}

/**
 * How somebody may act as a being on behalf of a person: as the person itself, or as one that descends from it.
 * @throws {TreeosError} FORBIDDEN, BEING_NOT_FOUND
 */
export async function authorizeGrant(at: Presence, { being, issuer }: TokenGrant): Promise<Authorization> {
  const reader = readerOf(at)
  const row = await reader.being(being)
  if (row === null)
    throw new TreeosError('BEING_NOT_FOUND', `no being ${stanceOf(being)} lives in this reality`)
  if (being !== issuer && !(await isDescendant(reader, being, issuer)))
    throw new TreeosError(
      'FORBIDDEN',
      `${stanceOf(being)} does not descend from ${stanceOf(issuer)}: others act as oneself or as one's own offspring`,
    )
  const inhabits = row.cognition.kind !== 'human'
  return { person: inhabits ? issuer : being, inhabits }
}

/** Somebody who acts as itself: a token would outlast the lease of whoever only drives a being. */
async function requirePerson(at: Presence, as: BeingName): Promise<void> {
  const lease = await authorizeActingAs(at, as)
  if (lease !== null)
    throw new TreeosError(
      'FORBIDDEN',
      `you only drive ${stanceOf(as)}: tokens are a person's own; issue one as ${stanceOf(lease.driver)}`,
    )
}

const isDescendant = async (reader: WorldReader, being: BeingName, elder: BeingName): Promise<boolean> =>
  (await reader.lineage(being)).some(({ name }) => name === elder)

const mayManage = async (reader: WorldReader, as: BeingName, { being, issuedBy }: Token): Promise<boolean> =>
  as === issuedBy || as === being || isDescendant(reader, being, as)

const viewOf = ({ id, being, issuedBy, issuedAt, expiresAt, revokedAt }: Token): TokenView => ({
  id,
  being: stanceOf(being),
  issuedBy: stanceOf(issuedBy),
  issuedAt: issuedAt.toISOString(),
  expiresAt: expiresAt.toISOString(),
  revokedAt: revokedAt?.toISOString() ?? null,
})
