import { ERROR_STATUS, type TreeosError } from '@treeos/core'

/** What is answered, and where it stands in the record. */
export interface ChatAnswer {
  readonly correlation: string
  readonly words: string
  /** null for what no being was asked */
  readonly thread: string | null
  readonly moment: number | null
  /** tokens of the model; 0 for who may not look back at the being, since clients expect the field */
  readonly tokens: number
}

/** The record keeps the sum alone. */
const usageOf = (tokens: number) => ({ prompt_tokens: 0, completion_tokens: 0, total_tokens: tokens })

/** Who answered what, as the Chat Completions API says it. */
export const completionOf = (model: string, { correlation, words, thread, moment, tokens }: ChatAnswer) => ({
  ...headOf(model, correlation),
  object: 'chat.completion' as const,
  choices: [
    {
      index: 0,
      message: { role: 'assistant' as const, content: words, refusal: null },
      logprobs: null,
      finish_reason: 'stop' as const,
    },
  ],
  usage: usageOf(tokens),
  treeos: { thread, moment },
})

/** A part of an answer that is streamed. @param delta what it adds; null at the end */
export const chunkOf = (model: string, correlation: string, delta: object | null) => ({
  ...headOf(model, correlation),
  object: 'chat.completion.chunk' as const,
  choices: [
    {
      index: 0,
      delta: delta ?? {},
      logprobs: null,
      finish_reason: delta === null ? ('stop' as const) : null,
    },
  ],
})

/** The last part of an answer that is streamed, for a client that asked for its usage. */
export const usageChunkOf = (model: string, { correlation, tokens }: ChatAnswer) => ({
  ...headOf(model, correlation),
  object: 'chat.completion.chunk' as const,
  choices: [],
  usage: usageOf(tokens),
})

const headOf = (model: string, correlation: string) => ({
  id: `chatcmpl-${correlation}`,
  created: Math.floor(Date.now() / 1000),
  model,
})

/** A refusal as the clients of that API read one. */
export const chatError = ({ code, message, detail }: TreeosError) => ({
  error: {
    message,
    type: ERROR_STATUS[code] < 500 ? 'invalid_request_error' : 'server_error',
    param: null,
    code,
    ...(detail === undefined ? {} : { context: detail }),
  },
})
