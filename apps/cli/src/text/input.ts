import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import {
  type BeingName,
  isBeingName,
  isJsonObject,
  isKey,
  type Json,
  type JsonObject,
  parseStance,
  quote,
  requireContent,
  stanceOf,
  TreeosError,
  textOfBytes,
} from '@treeos/core'
import { argument, fileError, messageOf, UsageError } from './failure.ts'
import { parseJsonText, parseValueText } from './json-text.ts'

/** More than any command accepts, so that a refusal can still name the size. */
const READ_BYTES_MAX = 64 * 1024 * 1024

/** False when certainly no instance can be reached. Needs no client libraries. */
export function mayHaveInstance({ data }: { data?: string }, env: NodeJS.ProcessEnv = process.env): boolean {
  const folder = resolve(data ?? (env.TREEOS_DATA || '.treeos'))
  return Boolean(env.DATABASE_URL) || existsSync(join(folder, 'instance.json'))
}

/**
 * Text of a file, `-` being standard input.
 * @throws {UsageError} for a path where no file can be read
 * @throws {TreeosError} INVALID_INPUT for a file that is not UTF-8
 */
export async function readText(file: string): Promise<string> {
  const what = file === '-' ? 'standard input' : file
  let bytes: Buffer
  try {
    // Not readFileSync: after it has read a pipe, as in `<(jq …)`, Node resolves no symbolic link, so our
    // next import fails.
    bytes = file === '-' ? await readStdin() : await readFile(file)
  } catch (error) {
    if (error instanceof TreeosError) throw error
    throw fileError(what, 'cannot be read', error)
  }
  try {
    return textOfBytes(bytes)
  } catch (error) {
    throw new TreeosError('INVALID_INPUT', `${what}: ${messageOf(error)}`)
  }
}

async function readStdin(): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of process.stdin) {
    size += chunk.length
    if (size > READ_BYTES_MAX)
      throw new TreeosError('PAYLOAD_TOO_LARGE', `standard input: more than ${READ_BYTES_MAX} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** The JSON of a file, unchecked: lint reports in its own words what is wrong with it. */
export async function readJsonFile(file: string): Promise<unknown> {
  return parseJsonText(await readText(file), file === '-' ? 'standard input' : file)
}

/** @throws {TreeosError} INVALID_INPUT or PAYLOAD_TOO_LARGE */
export async function requireJsonFile(file: string): Promise<Json> {
  return requireContent(await readJsonFile(file), file === '-' ? 'standard input' : file)
}

/** A JSON value given as an argument. @throws {UsageError} INVALID_INPUT or PAYLOAD_TOO_LARGE */
export function requireJson(text: string, what: string): Json {
  return argument(() => requireContent(parseJsonText(text, what), what))
}

/** A value given as an argument: JSON, or a bare word. @throws {UsageError} INVALID_INPUT or PAYLOAD_TOO_LARGE */
export function requireValue(text: string, what: string): Json {
  return argument(() => requireContent(parseValueText(text, what), what))
}

/** @throws {UsageError} */
export function requireObject(text: string | undefined, what: string): JsonObject {
  if (text === undefined) return {}
  const value = requireJson(text, what)
  if (isJsonObject(value)) return value
  throw new UsageError(`${what} is ${quote(value)}; it takes a JSON object`)
}

/**
 * A stance as the user wrote it; `~` is the being that acts, and a bare name is that of a being.
 * @throws {UsageError} ADDRESS_PARSE_ERROR
 */
export function requireStance(text: string, me: BeingName = 'operator'): BeingName {
  if (text === '~') return me
  return isBeingName(text) ? text : argument(() => parseStance(text))
}

/** The stance that a being which acts named, as an address. @throws {UsageError} ADDRESS_PARSE_ERROR */
export const addressOfStance = (text: string, { as }: { readonly as: string }): string =>
  stanceOf(requireStance(text, requireStance(as)))

/** Splits `ns.key.deeper` at its first dot. @throws {UsageError} */
export function splitKey(text: string): { namespace: string; key: string } {
  const [namespace, ...rest] = keysPressed(text)
  if (namespace !== undefined && rest.length > 0) return { namespace, key: rest.join('.') }
  throw keyFault(text)
}

/** The keys of `ns`, `ns.key` or `ns.key.deeper`. @throws {UsageError} */
export function keysPressed(text: string): string[] {
  const keys = text.split('.')
  if (keys.every(isKey)) return keys
  throw keyFault(text)
}

const keyFault = (text: string) =>
  new UsageError(`key ${quote(text)} is not valid: kebab-case with dots between, as in harmony.tick`)

/** Reads longer texts from standard input: an argument holds at most 128 KiB on Linux, and no NUL. */
export async function contentOf(text: string): Promise<Json> {
  if (text !== '-') return argument(() => requireContent(text, 'content'))
  return requireContent(await readText('-'), 'content')
}

/**
 * The arguments of a process can be seen by others on its machine, so an overlay may come by standard input.
 */
export const overlayOf = async (text: string): Promise<string> =>
  text === '-' ? (await readText('-')).replace(/\r?\n$/, '') : text

/** @throws {UsageError} for anything but a whole number in range */
export const wholeNumber = (name: string, min: number, max: number): ((text: string) => number) =>
  parseNumber(name, { min, max, whole: true })

/** The number of a moment. */
export const momentNumber = (name: string): ((text: string) => number) => wholeNumber(name, 1, 1_000_000_000)

/** @throws {UsageError} for anything but a number in range */
export function parseNumber(
  name: string,
  { min, max, whole }: { min: number; max: number; whole: boolean },
): (text: string) => number {
  return (text) => {
    const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN
    if (value >= min && value <= max && (!whole || Number.isInteger(value))) return value
    throw new UsageError(
      `${name} is ${quote(text)}; it takes a ${whole ? 'whole ' : ''}number from ${min} to ${max}`,
    )
  }
}

/** A file as it is given to a being. @throws {UsageError} for a path where none can be read */
export async function readGiven(path: string): Promise<{ name: string; mediaType: null; bytes: Buffer }> {
  try {
    return { name: basename(path), mediaType: null, bytes: await readFile(path) }
  } catch (error) {
    throw fileError(path, 'cannot be read', error)
  }
}
