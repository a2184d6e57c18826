import { type BeingName, isBeingName, TreeosError } from '@treeos/core'
import type { Kysely } from 'kysely'
import type { PortalDb } from '../store/schema.ts'
import { isKnownDevice } from './devices.ts'
import { isPassword } from './password.ts'
import { hashOf } from './secrets.ts'
import { countFailure, forgetOwnFailures, requireNoPause } from './throttle.ts'

/** From where somebody signs in. */
export interface SignInSource {
  readonly address: string
  /** the secret of a browser in which somebody signed in before */
  readonly device: string | undefined
}

/**
 * Finds a person by name and password.
 * @param name with or without `@`
 * @throws {TreeosError} UNAUTHORIZED, the same for an unknown name and a wrong password; RATE_LIMITED after
 *   several failures
 */
export async function checkPassword(
  db: Kysely<PortalDb>,
  { name, password }: { readonly name: string; readonly password: string },
  { address, device }: SignInSource,
): Promise<BeingName> {
  const being = name.trim().replace(/^@/, '')
  const isKnown = device !== undefined && (await isKnownDevice(db, device, being))
  // Only names of beings get a row, so nobody fills the table with long ones.
  const attempt = {
    name: isBeingName(being) ? being : '?',
    address,
    device: isKnown ? hashOf(device).toString('hex') : null,
  } as const
  await requireNoPause(db, attempt)
  await countFailure(db, attempt) // before the password is checked: many attempts at once count one by one
  const account = await db
    .selectFrom('account')
    .select('password')
    .where('being', '=', being)
    .executeTakeFirst()
  const asker = isKnown ? { person: being } : { address, name: attempt.name }
  if (!(await isPassword(asker, password, account?.password ?? null)))
    throw new TreeosError('UNAUTHORIZED', 'the name or the password is wrong')
  await forgetOwnFailures(db, attempt)
  return being
}
