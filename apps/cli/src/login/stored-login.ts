import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { TreeosError } from '@treeos/core'

/** As whom the commands of a terminal act, and at which portal. */
export interface Login {
  /** origin of the portal */
  readonly url: string
  /** secret of an access token */
  readonly token: string
  /** a stance */
  readonly being: string
  readonly reality: string
  /** the stance of a being that is driven, as which one command acts; never stored */
  readonly as?: string
}

/** Where the login of this user is kept. */
export const loginFile = (env: NodeJS.ProcessEnv = process.env): string =>
  join(env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'treeos', 'login.json')

/** @throws {TreeosError} INVALID_INPUT for a file that others may read, or that holds no login */
export function readLogin(file = loginFile()): Login | null {
  const login = readAnyLogin(file)
  if (login !== null && process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0)
    throw new TreeosError(
      'INVALID_INPUT',
      `${file} holds a secret, and others on this machine may read it: \`chmod 600 ${file}\` keeps it to you`,
    )
  return login
}

/**
 * The same whoever else may read it, to end it.
 * @throws {TreeosError} INVALID_INPUT for a file that holds no login
 */
export function readAnyLogin(file = loginFile()): Login | null {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    throw new TreeosError('INVALID_INPUT', `the login in ${file} cannot be read: ${message}`)
  }
  const login = loginIn(text)
  if (login !== null) return login
  throw new TreeosError('INVALID_INPUT', `${file} holds no login: \`treeos logout\` removes it`)
}

function loginIn(text: string): Login | null {
  try {
    const { url, token, being, reality } = JSON.parse(text) as Partial<Login>
    const isWhole = [url, token, being, reality].every((part) => typeof part === 'string' && part !== '')
    return isWhole ? ({ url, token, being, reality } as Login) : null
  } catch {
    return null
  }
}

/** Keeps a login where only this user may read it, in place of the one before. */
export function storeLogin(login: Login, file = loginFile()): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const whole = `${file}.${process.pid}`
  writeFileSync(whole, `${JSON.stringify(login, null, 2)}\n`, { mode: 0o600 })
  chmodSync(whole, 0o600) // one that a killed command left may have had another mode
  renameSync(whole, file)
}

/** @returns false where there was none */
export function removeLogin(file = loginFile()): boolean {
  try {
    rmSync(file)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}
