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
 * @param answer as its server wrote it, whatever its form
 */
export function boundedAnswer(answer: unknown): JsonObject {
  const cut: string[] = []
  const fields = isJsonObject(answer) ? answer : { content: answer as Json }
  const parts: string[] = []
  const { texts, others } = partsOf(fields, parts)
  const structured = structuredOf(fields, cut)
  const room = ANSWER_BYTES_MAX - sizeOf(structured)
  const text = answerText(texts, structured, room, cut)
  cut.push(...parts)
  if (cut.length > CUTS_MAX)
    cut.splice(CUTS_MAX, cut.length, `${cut.length - CUTS_MAX} further parts are left out`)
  return {
    ...(text === '' ? {} : { text }),
    ...(structured === null ? {} : { structured }),
    ...(others.length === 0 ? {} : { others }),
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

interface AnswerParts {
  readonly texts: string[]
  readonly others: JsonObject[]
}

/** Links are kept; images, sounds and binary resources are told by their type and size. */
function partsOf(fields: JsonObject, cut: string[]): AnswerParts {
  const parts: AnswerParts = { texts: [], others: [] }
  const { content = null } = fields
  const listed = Array.isArray(content) ? content : content === null ? [] : [content]
  for (const [index, part] of listed.entries()) {
    const read = partOf(part)
    if (typeof read === 'string') cut.push(`part ${index + 1} is left out: ${read}`)
    else if ('text' in read) parts.texts.push(read.text)
    else parts.others.push(read.other)
  }
  if (content === null && fields.structuredContent == null && fields.toolResult == null)
    cut.push(`the answer has no content; its fields: ${quotedNames(Object.keys(fields))}`)
  const { others } = parts
  const binary = others.filter(({ type }) => type !== 'link').length
  if (binary > 0) cut.push(`the content of ${binary} images, sounds or files is left out`)
  if (others.length > OTHERS_MAX) cut.push(`${others.length - OTHERS_MAX} further parts are left out`)
  return { texts: parts.texts, others: others.slice(0, OTHERS_MAX) }
}

/** @returns why it is left out, where it has nothing that can be read */
function partOf(part: Json): { readonly text: string } | { readonly other: JsonObject } | string {
  if (typeof part === 'string') return { text: part }
  if (!isJsonObject(part)) return `it is ${part === null ? 'null' : `a ${typeof part}`}`
  const { type = null, text, resource = null } = part
  if (type === 'resource_link')
    return { other: { type: 'link', uri: shortText(part.uri), name: shortText(part.name ?? part.uri) } }
  if (type === 'image' || type === 'audio')
    return {
      other: {
        type,
        mimeType: shortText(part.mimeType).slice(0, 64),
        bytes: base64Size(part.data),
      },
    }
  if (isJsonObject(resource) && typeof resource.text === 'string') return { text: resource.text }
  if (isJsonObject(resource) && typeof resource.blob === 'string')
    return { other: { type: 'blob', uri: shortText(resource.uri), bytes: base64Size(resource.blob) } }
  if (typeof text === 'string') return { text }
  const named = typeof type === 'string' ? `type ${quotedNames([type])}` : 'no type'
  return `it has ${named} and no text; its fields: ${quotedNames(Object.keys(part))}`
}

const shortText = (value: Json | undefined): string =>
  typeof value === 'string' ? cleanText(value).slice(0, LINK_CHARS_MAX).toWellFormed() : ''

/** Names that a server chose, few and short. */
const quotedNames = (names: readonly string[]): string =>
  names
    .slice(0, NAMES_MAX)
    .map((name) => JSON.stringify(cleanText(name).slice(0, NAME_CHARS_MAX).toWellFormed()))
    .join(', ') || 'none'

const base64Size = (base64: Json | undefined): number =>
  typeof base64 === 'string' ? Math.floor((base64.length * 3) / 4) : 0

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
