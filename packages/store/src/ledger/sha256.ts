import { hash } from 'node:crypto'

/**
 * The hash as a text of 32 characters, one a byte. For a buffer Node takes twice as long as for hash and text
 * of 450 bytes.
 */
export const sha256Text = (data: Uint8Array | string): string => hash('sha256', data, 'binary')

export const sha256 = (data: Uint8Array | string): Buffer => Buffer.from(sha256Text(data), 'latin1')

/** Whether these bytes are the hash that a text of `sha256Text` is. */
export function isHash(bytes: Uint8Array, text: string): boolean {
  if (bytes.length !== text.length) return false
  for (let i = 0; i < bytes.length; i++) if (bytes[i] !== text.charCodeAt(i)) return false
  return true
}
