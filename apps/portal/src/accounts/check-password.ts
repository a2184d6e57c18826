import { type BeingName, isBeingName, TreeosError } from '@treeos/core'
import type { Kysely } from 'kysely'
import type { PortalDb } from '../store/schema.ts'
import { isPassword } from './password.ts'
import { countFailure, forgetFailures, requireNoPause } from './throttle.ts'

/**
 * Finds a person by name and password.
 * @param name with or without `@`
 * @throws {TreeosError} UNAUTHORIZED, the same for an unknown name and a wrong password; RATE_LIMITED after several failures
 */
export async function checkPassword(
  db: Kysely<PortalDb>,
  { name, password }: { readonly name: string; readonly password: string },
): Promise<BeingName> {
  const being = name.trim().replace(/^@/, '')
  // Only names of beings get a row, so nobody fills the table with long ones.
  const key = isBeingName(being) ? being : '?'
  await requireNoPause(db, key)
  await countFailure(db, key) // before the password is checked: many attempts at once count one by one
  const account = await db
    .selectFrom('account')
    .select('password')
    .where('being', '=', being)
    .executeTakeFirst()
  if (!(await isPassword(password, account?.password ?? null)))
    throw new TreeosError('UNAUTHORIZED', 'the name or the password is wrong')
  await forgetFailures(db, key)
  return being
}
