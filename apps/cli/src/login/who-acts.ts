import { TreeosError } from '@treeos/core'
import { unavailable } from '../text/failure.ts'
import type { Login } from './stored-login.ts'

/**
 * The stance as which a command acts.
 * @param named what `--as` names; null where it is left out
 * @throws {TreeosError} FORBIDDEN for another being: an access token is of one
 */
export function whoActs({ url, being }: Login, named: string | null): string {
  if (named === null || named === '~' || named === being || `@${named}` === being) return being
  throw new TreeosError(
    'FORBIDDEN',
    `you are logged in to ${url} as ${being}, and act as nobody else. To act as ${named}: \`treeos login ${url}\` as that ` +
      `person, or, for a being of yours, ${tokenFor(named, url)}`,
  )
}

const tokenFor = (whom: string, url: string): string =>
  `an access token for ${whom} from the page (Settings, Access tokens), and \`treeos login ${url} --token -\` with it`

/** A command that needs the database, of somebody who is logged in. */
export const needsDatabase = (command: string, { url, being }: Login): TreeosError =>
  unavailable(
    `\`treeos ${command}\` needs the database of an instance, and you are logged in to ${url} as ${being}, without one. ` +
      'Where the instance runs, `--data DIR` names it; `treeos logout` ends the login' +
      (command === 'inhabit' ? `. To drive a being of yours from here: ${tokenFor('it', url)}` : ''),
  )
