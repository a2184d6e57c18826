import type { TreeosError } from '@treeos/core'
import { unavailable } from '../text/failure.ts'
import type { Login } from './stored-login.ts'

/**
 * The login by which a command acts.
 * @param named what `--as` names; null where it is left out
 * @returns the same for who is logged in; for another being, one that drives it
 */
export function loginAs(login: Login, named: string | null): Login {
  const { being } = login
  const isSelf = named === null || named === '~' || named === being || `@${named}` === being
  return isSelf ? login : { ...login, as: named.startsWith('@') ? named : `@${named}` }
}

/** How else to act as a being that one does not drive. */
export const elsewhereAs = (whom: string, url: string): string =>
  `To act as ${whom}: \`treeos inhabit ${whom}\` where it is a being of yours, or \`treeos login ${url}\` as that person`

/**
 * The refusal of a command that needs the database, for somebody who is logged in.
 * @param instead what to do in its place, as a sentence; null for nothing
 */
export function needsDatabase(command: string, { url, being }: Login, instead: string | null): TreeosError {
  return unavailable(
    `\`treeos ${command}\` needs the database of an instance, and you are logged in to ${url} as ${being}, without one. ` +
      `${instead === null ? '' : `${instead}. `}Where the instance runs, \`--data DIR\` names it; \`treeos logout\` ends the login`,
  )
}
