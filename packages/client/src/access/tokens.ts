import { randomBytes, randomUUID } from 'node:crypto'
import { type BeingName, mendedBy, quote, stanceOf, TreeosError } from '@treeos/core'
import { authorizeActingAs, type Presence, readerOf, requireBeing } from '@treeos/reality'
import {
  type AccessToken,
  findTokenBySecret,
  findTokenOf,
  insertToken,
  listTokensOf,
  markTokenRevoked,
  tokenHash,
} from '@treeos/store'
import { type BeingRow, requireNotEnded } from '@treeos/world'
import { isDescendant } from './descent.ts'

/** Longest validity of an access token, in days. */
export const TOKEN_DAYS_MAX = 365
const TOKEN_DAYS = 30
const SECRET_BYTES = 32
/** The prefix lets secret scanners recognize an access token. */
const SECRET = /^treeos_[A-Za-z0-9_-]{43}$/

/** Lets a client act as a being on behalf of a person. */
export interface TokenGrant {
  readonly being: BeingName
  /** the person who issued the token: the being itself, or one of its ancestors */
  readonly issuer: BeingName
}

/** An access token as people see it, without its secret. */
export interface TokenView {
  readonly id: string
  readonly being: string
  readonly issuedBy: string
  /** ISO 8601, UTC */
  readonly issuedAt: string
  readonly expiresAt: string
  readonly revokedAt: string | null
}

interface TokenRequest {
  readonly being: BeingName
  readonly as: BeingName
  /** whole number from 1 to {@link TOKEN_DAYS_MAX}; default 30 */
  readonly days?: number | undefined
}

/** Whether a text has the form of a secret of an access token. */
export const isTokenSecret = (text: string): boolean => SECRET.test(text)

/**
 * Issues an access token that lets its holder act as one being, until it expires or is revoked.
 * @returns the token with its secret; the secret is not stored and cannot be read again
 * @throws {TreeosError} FORBIDDEN when the being neither is `as` nor descends from it; BEING_NOT_FOUND;
 *   INVALID_INPUT
 */
export async function issueToken(
  at: Presence,
  request: TokenRequest,
): Promise<TokenView & { readonly secret: string }> {
  const secret = `treeos_${randomBytes(SECRET_BYTES).toString('base64url')}`
  return { ...(await issueTokenFor(at, request, tokenHash(secret))), secret }
}

/**
 * The same for a secret that its holder has made, which is known here by its hash alone.
 * @throws {TreeosError} as {@link issueToken}
 */
export async function issueTokenFor(
  at: Presence,
  { being, as, days = TOKEN_DAYS }: TokenRequest,
  secretHash: Buffer,
): Promise<TokenView> {
  await requirePerson(at, as)
  await authorizeGrant(at, { being, issuer: as })
  if (!Number.isInteger(days) || days < 1 || days > TOKEN_DAYS_MAX)
    throw new TreeosError(
      'INVALID_INPUT',
      `days is ${quote(days)}; it takes a whole number from 1 to ${TOKEN_DAYS_MAX}`,
    )
  return tokenView(await insertToken(at.db, { id: randomUUID(), being, issuedBy: as, secretHash, days }))
}

/** The access token that a program shows. @throws {TreeosError} as {@link requireToken} */
export async function findOwnToken(at: Presence, secret: string): Promise<TokenView> {
  await requireToken(at, secret)
  const token = await tokenOf(at, secret)
  if (token === null) throw new Error('an access token that held is gone')
  return tokenView(token)
}

/** Revokes the access token that a program shows, which needs no other right. */
export async function endOwnToken(at: Presence, secret: string): Promise<TokenView> {
  const { token, issuer } = await requireToken(at, secret)
  return revokeToken({ ...at, person: issuer }, { id: token, as: issuer })
}

/** Tokens that are read at once. */
const PAGE = 200

/**
 * The access tokens that a person may revoke: for itself, for its descendants, and those that it issued.
 * Ended ones too; the oldest first.
 */
export async function listTokens(at: Presence, as: BeingName): Promise<TokenView[]> {
  const views: TokenView[] = []
  for (let after: string | undefined; ; ) {
    const { items, next } = await tokensPage(at, as, { after, limit: PAGE })
    views.push(...items)
    if (next === null) return views.reverse()
    after = next
  }
}

/** The same page by page, the newest first. */
export async function tokensPage(
  at: Presence,
  as: BeingName,
  { after, limit }: { readonly after?: string | undefined; readonly limit: number },
): Promise<{ readonly items: TokenView[]; readonly next: string | null }> {
  await requirePerson(at, as)
  const tokens = await listTokensOf(at.db, as, { after: after ?? null, limit: limit + 1 })
  const items = tokens.slice(0, limit).map(tokenView)
  return { items, next: tokens.length > limit ? (items.at(-1)?.id ?? null) : null }
}

/**
 * Revokes an access token. Allowed to its issuer and to any person who could have issued it.
 * @throws {TreeosError} INVALID_INPUT for an id that is not one of a token that the person may revoke;
 *   RESOURCE_CONFLICT when it was revoked before
 */
