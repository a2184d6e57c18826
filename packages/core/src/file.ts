import { TreeosError } from './error.ts'
import { isJsonObject, type Json, type JsonObject } from './json.ts'
import { parseAddress } from './names.ts'

/**
 * A file as the thing says it that holds it. Its bytes stand in a table of their own under the id of the
 * thing, so no fact and no workflow history has them.
 */
export interface FileNote {
  /** sha256 of its bytes, in hex */
  readonly digest: string
  /** as in `image/png`, without parameters */
  readonly mediaType: string
  readonly bytes: number
  readonly name: string
}

/** A file that an effect brought. Its bytes are kept already, for the thing of this id. */
export interface BroughtFile extends FileNote {
  readonly id: string
}

/** What a file may be at most, whatever a door is set to. */
export const FILE_BYTES_MAX = 32 * 1024 * 1024
/** Of one file at a door, unless the operator sets another. */
const FILE_BYTES_DEFAULT = 5 * 1024 * 1024

/** Of all files that a being gave and that are kept, whatever the operator sets. */
const ALL_FILES_BYTES_MAX = 64 * 1024 ** 3
const ALL_FILES_BYTES_DEFAULT = 1024 ** 3

/** How much doors keep of files, in bytes. */
export interface FileBounds {
  /** of one file */
  readonly fileBytesMax: number
  /** of all files that one being gave and that are kept */
  readonly allFilesBytesMax: number
}

/**
 * What TREEOS_FILE_BYTES_MAX and TREEOS_ALL_FILES_BYTES_MAX say.
 * @throws {TreeosError} INVALID_INPUT
 */
export const fileBoundsIn = (env: Readonly<Record<string, string | undefined>>): FileBounds => ({
  fileBytesMax: bytesIn(env, 'TREEOS_FILE_BYTES_MAX', FILE_BYTES_DEFAULT, FILE_BYTES_MAX),
  allFilesBytesMax: bytesIn(env, 'TREEOS_ALL_FILES_BYTES_MAX', ALL_FILES_BYTES_DEFAULT, ALL_FILES_BYTES_MAX),
})

function bytesIn(
  env: Readonly<Record<string, string | undefined>>,
  name: string,
  byDefault: number,
  max: number,
): number {
  const text = env[name]
  if (text === undefined || text === '') return byDefault
  const bytes = Number(text)
  if (/^[1-9]\d*$/.test(text) && bytes <= max) return bytes
  throw new TreeosError(
    'INVALID_INPUT',
    `${name} is ${JSON.stringify(text)}; it takes a whole number from 1 to ${max}`,
  )
}

/** Files that words may bring. */
export const FILES_MAX = 8

const FILE_ID = /^file-[0-9a-f]{32}$/
const DIGEST = /^[0-9a-f]{64}$/
const MEDIA_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,62}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,62}$/
const NAME = /^[^\p{Cc}/\\]{1,255}$/u

/** The parts of a file note, each by whether a value may be one. */
export const FILE_FORMS = {
  id: (value: Json): boolean => typeof value === 'string' && FILE_ID.test(value),
  digest: (value: Json): boolean => typeof value === 'string' && DIGEST.test(value),
  mediaType: (value: Json): boolean => typeof value === 'string' && MEDIA_TYPE.test(value),
  bytes: (value: Json): boolean =>
    Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= FILE_BYTES_MAX,
  name: (value: Json): boolean => typeof value === 'string' && value.isWellFormed() && NAME.test(value),
} as const

/** A name as a file may have it, of what somebody says: the last part of a path, without what no name may hold. */
export function fileNameIn(said: string): string {
  const [last = ''] = said.toWellFormed().split(/[/\\]/).slice(-1)
  const name = [...last.replace(/\p{Cc}/gu, '')].slice(0, 255).join('').trim()
  return FILE_FORMS.name(name) ? name : 'file'
}

/** The file that a thing with this content holds; null where it holds none. */
export function fileIn(content: Json | undefined): FileNote | null {
  const file = isJsonObject(content ?? null) ? (content as JsonObject).file : undefined
  if (!isJsonObject(file ?? null)) return null
  const { digest = null, mediaType = null, bytes = null, name = null } = file as JsonObject
  const isNote =
    FILE_FORMS.digest(digest) &&
    FILE_FORMS.mediaType(mediaType) &&
    FILE_FORMS.bytes(bytes) &&
    FILE_FORMS.name(name)
  return isNote ? ({ digest, mediaType, bytes, name } as unknown as FileNote) : null
}

/** The ids of the things that words name as their files, at most {@link FILES_MAX}, each once. */
export function filesNamed(words: Json | undefined): string[] {
  const files = isJsonObject(words ?? null) ? (words as JsonObject).files : undefined
  if (!Array.isArray(files)) return []
  const ids = files.flatMap((address) => (typeof address === 'string' ? (matterIn(address) ?? []) : []))
  return [...new Set(ids)].slice(0, FILES_MAX)
}

function matterIn(text: string): string | null {
  try {
    const address = parseAddress(text)
    return address.kind === 'matter' ? address.matter : null
  } catch (error) {
    if (error instanceof TreeosError) return null
    throw error
  }
}

/** Words that bring files: `{"text": …, "files": [address, …]}`. */
export const wordsWith = (words: Json, files: readonly string[]): Json => {
  if (files.length === 0) return words
  const said = isJsonObject(words) ? words : { text: words }
  return { ...said, files: [...files] }
}
