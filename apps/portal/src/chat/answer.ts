import { contentText, type SummonResult } from '@treeos/client'
import { ERROR_STATUS, type TreeosError } from '@treeos/core'

/** What a being's mind used is for those to know who may look back at it. Clients expect the field. */
const NOT_TOLD = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 } as const

/** Who answered what, as the Chat Completions API says it. */
export function completionOf(model: string, { correlation, moment, reply }: SummonResult, thread: string) {
  return {
    ...headOf(model, correlation),
    object: 'chat.completion' as const,
    choices: [
      {
        index: 0,
        message: { role: 'assistant' as const, content: contentText(reply?.content ?? ''), refusal: null },
        logprobs: null,
        finish_reason: 'stop' as const,
      },
    ],
    usage: NOT_TOLD,
    treeos: { thread, moment: moment?.n ?? null },
  }
}

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
