import { canonicalJson, type Json } from '@treeos/core'

/**
 * Stored bytes as a part of a line. Bytes that are not JSON come as text: only somebody who changed the
 * database leaves them. So the bundle is written nevertheless, and its check finds it.
 */
export function jsonOf(bytes: Uint8Array): Json {
  const text = Buffer.from(bytes).toString('utf8').toWellFormed()
  try {
    const value = JSON.parse(text) as Json
    return canonicalJson(value) === text ? value : text
  } catch {
    return text
  }
}

export const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
