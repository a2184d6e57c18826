import { type ApprovalView, approvals, type Connection } from '@treeos/client'
import { type BeingName, type Digest, type Json, TreeosError } from '@treeos/core'
import { digestOf } from '@treeos/store'
import { type Kysely, sql } from 'kysely'
import type { PortalDb } from '../store/schema.ts'
import { hashOf, isSecret, newSecret } from './secrets.ts'

/** What a link answers: one call, as it was shown to one person. */
export interface AnswerLink {
  readonly being: BeingName
  /** id of the call as it was shown: it has another one once somebody changed it */
  readonly approval: string
  /** see {@link commitmentTo} */
  readonly call: Digest
  readonly token: string
}

/**
 * A commitment to the call as the person was shown it. The secret of the link is in it, and is stored
 * nowhere: the call may show a text that is stored sealed, which a bare digest would let be guessed.
 */
const commitmentTo = (call: Json, token: string): Digest => digestOf([token, call])

/**
 * Makes a link by which a person answers one call that waits for its yes, once and without signing in.
 * Whoever has the link can answer, unless the person signs its acts by a passkey. It is over when the call is
 * answered, changed or too old. Who may make one is the caller's to decide.
 * @returns the secret of the link; only its hash is stored
 */
export async function makeAnswerLink(
  db: Kysely<PortalDb>,
  being: BeingName,
  { id, call, expiresAt }: ApprovalView,
): Promise<string> {
  const token = newSecret()
  await db
    .insertInto('answer_link')
    .values({
      token_hash: hashOf(token),
      being,
      approval: id,
      call: commitmentTo(call, token),
      expires_at: new Date(expiresAt),
    })
    .execute()
  return token
}

/**
 * The call that a link answers, as it waits now.
 * @param at as the person of the link
 * @throws {TreeosError} UNAUTHORIZED for a link that is unknown, used or over, and where the call is another
 *   one by now
 */
export async function requireAsked(
  at: Connection,
  { being, approval, call, token }: AnswerLink,
): Promise<ApprovalView> {
  const found = (await approvals(at, being)).find(({ id }) => id === approval)
  if (found === undefined || commitmentTo(found.call, token) !== call) throw over()
  return found
}

/** @throws {TreeosError} UNAUTHORIZED for a link that is unknown, used or over */
export async function requireAnswerLink(db: Kysely<PortalDb>, token: string): Promise<AnswerLink> {
  const row = isSecret(token)
    ? await db
        .selectFrom('answer_link')
        .select(['being', 'approval', 'call'])
        .where('token_hash', '=', hashOf(token))
        .where(sql<boolean>`used_at is null and expires_at > clock_timestamp()`)
        .executeTakeFirst()
    : undefined
  if (row === undefined) throw over()
  return { ...row, token }
}

/** The link was used: it answers nothing more. */
export async function spendAnswerLink(db: Kysely<PortalDb>, token: string): Promise<void> {
  await db
    .updateTable('answer_link')
    .set({ used_at: sql<Date>`clock_timestamp()` })
    .where('token_hash', '=', hashOf(token))
    .execute()
}

const over = () =>
  new TreeosError(
    'UNAUTHORIZED',
    'this link answers nothing any more: the call was answered, changed or is too old',
  )
