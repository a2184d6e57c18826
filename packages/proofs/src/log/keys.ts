import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { type NoteSigner, newSignerKey, readSigner } from '../tree/note.ts'

/**
 * The keys of a signer: a file with one `PRIVATE+KEY+…` a line, each of which signs. Makes the file with one
 * key where there is none.
 * @param origin the name that each key must have
 * @throws {Error} for a file that others may read, or that holds another name or no key
 */
export function loadSigners(file: string, origin: string): NoteSigner[] {
  if (!existsSync(file)) {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(file, `${newSignerKey(origin)}\n`, { mode: 0o600, flag: 'wx' })
  }
  if ((statSync(file).mode & 0o077) !== 0)
    throw new Error(`${file} holds keys that sign checkpoints, and others may read it: chmod 600 ${file}`)
  const signers = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => readSigner(line.trim()))
  const stranger = signers.find(({ name }) => name !== origin)
  if (signers.length === 0) throw new Error(`${file} holds no key: delete it, and a new one is made`)
  if (stranger !== undefined)
    throw new Error(`${file} holds a key of ${stranger.name}, but this is the log ${origin}`)
  return signers
}
