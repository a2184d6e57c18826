import {
  canonicalJson,
  faultOfNumber,
  guardJson,
  isJsonObject,
  type Json,
  type JsonObject,
  REFUSED_KEYS,
  utf8Length,
} from '@treeos/core'
import type { KeepBrought } from '@treeos/sdk'

/** Of what a call answers, in bytes of JSON: a fact and a prompt must hold it. */
export const ANSWER_BYTES_MAX = 32 * 1024
const DEPTH_MAX = 24
const OTHERS_MAX = 32
const LINK_CHARS_MAX = 1024
const CUTS_MAX = 32
const NAMES_MAX = 8
const NAME_CHARS_MAX = 64

/**
 * What a call answered, so small that it can be recorded and shown. The tool ran, so nothing that its server
 * wrote makes this fail: what can be read is kept, and `cut` names each part that is shortened or left out.
 * Images, sounds and binary resources are kept as `files`.
 * @param answer as its server wrote it, whatever its form
 */
export async function boundedAnswer(answer: unknown, keep: KeepBrought): Promise<JsonObject> {
  const cut: string[] = []
  const fields = isJsonObject(answer) ? answer : { content: answer as Json }
  const parts: string[] = []
  const { texts, links, binaries } = partsOf(fields, parts)
  const { files, others } = await keptOf(binaries, keep, parts)
  others.unshift(...links)
  if (others.length > OTHERS_MAX) parts.push(`${others.length - OTHERS_MAX} further parts are left out`)
  const structured = structuredOf(fields, cut)
  const room = ANSWER_BYTES_MAX - sizeOf(structured)
  const text = answerText(texts, structured, room, cut)
  cut.push(...parts)
  if (cut.length > CUTS_MAX)
    cut.splice(CUTS_MAX, cut.length, `${cut.length - CUTS_MAX} further parts are left out`)
  return {
    ...(text === '' ? {} : { text }),
    ...(structured === null ? {} : { structured }),
    ...(files.length === 0 ? {} : { files }),
    ...(others.length === 0 ? {} : { others: others.slice(0, OTHERS_MAX) }),
    ...(fields.isError === true ? { isError: true } : {}),
    ...(cut.length === 0 ? {} : { cut }),
  }
}

const sizeOf = (value: Json): number => utf8Length(JSON.stringify(value))

/** The structure. In answers of the first version of the protocol it is `toolResult`. */
function structuredOf({ structuredContent, toolResult }: JsonObject, cut: string[]): Json {
  const given = structuredContent ?? toolResult ?? null
  if (given === null) return null
  try {
    const plain = cleaned(given, '$', cut)
    guardJson(plain, { depthMax: DEPTH_MAX, bytesMax: ANSWER_BYTES_MAX })
    return plain
  } catch (error) {
    cut.push(`the structure is left out: ${error instanceof Error ? error.message : String(error)}`)
    return null
  }
}

/** All texts, one after the other. One that repeats the structure, as the protocol asks, is left out. */
function answerText(texts: readonly string[], structured: Json, room: number, cut: string[]): string {
  const whole = cleanText(texts.filter((text) => !repeats(text, structured)).join('\n'))
  const kept = fitting(whole, room)
  if (kept !== whole) cut.push(`the text is cut after ${kept.length} of ${whole.length} characters`)
  return kept
}

function repeats(text: string, structured: Json): boolean {
  if (structured === null) return false
  try {
    return canonicalJson(JSON.parse(text)) === canonicalJson(structured)
  } catch {
    return false // it is not JSON, so it says something else
  }
}

/** An image, a sound or a binary resource, as its server wrote it. */
interface BinaryPart {
  /** its place among the parts, from 1 */
  readonly n: number
  /** `image`, `audio` or `blob` */
  readonly type: string
  /** empty where its server says none */
  readonly mediaType: string
  readonly uri: string | null
  readonly data: Json | undefined
}

interface AnswerParts {
  readonly texts: string[]
  readonly links: JsonObject[]
  readonly binaries: BinaryPart[]
}

/** Keeps the binary parts as files. For a part that is not kept, the answer tells its type and size, and `cut` tells why. */
async function keptOf(
  binaries: readonly BinaryPart[],
  keep: KeepBrought,
  cut: string[],
): Promise<{ readonly files: string[]; readonly others: JsonObject[] }> {
  const [files, others]: [Set<string>, JsonObject[]] = [new Set(), []]
  for (const part of binaries) {
    const bytes = bytesIn(part.data)
    const kept =
      bytes === null
        ? { why: 'its data is not base64' }
        : await keep({ name: nameOf(part), mediaType: part.mediaType || null, bytes })
    if ('thing' in kept) {
      files.add(kept.thing)
      continue
    }
    const { n, type, mediaType, uri } = part
    cut.push(`part ${n}, which is ${type === 'blob' ? 'a file' : `an ${type}`}, is not kept: ${kept.why}`)
    others.push({
      type,
      ...(uri === null ? {} : { uri }),
      ...(mediaType === '' ? {} : { mimeType: mediaType }),
      bytes: bytes?.length ?? 0,
    })
  }
  return { files: [...files], others }
}

