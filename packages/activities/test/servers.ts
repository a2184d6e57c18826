/** What model servers do, as rows of a test and of a page of docs. See `servers-*.ts` for the rows. */
import type { JsonObject } from '@treeos/core'
import type { ModelRequest } from '../src/model/model.ts'

/** The JSON of a request, as the server of a row sees it. */
export interface Asked {
  readonly stream?: boolean
  readonly tools?: readonly { readonly function: { readonly strict?: boolean } }[]
  readonly [field: string]: unknown
}

/** What a server answers, byte for byte. */
export interface Said {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string
}

/** One behaviour of servers, and what comes of it. */
export interface Row {
  /** what the server does */
  readonly what: string
  /** of whom it is known */
  readonly of: string
  /** what comes of it, in the words of the page */
  readonly so: string
  readonly says: (asked: Asked) => Said
  /** parts of the answer, or of the error that is thrown */
  readonly comes: object
  /** requests of the first call; the next one takes a single request */
  readonly requests?: number
  readonly request?: Partial<ModelRequest>
  /** fields that the operator adds to each request */
  readonly parameters?: JsonObject
  /** what the last request has in it */
  readonly sent?: object
}

const JSON_TYPE = { 'content-type': 'application/json' }
export const json = (value: unknown, status = 200, headers = {}): Said => ({
  status,
  headers: { ...JSON_TYPE, ...headers },
  body: JSON.stringify(value),
})

export const USAGE = { prompt_tokens: 40, completion_tokens: 7, total_tokens: 47 }
export const USED = { promptTokens: 40, completionTokens: 7 }

/** A chunk of a stream. */
export const chunk = (delta: unknown, finish: string | null = null, more: object = {}) => ({
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta, finish_reason: finish }],
  ...more,
})

/** A stream of these chunks. A text stands for itself. */
export function stream(
  chunks: readonly unknown[],
  { eol = '\n', done = true, headers = {} }: { eol?: string; done?: boolean; headers?: object } = {},
): Said {
  const events = chunks.map((one) => (typeof one === 'string' ? one : `data: ${JSON.stringify(one)}`))
  return {
    status: 200,
    headers: { 'content-type': 'text/event-stream', ...headers },
    body: [...events, ...(done ? ['data: [DONE]'] : [])].map((event) => event + eol + eol).join(''),
  }
}

interface Message {
  readonly content?: unknown
  readonly tool_calls?: readonly object[]
  readonly [field: string]: unknown
}

/** An answer with this message, whole or as a stream, whichever was asked for. */
export function answers(message: Message, finish: string | null = null, usage: object | null = USAGE) {
  const { content, tool_calls: calls = [], ...others } = message
  const reason = finish ?? (calls.length > 0 ? 'tool_calls' : 'stop')
  const counted = usage === null ? {} : { usage }
  return ({ stream: streams }: Asked): Said => {
    if (streams !== true)
      return json({
        choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: reason }],
        ...counted,
      })
    const words =
      typeof content === 'string' ? (content.match(/.{1,5}/gsu) ?? []) : content == null ? [] : [content]
    return stream([
      chunk({ role: 'assistant' }),
      ...Object.entries(others).map(([field, value]) => chunk({ [field]: value })),
      ...words.map((word) => chunk({ content: word })),
      ...calls.map((call, index) => chunk({ tool_calls: [{ index, ...call }] })),
      chunk({}, reason),
      ...(usage === null ? [] : [{ choices: [], usage }]),
    ])
  }
}

export const call = (args: unknown = '{"address":"/a"}', name = 'see', id = 'call-1') => ({
  id,
  type: 'function',
  function: { name, arguments: args },
})
export const SEES = { content: null, tool_calls: [call()] }
/** The call of {@link SEES} as it is read. */
export const seen = (content: string | null = null) => ({
  decision: { kind: 'call', call: { verb: 'see', address: '/a' }, content },
})
export const said = (content: string | null) => ({ decision: { kind: 'see', content } })
export const fails = (message: unknown) => ({ decision: { kind: 'failure', code: 'LLM_FAILED', message } })
export const lost = (message: string, more: object = {}) => ({
  name: 'ModelTransientError',
  code: 'LLM_FAILED',
  message,
  ...more,
})

/** Refuses a request until it has the right form. */
export const unless =
  (isRight: (asked: Asked) => boolean, refusal: Said, then = answers(SEES)) =>
  (asked: Asked): Said =>
    isRight(asked) ? then(asked) : refusal
export const refuses = (
  message: string,
  { status = 400, ...more }: { status?: number; [field: string]: unknown } = {},
) => json({ error: { message, type: 'invalid_request_error', ...more } }, status)

/** A text that has this one in it. */
export const having = (part: string) => ({
  asymmetricMatch: (text: unknown) => typeof text === 'string' && text.includes(part),
  toString: () => part,
})

/** A row of one answer. */
export const one = (
  what: string,
  of: string,
  so: string,
  message: Parameters<typeof answers>[0],
  comes: object,
  more: { finish?: string; usage?: object | null; request?: Row['request'] } = {},
): Row => ({
  what,
  of,
  so,
  says: answers(message, more.finish ?? null, more.usage === undefined ? USAGE : more.usage),
  comes,
  ...(more.request === undefined ? {} : { request: more.request }),
})
