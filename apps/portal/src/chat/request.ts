import { z } from '@hono/zod-openapi'
import type { FileInput } from '@treeos/client'
import { type BeingName, parseStance, quote, TreeosError } from '@treeos/core'

/**
 * A part of a message: text, a picture or a file, whose bytes stand in a `data:` URL. Some clients name no type, and
 * some write null for what a part has not.
 */
const part = z.looseObject({
  type: z.string().nullish(),
  text: z.string().nullish(),
  image_url: z.looseObject({ url: z.string() }).nullish(),
  file: z.looseObject({ filename: z.string().nullish(), file_data: z.string().nullish() }).nullish(),
})
const message = z.looseObject({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']),
  content: z.union([z.string(), z.array(part)]).nullish(),
})

/**
 * A request of the Chat Completions API. How a model is to sample is the being's own matter, so such fields
 * are ignored.
 */
export const chatRequest = z.looseObject({
  model: z.string().min(1).max(200).openapi({ example: '@solomon' }),
  messages: z.array(message).min(1).max(10_000),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  n: z.literal(1, 'a being answers once').nullish(),
  tools: z
    .array(z.unknown())
    .max(0, 'a being has the tools of its roles, and takes none of a request')
    .nullish(),
  response_format: z.looseObject({ type: z.literal('text', 'a being answers in text') }).nullish(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
})
export type ChatRequest = z.output<typeof chatRequest>

export interface Chat {
  readonly being: BeingName
  /** what is said now */
  readonly content: string
  /** what is given with it */
  readonly files: readonly FileInput[]
  /** what the person said before in this conversation, and the last answer; null for the first words */
  readonly before: { readonly mine: readonly string[]; readonly answer: string } | null
  /** the thread that the request names; null where it names none */
  readonly thread: string | null
}

/**
 * What a request says to whom. Messages of the system, also behind the last one of the user, are not passed
 * on: a being has its roles. Those of earlier turns tell which thread goes on.
 * @throws {TreeosError} INVALID_INPUT
 */
export function readChat({ model, messages, metadata }: ChatRequest): Chat {
  const last = messages.findLast(({ role }) => role !== 'system' && role !== 'developer')
  if (last?.role !== 'user')
    throw new TreeosError('INVALID_INPUT', 'messages: the last one is of the user, who speaks to the being')
  const mine = messages.filter(({ role }) => role === 'user').map(textIn)
  const answer = messages.findLast(({ role }) => role === 'assistant')
  const thread = metadata?.thread
  return {
    being: parseStance(model.startsWith('@') ? model : `@${model}`),
    content: textIn(last),
    files: filesIn(last),
    before: answer === undefined ? null : { mine: mine.slice(0, -1), answer: textIn(answer) },
    thread: typeof thread === 'string' ? thread : null,
  }
}

type ChatMessage = ChatRequest['messages'][number]

/** The pictures and files of a message. @throws {TreeosError} INVALID_INPUT for a part of another kind */
function filesIn({ content }: ChatMessage): FileInput[] {
  if (content == null || typeof content === 'string') return []
  return content.flatMap(({ type, text, image_url: picture, file }) => {
    if (picture != null) return [fileOf('picture', picture.url)]
    if (file != null) return [fileOf(file.filename ?? 'file', file.file_data ?? '')]
    if (text != null) return []
    throw new TreeosError(
      'INVALID_INPUT',
      `messages: a being is told text, pictures and files, and this is ${quote(type ?? null)}`,
    )
  })
}

const DATA_URL = /^data:([^,;]*)(?:;[^,;]*)*;base64,([A-Za-z0-9+/=_-]*)$/

/** Nothing is fetched for whoever speaks: the bytes have to be in the request. */
function fileOf(name: string, url: string): FileInput {
  const [, mediaType, data] = DATA_URL.exec(url) ?? []
  if (data === undefined)
    throw new TreeosError('INVALID_INPUT', 'messages: a picture or file is given by a data: URL with base64')
  return { name, mediaType: mediaType ?? null, bytes: Buffer.from(data, 'base64') }
}

/** The text of a message. An earlier one may hold pictures, whose things its thread names. */
function textIn({ content }: ChatMessage): string {
  if (content == null || typeof content === 'string') return content ?? ''
  return content.flatMap(({ text }) => text ?? []).join('\n')
}
