/**
 * The text of a file or a request: UTF-8, or UTF-16 with its mark, as editors and shells on Windows write it.
 * The mark is not part of it.
 * @throws {Error} for bytes of another encoding
 */
export function textOfBytes(bytes: Uint8Array): string {
  const [first, second] = bytes
  const encoding =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8'
  const text = decodedAs(encoding, bytes)
  if (text === null || text.includes('\0')) throw new Error(`it is not ${shownName(encoding)} text`)
  return text
}

function decodedAs(encoding: string, bytes: Uint8Array): string | null {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes) // without its byte order mark
  } catch {
    return null
  }
}

const shownName = (encoding: string): string => (encoding === 'utf-8' ? 'UTF-8' : 'UTF-16')
