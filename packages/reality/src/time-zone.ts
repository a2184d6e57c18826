import { quote, TreeosError } from '@treeos/core'
import type { StoreDb } from '@treeos/store'
import { type Kysely, sql } from 'kysely'

/** What Postgres says of a time zone that it does not know. */
const INVALID_PARAMETER = '22023'

/**
 * Flows read the hour by Node, and budgets count their days by Postgres, so both must know the zone. An offset such as +09:00 has
 * the opposite sign in Postgres.
 * @returns the name as it was set, in upper and lower case as Node writes it. Node has older names for some zones (Asia/Calcutta)
 * @throws {TreeosError} INVALID_INPUT
 */
export async function requireTimeZone(db: Kysely<StoreDb>, name: string): Promise<string> {
  const canonical = /^[+-]/.test(name) ? null : knownToNode(name)
  if (canonical === null)
    throw new TreeosError(
      'INVALID_INPUT',
      `the time zone is ${quote(name)}; it takes an IANA name, as in Europe/Berlin`,
    )
  const zone = canonical.toLowerCase() === name.toLowerCase() ? canonical : name
  try {
    await sql`select now() at time zone ${zone}`.execute(db)
  } catch (error) {
    if ((error as { readonly code?: unknown }).code !== INVALID_PARAMETER) throw error
    throw new TreeosError(
      'INVALID_INPUT',
      `Postgres does not know the time zone ${quote(zone)}: its own tables of zones are older than those of Node`,
    )
  }
  return zone
}

function knownToNode(name: string): string | null {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
  } catch {
    return null
  }
}
