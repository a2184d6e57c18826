import { type Json, messageOfThrown, requireContent, TreeosError, textOfBytes } from '@treeos/core'

/**
 * What a signed message says: JSON where its sender says so, else text.
 * @throws {TreeosError} INVALID_INPUT naming the encoding of a body that is not in UTF-8
 */
export function contentOfBody(body: Uint8Array, type = ''): Json {
  const text = textIn(body, type)
  if (!/^application\/(json|[\w.+-]+\+json)\b/i.test(type)) return requireContent(text, 'body')
  try {
    return requireContent(JSON.parse(text), 'body')
  } catch (error) {
    if (error instanceof TreeosError) throw error
    throw new TreeosError('INVALID_INPUT', 'body: is not JSON')
  }
}

/** UTF-16 with its mark needs no charset. */
const CHARSETS = ['utf-8', 'utf8', 'us-ascii', 'utf-16', 'utf-16le', 'utf-16be']

function textIn(body: Uint8Array, type: string): string {
  const charset = /;\s*charset\s*=\s*"?([^\s";]{1,40})/i.exec(type)?.[1]?.toLowerCase()
  if (charset !== undefined && !CHARSETS.includes(charset))
    throw new TreeosError('INVALID_INPUT', `body: is in ${JSON.stringify(charset)}; it takes UTF-8`)
  try {
    return textOfBytes(body)
  } catch (error) {
    throw new TreeosError('INVALID_INPUT', `body: ${messageOfThrown(error)}`)
  }
}
