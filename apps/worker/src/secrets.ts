import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isKey, quote, TreeosError, textOfBytes } from '@treeos/core'

const VARIABLE = 'TREEOS_SECRET_'

/** The folder of the secrets of an instance, a file each with the name of the secret. */
export const secretsFolder = (dataDir: string): string => join(dataDir, 'secrets')

/**
 * Finds secrets by name: of `github` the variable `TREEOS_SECRET_GITHUB`, else the file `secrets/github` of
 * the instance, which is read anew each time. A line break at its end does not count.
 */
export function secretsOf(env: NodeJS.ProcessEnv): (name: string) => string | null {
  const { TREEOS_DATA: dataDir } = env
  const given = Object.fromEntries(Object.entries(env).filter(([name]) => name.startsWith(VARIABLE)))
  return (name) => {
    if (!isKey(name))
      throw new TreeosError('INVALID_INPUT', `the name of a secret is kebab-case, not ${quote(name)}`)
    const value = given[`${VARIABLE}${name.toUpperCase().replaceAll('-', '_')}`]
    if (value) return value
    return dataDir ? readSecret(join(secretsFolder(dataDir), name)) : null
  }
}

function readSecret(path: string): string | null {
  try {
    return textOfBytes(readFileSync(path)).replace(/\r?\n$/, '')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
