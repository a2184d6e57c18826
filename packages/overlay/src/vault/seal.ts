import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const CIPHER = 'aes-256-gcm'
const IV_BYTES = 12
const TAG_BYTES = 16

/** What comes from the holder of another key, was changed, or answers another question. */
export class UnsealError extends Error {
  override readonly name = 'UnsealError'
  constructor() {
    super('the message is not of a holder of the key of this instance')
  }
}

/**
 * Seals what passes between a client and a vault. So a program that only has the port reads and changes
 * nothing, and an address that somebody put into the table of vaults learns nothing.
 * @param about what the message is for; the same is needed to open it
 */
export function seal(key: Uint8Array, about: string, value: unknown): Buffer {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv(CIPHER, derived(key), iv).setAAD(Buffer.from(about))
  const sealed = Buffer.concat([cipher.update(JSON.stringify(value), 'utf8'), cipher.final()])
  return Buffer.concat([iv, sealed, cipher.getAuthTag()])
}

/** @throws {UnsealError} */
export function unseal(key: Uint8Array, about: string, message: Buffer): unknown {
  if (message.length < IV_BYTES + TAG_BYTES) throw new UnsealError()
  const decipher = createDecipheriv(CIPHER, derived(key), message.subarray(0, IV_BYTES), {
    authTagLength: TAG_BYTES,
  })
    .setAAD(Buffer.from(about))
    .setAuthTag(message.subarray(-TAG_BYTES))
  try {
    const text = Buffer.concat([decipher.update(message.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()])
    return JSON.parse(text.toString('utf8'))
  } catch {
    throw new UnsealError() // the error of a parser would quote the text
  }
}

/** The key of an instance also makes salts, so each use has a key of its own. */
const derived = (key: Uint8Array): Buffer =>
  Buffer.from(hkdfSync('sha256', key, Buffer.alloc(0), 'treeos.vault.v1', 32))
