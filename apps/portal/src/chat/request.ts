import { z } from '@hono/zod-openapi'
import { type BeingName, parseStance, TreeosError } from '@treeos/core'

/** A part of a message. Beings are told text. */
const part = z.looseObject({ type: z.string(), text: z.string().optional() })
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
  requireText(last)
  const mine = messages.filter(({ role }) => role === 'user').map(textIn)
  const answer = messages.findLast(({ role }) => role === 'assistant')
  const thread = metadata?.thread
  return {
    being: parseStance(model.startsWith('@') ? model : `@${model}`),
    content: textIn(last),
    before: answer === undefined ? null : { mine: mine.slice(0, -1), answer: textIn(answer) },
    thread: typeof thread === 'string' ? thread : null,
  }
}

type ChatMessage = ChatRequest['messages'][number]

/** @throws {TreeosError} INVALID_INPUT for a part that is not text */
function requireText({ content }: ChatMessage): void {
  if (content == null || typeof content === 'string') return
  const other = content.find(({ text }) => text === undefined)
  if (other === undefined) return
  const type = JSON.stringify(other.type)
  throw new TreeosError('INVALID_INPUT', `messages: a being is told text, and this is ${type}`)
}

/** The text of a message. An earlier one may hold pictures, which no thread of ours does. */
function textIn({ content }: ChatMessage): string {
  if (content == null || typeof content === 'string') return content ?? ''
  return content.flatMap(({ text }) => text ?? []).join('\n')
}
