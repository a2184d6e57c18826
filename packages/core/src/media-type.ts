import { TreeosError } from './error.ts'
import { FILE_FORMS } from './file.ts'

/** What the first bytes of a file tell, where they do. */
const SIGNATURES: readonly (readonly [mediaType: string, begins: RegExp])[] = [
  ['image/png', /^\x89PNG\r\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF[\s\S]{4}WEBP/],
  ['application/pdf', /^%PDF-/],
]
const SIGNED: ReadonlySet<string> = new Set(SIGNATURES.map(([mediaType]) => mediaType))

/** By the end of a name, where neither bytes nor sender tell. */
const ENDINGS: Readonly<Record<string, string>> = {
  txt: 'text/plain',
  log: 'text/plain',
  md: 'text/markdown',
  csv: 'text/csv',
  html: 'text/html',
  svg: 'image/svg+xml',
  json: 'application/json',
  xml: 'application/xml',
  yaml: 'application/yaml',
  yml: 'application/yaml',
}
const UNKNOWN = 'application/octet-stream'

/**
 * The media type of a file: what its bytes tell; else what its sender says; else what its name does. Pictures
 * and PDFs are known by their bytes, so that nothing else passes for one.
 * @param said by its sender, maybe with parameters; null or empty where it says nothing
 * @throws {TreeosError} INVALID_INPUT for a malformed one, and for a picture or PDF that the bytes are not
 */
export function mediaTypeOf(bytes: Uint8Array, name: string, said: string | null): string {
  const start = String.fromCharCode(...bytes.subarray(0, 16))
  const told = SIGNATURES.find(([, begins]) => begins.test(start))?.[0]
  if (told !== undefined) return told
  const [plain = ''] = (said ?? '').toLowerCase().split(';')
  const claimed = plain.trim()
  if (claimed === '' || claimed === UNKNOWN)
    return ENDINGS[/\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? ''] ?? UNKNOWN
  if (!FILE_FORMS.mediaType(claimed))
    throw new TreeosError('INVALID_INPUT', `the media type of ${JSON.stringify(name)} is malformed`)
  if (SIGNED.has(claimed))
    throw new TreeosError(
      'INVALID_INPUT',
      `${JSON.stringify(name)} is said to be ${claimed}, and its bytes are not`,
    )
  return claimed
}
