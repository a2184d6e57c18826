import { randomInt } from 'node:crypto'
import { type Connection, issueTokenFor, isTokenSecret, revokeToken, type TokenView } from '@treeos/client'
import { type BeingName, TreeosError } from '@treeos/core'
import { type Kysely, sql } from 'kysely'
import type { PortalDb } from '../store/schema.ts'
import { hashOf } from './secrets.ts'

/** How long somebody at a terminal has to type its code into the page. */
const MINUTES = 10
/** Without vowels, which make words, and without letters that look alike (RFC 8628, section 6.1). */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ'
const CODE_LENGTH = 8
/** Terminals that wait at once, over all of them: a stranger may ask. */
const WAITING_MAX = 1_000
const WAITING_MAX_PER_ADDRESS = 20

/** What a terminal says of itself, and where it asked from. */
interface NamedTerminal {
  readonly name: string
  readonly address: string
}

/** A terminal that waits, as the page shows it. */
export interface WaitingTerminal extends NamedTerminal {
  /** ISO 8601, UTC */
  readonly askedAt: string
}

const isWaiting = sql<boolean>`being is null and expires_at > clock_timestamp()`
const isOver = sql<boolean>`expires_at < clock_timestamp()`

/** As a person may type it: `bcdf ghjk`. */
const plainCode = (typed: string): string => typed.toUpperCase().replace(/[^A-Z]/g, '')
const shownCode = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`

/**
 * A terminal asks to act as a person.
 * @param secret which it has made, and which becomes the secret of its access token; only its hash is stored
 * @returns the code that its person types into the page
 * @throws {TreeosError} INVALID_INPUT, RATE_LIMITED, RESOURCE_CONFLICT
 */
export async function askForTerminal(
  db: Kysely<PortalDb>,
  { secret, name, address }: { readonly secret: string; readonly name: string; readonly address: string },
): Promise<{ readonly code: string; readonly seconds: number }> {
  if (!isTokenSecret(secret))
    throw new TreeosError(
      'INVALID_INPUT',
      'the Bearer of this request is to be treeos_ and 43 random characters of base64url',
    )
  await db.deleteFrom('terminal').where(isOver).execute()
  const { waiting, here } = await db
    .selectFrom('terminal')
    .select([
      sql<number>`count(*)::integer`.as('waiting'),
      sql<number>`count(*) filter (where address = ${address})::integer`.as('here'),
    ])
    .where('being', 'is', null)
    .executeTakeFirstOrThrow()
  if (waiting >= WAITING_MAX)
    throw new TreeosError('RATE_LIMITED', `${WAITING_MAX} terminals wait: ask again in some minutes`)
  if (here >= WAITING_MAX_PER_ADDRESS)
    throw new TreeosError('RATE_LIMITED', `${here} terminals wait at your address: ask again in some minutes`)
  const code = Array.from({ length: CODE_LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('')
  const made = await db
    .insertInto('terminal')
    .values({
      ...{ secret_hash: hashOf(secret), code, name, address },
      being: null,
      token: null,
      expires_at: sql<Date>`clock_timestamp() + make_interval(mins => ${MINUTES})`,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('code')
    .executeTakeFirst()
  if (made === undefined) throw new TreeosError('RESOURCE_CONFLICT', 'ask again with another secret')
  return { code: shownCode(code), seconds: MINUTES * 60 }
}

/**
 * Whether a terminal was let. Then its secret is that of an access token.
 * @throws {TreeosError} UNAUTHORIZED for one that is unknown or over
 */
export async function isTerminalAllowed(db: Kysely<PortalDb>, secret: string): Promise<boolean> {
  const row = await db
    .selectFrom('terminal')
    .select('token')
    .where('secret_hash', '=', hashOf(secret))
    .where(sql<boolean>`expires_at > clock_timestamp()`)
    .executeTakeFirst()
  if (row === undefined)
    throw new TreeosError('UNAUTHORIZED', `nobody typed the code within ${MINUTES} minutes: ask again`)
  return row.token !== null
}

/** Whether an access token is of a terminal that its person let: there the person itself decides and types. */
export async function isTerminal(db: Kysely<PortalDb>, secret: string): Promise<boolean> {
  const row = await db
    .selectFrom('terminal')
    .select('being')
    .where('secret_hash', '=', hashOf(secret))
    .executeTakeFirst()
  return row !== undefined && row.being !== null
}

/** The terminals that access tokens are of, by the ids of these. */
export async function terminalsOf(
  db: Kysely<PortalDb>,
  tokens: readonly string[],
): Promise<ReadonlyMap<string, NamedTerminal>> {
  if (tokens.length === 0) return new Map()
  const rows = await db
    .selectFrom('terminal')
    .select(['token', 'name', 'address'])
    .where('token', 'in', tokens)
    .execute()
  return new Map(rows.map(({ token, name, address }) => [token ?? '', { name, address }]))
}

/** The terminal with a code. @throws {TreeosError} INVALID_INPUT for a code that no terminal shows now */
export async function requireTerminal(db: Kysely<PortalDb>, code: string): Promise<WaitingTerminal> {
  const row = await db
    .selectFrom('terminal')
    .select(['name', 'address', 'created_at'])
    .where('code', '=', plainCode(code))
    .where(isWaiting)
    .executeTakeFirst()
  if (row === undefined) throw noTerminal()
  return { name: row.name, address: row.address, askedAt: row.created_at.toISOString() }
}

/**
 * Lets a terminal act as a person. Its secret is known here by its hash alone.
 * @throws {TreeosError} as {@link requireTerminal}; what forbids the person an access token
 */
export async function allowTerminal(
  at: Connection,
  db: Kysely<PortalDb>,
  { code, as }: { readonly code: string; readonly as: BeingName },
): Promise<TokenView> {
  // No transaction: a token is issued by another connection of the same pool.
  const row = await db
    .updateTable('terminal')
    .set({ being: as })
    .where('code', '=', plainCode(code))
    .where(isWaiting)
    .returning('secret_hash')
    .executeTakeFirst()
  if (row === undefined) throw noTerminal()
  const terminal = db.updateTable('terminal').where('secret_hash', '=', row.secret_hash)
  const token = await issueTokenFor(at, { being: as, as }, row.secret_hash).catch(async (error: unknown) => {
    await terminal.set({ being: null }).execute()
    throw error
  })
  await terminal.set({ token: token.id, expires_at: new Date(token.expiresAt) }).execute()
  return token
}

/** Revokes the access tokens of all terminals that a person let. @returns how many */
export async function endTerminals(at: Connection, db: Kysely<PortalDb>, as: BeingName): Promise<number> {
  const rows = await db
    .selectFrom('terminal')
    .select('token')
    .where('being', '=', as)
    .where(sql<boolean>`expires_at > clock_timestamp()`)
    .execute()
  let ended = 0
  for (const { token } of rows) if (token !== null && (await endToken(at, as, token))) ended++
  return ended
}

/** @returns false for one that was revoked before */
async function endToken(at: Connection, as: BeingName, id: string): Promise<boolean> {
  try {
    await revokeToken(at, { id, as })
    return true
  } catch (error) {
    if (error instanceof TreeosError && error.code === 'RESOURCE_CONFLICT') return false
    throw error
  }
}

/** Not UNAUTHORIZED: who typed the code is signed in. */
const noTerminal = () =>
  new TreeosError(
    'INVALID_INPUT',
    `no terminal shows this code now: a code is good for ${MINUTES} minutes, once`,
  )