export async function revokeToken(
  at: Presence,
  { id, as }: { id: string; as: BeingName },
): Promise<TokenView> {
  await requirePerson(at, as)
  const token = await findTokenOf(at.db, as, id)
  if (token === null)
    throw new TreeosError(
      'INVALID_INPUT',
      `no access token that ${stanceOf(as)} may revoke has the id ${quote(id)}`,
      mendedBy({ name: 'list-tokens' }),
    )
  if (!(await markTokenRevoked(at.db, id, as)))
    throw new TreeosError('RESOURCE_CONFLICT', `access token ${id} was revoked before`)
  return tokenView((await findTokenOf(at.db, as, id)) ?? token)
}

export type VerifiedToken = TokenGrant & { readonly token: string }

/**
 * The grant of a secret.
 * @returns null when the text is not a secret, or its token is unknown, expired or revoked
 */
export async function verifyToken(at: Presence, secret: string): Promise<VerifiedToken | null> {
  const token = await tokenOf(at, secret)
  return token?.holds === true ? grantOf(token) : null
}

/** @throws {TreeosError} UNAUTHORIZED, which says of a token that has ended when it did */
export async function requireToken(at: Presence, secret: string): Promise<VerifiedToken> {
  const token = await tokenOf(at, secret)
  if (token?.holds === true) return grantOf(token)
  const why =
    token === null
      ? 'this access token is unknown'
      : token.revokedAt !== null
        ? `this access token was revoked at ${token.revokedAt.toISOString()}`
        : `this access token has expired at ${token.expiresAt.toISOString()}`
  throw new TreeosError(
    'UNAUTHORIZED',
    `${why}: its issuer makes another one`,
    mendedBy({ name: 'make-token' }),
  )
}

const tokenOf = async ({ db }: Presence, secret: string) =>
  SECRET.test(secret) ? findTokenBySecret(db, secret) : null

const grantOf = ({ id, being, issuedBy }: AccessToken): VerifiedToken => ({
  token: id,
  being,
  issuer: issuedBy,
})

/** How the holder of a grant may act. */
export interface Authorization {
  /** the person that acts */
  readonly person: BeingName
  /** true when that person must inhabit the being first, because the being is not a person */
  readonly inhabits: boolean
}

/**
 * Checks that a grant is for the person itself or for a descendant. For another person only the operator may
 * make one: what a person does by such a token is its own act, and nothing says who was behind it. A link
 * lets that person in by itself.
 * @throws {TreeosError} FORBIDDEN, BEING_NOT_FOUND
 */
export async function authorizeGrant(at: Presence, { being, issuer }: TokenGrant): Promise<Authorization> {
  const { row, maker } = await requireOwn(at, being, issuer)
  const inhabits = row.cognition.kind !== 'human'
  if (!inhabits && being !== issuer && maker.parent !== null)
    throw new TreeosError(
      'FORBIDDEN',
      `${stanceOf(being)} is a person: a link lets it sign in, and it makes its own access tokens`,
    )
  return { person: inhabits ? issuer : being, inhabits }
}

/**
 * A being that is the person itself or a descendant of it.
 * @throws {TreeosError} FORBIDDEN, BEING_NOT_FOUND
 */
export async function requireOwn(
  at: Presence,
  being: BeingName,
  person: BeingName,
): Promise<{ readonly row: BeingRow; readonly maker: BeingRow }> {
  const row = await requireBeing(at, being)
  requireNotEnded(row)
  if (being === person) return { row, maker: row }
  const maker = await requireBeing(at, person)
  requireNotEnded(maker)
  if (!(await isDescendant(readerOf(at), being, person)))
    throw new TreeosError('FORBIDDEN', `${stanceOf(being)} does not descend from ${stanceOf(person)}`)
  return { row, maker }
}

/**
 * The person for whom a token is: its being where that is a person, else who issued it. Requests by the token count
 * for that person, so those of another person use up nothing of the operator who made the token.
 */
export async function personFor(at: Presence, { being, issuer }: TokenGrant): Promise<BeingName> {
  if (being === issuer) return issuer
  const { cognition } = await requireBeing(at, being)
  return cognition.kind === 'human' ? being : issuer
}

/** Refuses a person that only drives the being `as`: a token would outlast the lease. */
async function requirePerson(at: Presence, as: BeingName): Promise<void> {
  const lease = await authorizeActingAs(at, as)
  if (lease !== null)
    throw new TreeosError(
      'FORBIDDEN',
      `you only drive ${stanceOf(as)}, and only persons manage access tokens; do it as ${stanceOf(lease.driver)}`,
    )
}

const tokenView = ({ id, being, issuedBy, issuedAt, expiresAt, revokedAt }: AccessToken): TokenView => ({
  id,
  being: stanceOf(being),
  issuedBy: stanceOf(issuedBy),
  issuedAt: issuedAt.toISOString(),
  expiresAt: expiresAt.toISOString(),
  revokedAt: revokedAt?.toISOString() ?? null,
})
