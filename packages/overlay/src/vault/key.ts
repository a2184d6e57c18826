import { randomBytes, randomUUID } from 'node:crypto'
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'

const KEY_BYTES = 32

/**
 * The key that the vaults and the clients of one instance share.
 * @param file is made with a new key when it is missing; only its owner can read it
 * @throws {Error} when the file holds no key
 */
export function vaultKeyIn(file: string): Buffer {
  const known = readVaultKey(file)
  if (known !== null) return known
  const draft = `${file}.${randomUUID()}`
  try {
    writeFileSync(draft, `${randomBytes(KEY_BYTES).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' })
    linkSync(draft, file) // fails when another process was first: then that one's key counts
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft, { force: true })
  }
  const made = readVaultKey(file)
  if (made === null) throw new Error(`${file} was made, but cannot be read`)
  return made
}

/** @returns null when there is no such file @throws {Error} when it holds no key */
export function readVaultKey(file: string): Buffer | null {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
  const key = Buffer.from(text.trim(), 'base64url')
  if (key.length !== KEY_BYTES) throw new Error(`${file} holds no key of ${KEY_BYTES} bytes in base64url`)
  return key
}
