import type { CallToolResult } from '@modelcontextprotocol/client'
import { canonicalJson, guardJson, type Json, type JsonObject, utf8Length } from '@treeos/core'

/** Of what a call answers, in bytes of JSON: a fact and a prompt must hold it. */
export const ANSWER_BYTES_MAX = 32 * 1024
const DEPTH_MAX = 24
const OTHERS_MAX = 32
const LINK_CHARS_MAX = 1024

/**
 * What a call answered, so small that it can be recorded and shown. `cut` names each part that is shortened
 * or left out, with its size.
 */
export function boundedAnswer(answer: CallToolResult): JsonObject {
  const cut: string[] = []
  const structured = structuredOf(answer, cut)
  const room = ANSWER_BYTES_MAX - sizeOf(structured)
  const text = answerText(answer, structured, room, cut)
  const others = othersOf(answer, cut)
  return {
    ...(text === '' ? {} : { text }),
    ...(structured === null ? {} : { structured }),
    ...(others.length === 0 ? {} : { others }),
    ...(answer.isError === true ? { isError: true } : {}),
    ...(cut.length === 0 ? {} : { cut }),
  }
}

const sizeOf = (value: Json): number => utf8Length(JSON.stringify(value))

function structuredOf({ structuredContent }: CallToolResult, cut: string[]): Json {
  if (structuredContent === undefined) return null
  try {
    const plain = cleaned(structuredContent as Json)
    guardJson(plain, { depthMax: DEPTH_MAX, bytesMax: ANSWER_BYTES_MAX })
    return plain
  } catch (error) {
    cut.push(`the structure is left out: ${error instanceof Error ? error.message : String(error)}`)
    return null
  }
}

/**
 * All texts, one after the other. A text that repeats the structure, as the protocol asks of servers, is left
 * out.
 */
function answerText({ content }: CallToolResult, structured: Json, room: number, cut: string[]): string {
  const texts = content.flatMap((part) => {
    if (part.type === 'text') return [part.text]
    if (part.type === 'resource' && 'text' in part.resource) return [part.resource.text]
    return []
  })
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

/** Links are kept; images, sounds and binary resources are told by their type and size. */
function othersOf({ content }: CallToolResult, cut: string[]): JsonObject[] {
  const others: JsonObject[] = []
  for (const part of content) {
    if (part.type === 'resource_link')
      others.push({
        type: 'link',
        uri: cleanText(part.uri).slice(0, LINK_CHARS_MAX),
        name: cleanText(part.name).slice(0, LINK_CHARS_MAX),
      })
    if (part.type === 'image' || part.type === 'audio')
      others.push({
        type: part.type,
        mimeType: cleanText(part.mimeType).slice(0, 64),
        bytes: base64Size(part.data),
      })
    if (part.type === 'resource' && 'blob' in part.resource)
      others.push({
        type: 'blob',
        uri: cleanText(part.resource.uri).slice(0, LINK_CHARS_MAX),
        bytes: base64Size(part.resource.blob),
      })
  }
  const binary = others.filter(({ type }) => type !== 'link').length
  if (binary > 0) cut.push(`the content of ${binary} images, sounds or files is left out`)
  if (others.length > OTHERS_MAX) cut.push(`${others.length - OTHERS_MAX} further parts are left out`)
  return others.slice(0, OTHERS_MAX)
}

const base64Size = (base64: string): number => Math.floor((base64.length * 3) / 4)

/** Postgres keeps no NUL, and JSON in UTF-8 no half of a pair. */
const cleanText = (text: string): string => text.replaceAll('\0', '\ufffd').toWellFormed()

function cleaned(value: Json): Json {
  if (typeof value === 'string') return cleanText(value)
  if (Array.isArray(value)) return value.map(cleaned)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, part]) =>
      part === undefined ? [] : [[cleanText(name), cleaned(part as Json)]],
    ),
  )
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