/** The end of its address, else what it is, with an ending as its type has it. */
function nameOf({ n, type, mediaType, uri }: BinaryPart): string {
  const last = uri?.split(/[?#]/)[0]?.split('/').at(-1) ?? ''
  if (last !== '') return last
  const [, ending = ''] = /^[a-z]+\/([a-z0-9]{1,8})$/.exec(mediaType) ?? []
  return `${type}-${n}${ending === '' ? '' : `.${ending}`}`
}

/** @returns null for what is not base64; without its data it is empty */
function bytesIn(data: Json | undefined): Buffer | null {
  if (typeof data !== 'string') return null
  const plain = data.replace(/\s+/g, '')
  return /^[A-Za-z0-9+/_-]*={0,2}$/.test(plain) ? Buffer.from(plain, 'base64') : null
}

/** Links are told as they are. */
function partsOf(fields: JsonObject, cut: string[]): AnswerParts {
  const parts: AnswerParts = { texts: [], links: [], binaries: [] }
  const { content = null } = fields
  const listed = Array.isArray(content) ? content : content === null ? [] : [content]
  for (const [index, part] of listed.entries()) {
    const read = partOf(part, index + 1)
    if (typeof read === 'string') cut.push(`part ${index + 1} is left out: ${read}`)
    else if ('text' in read) parts.texts.push(read.text)
    else if ('link' in read) parts.links.push(read.link)
    else parts.binaries.push(read)
  }
  if (content === null && fields.structuredContent == null && fields.toolResult == null)
    cut.push(`the answer has no content; its fields: ${quotedNames(Object.keys(fields))}`)
  return parts
}

/** @returns why it is left out, where it has nothing that can be read */
function partOf(
  part: Json,
  n: number,
): { readonly text: string } | { readonly link: JsonObject } | BinaryPart | string {
  if (typeof part === 'string') return { text: part }
  if (!isJsonObject(part)) return `it is ${part === null ? 'null' : `a ${typeof part}`}`
  const { type = null, text, resource = null } = part
  if (type === 'resource_link')
    return { link: { type: 'link', uri: shortText(part.uri), name: shortText(part.name ?? part.uri) } }
  if (type === 'image' || type === 'audio')
    return { n, type, mediaType: mediaTypeIn(part), uri: null, data: part.data }
  if (isJsonObject(resource) && typeof resource.text === 'string') return { text: resource.text }
  if (isJsonObject(resource) && typeof resource.blob === 'string')
    return {
      ...{ n, type: 'blob', mediaType: mediaTypeIn(resource) },
      ...{ uri: shortText(resource.uri), data: resource.blob },
    }
  if (typeof text === 'string') return { text }
  const named = typeof type === 'string' ? `type ${quotedNames([type])}` : 'no type'
  return `it has ${named} and no text; its fields: ${quotedNames(Object.keys(part))}`
}

const mediaTypeIn = ({ mimeType }: JsonObject): string => shortText(mimeType).slice(0, 64)

const shortText = (value: Json | undefined): string =>
  typeof value === 'string' ? cleanText(value).slice(0, LINK_CHARS_MAX).toWellFormed() : ''

/** Names that a server chose, few and short. */
const quotedNames = (names: readonly string[]): string =>
  names
    .slice(0, NAMES_MAX)
    .map((name) => JSON.stringify(cleanText(name).slice(0, NAME_CHARS_MAX).toWellFormed()))
    .join(', ') || 'none'

/** Postgres keeps no NUL, and JSON in UTF-8 no half of a pair. */
const cleanText = (text: string): string => text.replaceAll('\0', '\ufffd').toWellFormed()

/** A value that can be recorded. What cannot be is left out or null, and named by its path. */
function cleaned(value: Json, path: string, cut: string[]): Json {
  if (typeof value === 'string') return cleanText(value)
  if (typeof value === 'number') return cleanNumber(value, path, cut)
  if (Array.isArray(value)) return value.map((part, i) => cleaned(part, `${path}[${i}]`, cut))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, part]) => {
      const at = `${path}[${quotedNames([name])}]`
      if (REFUSED_KEYS.has(name)) cut.push(`the field ${at} is left out: its name is refused everywhere`)
      return part === undefined || REFUSED_KEYS.has(name) ? [] : [[cleanText(name), cleaned(part, at, cut)]]
    }),
  )
}

/** The digits of a large integer are lost when JSON is read, so another number would be recorded as it. */
function cleanNumber(value: number, path: string, cut: string[]): number | null {
  const fault = faultOfNumber(value)
  if (fault === null) return Object.is(value, -0) ? 0 : value
  cut.push(`the number ${path} is left out: ${fault}`)
  return null
}

/** The start of a text whose JSON is small enough. */
function fitting(text: string, bytesMax: number): string {
  if (sizeOf(text) <= bytesMax) return text
  let [fits, most] = [0, Math.min(text.length, bytesMax)]
  while (fits < most) {
    const half = Math.ceil((fits + most) / 2)
    if (sizeOf(text.slice(0, half)) <= bytesMax) fits = half
    else most = half - 1
  }
  return text.slice(0, fits).toWellFormed()
}
