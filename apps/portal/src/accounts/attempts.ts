import { createHmac } from 'node:crypto'
import { TreeosError } from '@treeos/core'
import { type Kysely, sql } from 'kysely'
import type { PortalDb } from '../store/schema.ts'
import { hashOf, isSecret, newSecret } from './secrets.ts'

const MINUTES = 10
/** A sign-in belongs to nobody yet. */
export const NOBODY = ''
export const ofSession = (id: string): string => `session ${id}`
export const ofLink = (token: string): string => `link ${hashOf(token).toString('hex')}`

export type AttemptKind = 'passkey-sign-in' | 'passkey-add' | 'oidc-sign-in' | 'oidc-add'

interface BegunAttempt {
  readonly kind: AttemptKind
  /** the session or the link that it belongs to */
  readonly bound: string
  readonly userHandle?: Buffer | undefined
  readonly name?: string | undefined
}

/**
 * Begins to ask a passkey or a provider. The page keeps the secret of it: what is asked is derived from it,
 * so the table holds nothing that could answer.
 * @returns the secret; it is good once, for 10 minutes
 */
export async function beginAttempt(
  db: Kysely<PortalDb>,
  { kind, bound, userHandle, name }: BegunAttempt,
): Promise<string> {
  await db.deleteFrom('attempt').where('expires_at', '<', sql<Date>`clock_timestamp()`).execute()
  const secret = newSecret()
  await db
    .insertInto('attempt')
    .values({
      secret_hash: hashOf(secret),
      kind,
      bound,
      user_handle: userHandle ?? null,
      name: name ?? null,
      expires_at: sql<Date>`clock_timestamp() + make_interval(mins => ${MINUTES})`,
    })
    .execute()
  return secret
}

/**
 * Takes an attempt, which is used up from now on, whatever comes of it.
 * @throws {TreeosError} UNAUTHORIZED, the same for one that never was, was taken, is over, or belongs to
 *   something else
 */
export async function takeAttempt(
  db: Kysely<PortalDb>,
  secret: string,
  { kind, bound }: Pick<BegunAttempt, 'kind' | 'bound'>,
): Promise<{ readonly userHandle: Buffer | null; readonly name: string | null }> {
  const taken = isSecret(secret)
    ? await db
        .deleteFrom('attempt')
        .where('secret_hash', '=', hashOf(secret))
        .where('kind', '=', kind)
        .where('bound', '=', bound)
        .where('expires_at', '>', sql<Date>`clock_timestamp()`)
        .returning(['user_handle as userHandle', 'name'])
        .executeTakeFirst()
    : undefined
  if (taken !== undefined) return taken
  throw new TreeosError('UNAUTHORIZED', 'this took longer than 10 minutes, or was done before: begin again')
}

/** A value for one use within an attempt, such as a challenge: 256 bits as base64url. */
export const derive = (secret: string, use: 'challenge' | 'state' | 'nonce' | 'verifier'): string =>
  createHmac('sha256', secret).update(use).digest('base64url')
