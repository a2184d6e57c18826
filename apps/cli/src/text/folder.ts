/** The folder in which a command works, and the settings of its `.env`. */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { textOfBytes } from '@treeos/core/text-bytes'

/** Where the user stands, once a command has gone elsewhere. */
let stoodIn: string | null = null

/**
 * Goes to the folder whose instance is meant, as git does: the nearest one above that holds an instance. Its
 * `.env` and the paths in it then count. Stays where an instance lies, where none lies above, and where
 * another one is named.
 * @param args of the command line
 */
export function goToInstance(args: readonly string[], env: NodeJS.ProcessEnv = process.env): void {
  const isNamed =
    Boolean(env.TREEOS_DATA) || args.some((arg) => arg === '--data' || arg.startsWith('--data='))
  const from = process.cwd()
  const found = isNamed || holdsInstance(from) ? null : folderAbove(from)
  if (found === null) return
  stoodIn = userFolder(env)
  process.chdir(found)
}

const holdsInstance = (folder: string): boolean => existsSync(join(folder, '.treeos', 'instance.json'))

function folderAbove(from: string): string | null {
  for (let folder = dirname(from); ; folder = dirname(folder)) {
    if (holdsInstance(folder) && isOurs(folder) && isOurs(join(folder, '.treeos'))) return folder
    if (folder === dirname(folder)) return null
  }
}

/**
 * In a folder of somebody else, such as /tmp, the settings may be somebody else's too, and they name code to
 * load.
 */
function isOurs(path: string): boolean {
  return process.getuid === undefined || statSync(path).uid === process.getuid()
}

/**
 * The user's current folder. pnpm runs scripts in the folder of the package, and says where it was called.
 */
export function userFolder(env: NodeJS.ProcessEnv = process.env, cwd = process.cwd()): string {
  if (stoodIn !== null) return stoodIn
  // Everything that a script starts inherits both variables, so they count only in the folder where pnpm runs
  // scripts.
  const isPut = env.npm_package_json !== undefined && dirname(env.npm_package_json) === cwd
  return isPut && env.INIT_CWD ? env.INIT_CWD : cwd
}

/** A path as the user wrote it. */
export const userPath = (path: string): string => resolve(userFolder(), path)

/**
 * Adds the variables of a `.env` file. Variables that are set already win; an empty value counts as unset.
 * @returns why the file was not read; null when it was, or when there is none. Without its settings, prompts
 *   and keys could go to
 * another model server than it names.
 */
export function loadEnvironment(env: NodeJS.ProcessEnv, file: string): string | null {
  let text: string
  try {
    text = textOfBytes(readFileSync(file))
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'EISDIR') return null // most folders have none
    return `the settings in ${file} cannot be read: ${message}`
  }
  for (const [name, value] of Object.entries(parseEnv(text))) {
    if (value !== '' && env[name] === undefined) env[name] = value
  }
  return null
}
