/**
 * A real small model as an OpenAI-compatible server on 127.0.0.1, by node-llama-cpp and with the model's own
 * chat template. Where that knows tools, it renders them, and calls are read from the answer's `<tool_call>`
 * tags; a grammar holds only a forced call. A template that knows no tools gets them as JSON Schema in the
 * system message, and a grammar holds the answer to `{"tool_call": …}`, or to that or `{"response": …}` where
 * the request forces no call. llama.cpp's own server does the same.
 *
 * node server.ts --weights FILE [--port 0] [--seed 1] [--temperature 0.7] prints `listening on URL`.
 */
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { Template } from '@huggingface/jinja'
import { type ChatHistoryItem, getLlama, LlamaCompletion, resolveChatWrapper } from 'node-llama-cpp'

const { values } = parseArgs({
  options: {
    weights: { type: 'string' },
    port: { type: 'string', default: '0' },
    seed: { type: 'string', default: '1' },
    temperature: { type: 'string', default: '0.7' },
  },
})
if (values.weights === undefined) throw new Error('--weights FILE is missing: the path of a GGUF file')
const seed = Number(values.seed)
const temperature = Number(values.temperature)
/** Tokens of a prompt and its answer together. */
const CONTEXT_SIZE = 8192
const ANSWER_TOKENS_MAX = 256

interface Tool {
  readonly function: { readonly name: string; readonly description?: string; readonly parameters?: object }
}
interface Message {
  readonly role: string
  readonly content: string | readonly { readonly text?: string }[] | null
  readonly tool_calls?: readonly {
    readonly function: { readonly name: string; readonly arguments: string }
  }[]
}
interface Asked {
  readonly messages: readonly Message[]
  readonly tools?: readonly Tool[]
  readonly tool_choice?: unknown
  readonly max_tokens?: number
  readonly max_completion_tokens?: number
  readonly stream?: boolean
}

const llama = await getLlama({ gpu: false, build: 'never', maxThreads: 1 })
const model = await llama.loadModel({ modelPath: values.weights })
const context = await model.createContext({ contextSize: CONTEXT_SIZE, sequences: 1, threads: 1 })
const sequence = context.getSequence()
const completion = new LlamaCompletion({ contextSequence: sequence })
const wrapper = resolveChatWrapper(model)
/** null: it knows no tools */
const template = ((text = '') => (text.includes('<tool_call>') ? new Template(text) : null))(
  model.fileInfo.metadata.tokenizer.chat_template,
)

/** One after the other: there is one sequence. */
let last: Promise<unknown> = Promise.resolve()
const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
  const done = last.then(work, work)
  last = done.catch(() => undefined)
  return done
}

function callSchema(tools: readonly Tool[]): object {
  const calls = tools.map(({ function: { name, parameters } }) => ({
    type: 'object',
    properties: { name: { const: name }, arguments: grammarSchema(parameters ?? { type: 'object' }) },
    required: ['name', 'arguments'],
    additionalProperties: false,
  }))
  return calls.length === 1 ? (calls[0] as object) : { oneOf: calls }
}

function schemaOf(tools: readonly Tool[], isForced: boolean): object {
  const call = {
    type: 'object',
    properties: { tool_call: callSchema(tools) },
    required: ['tool_call'],
    additionalProperties: false,
  }
  const words = {
    type: 'object',
    properties: { response: { type: 'string' } },
    required: ['response'],
    additionalProperties: false,
  }
  return isForced ? call : { oneOf: [call, words] }
}

/** Without what the grammar does not know; a schema without a type becomes one of the simple kinds. */
function grammarSchema(schema: object): object {
  const {
    type,
    properties,
    required,
    items,
    anyOf,
    oneOf,
    enum: values,
    const: value,
  } = schema as {
    readonly [key: string]: never
  }
  if (value !== undefined) return { const: value }
  if (values !== undefined) return { enum: values }
  const options = (anyOf ?? oneOf) as readonly object[] | undefined
  if (options !== undefined) return { oneOf: options.map(grammarSchema) }
  if (type === 'array') return { type, items: grammarSchema(items ?? { type: 'string' }), maxItems: 8 }
  if (type === 'object' && properties !== undefined)
    return {
      type,
      properties: Object.fromEntries(
        Object.entries(properties as Record<string, object>).map(([name, one]) => [name, grammarSchema(one)]),
      ),
      required: required ?? [],
      additionalProperties: false,
    }
  if (type === 'object')
    return { type, additionalProperties: { type: ['string', 'number', 'boolean', 'null'] } }
  return type === undefined ? { type: ['string', 'number', 'boolean', 'null'] } : { type }
}

const HOW_TO_CALL =
  'Respond in JSON format, either with `tool_call` (a request to call a tool) or with `response` (a reply to the request of the user).'
const HOW_TO_CALL_FORCED = 'Respond in JSON format with `tool_call` (a request to call a tool).'

interface Prompt {
  readonly tokens: ReturnType<typeof model.tokenize>
  /** schema of all that the model may say; null: it says what it likes */
  readonly schema: object | null
}

/** By a template that knows tools. */
function promptOf(known: Template, { messages, tools = [], tool_choice }: Asked, isForced: boolean): Prompt {
  const offered = tool_choice === 'none' || tools.length === 0 ? null : tools
  const history = messages.map(({ tool_calls, ...message }) => ({
    ...message,
    content: textOf(message),
    ...(tool_calls === undefined
      ? {}
      : {
          tool_calls: tool_calls.map((call) => ({
            ...call,
            function: { ...call.function, arguments: JSON.parse(call.function.arguments) },
          })),
        }),
  }))
  const text = known.render({ messages: history, tools: offered, add_generation_prompt: true })
  return {
    tokens: model.tokenize(text, true),
    schema: offered !== null && isForced ? callSchema(offered) : null,
  }
}

/** By a template that knows no tools. */
function plainPromptOf({ messages, tools = [], tool_choice }: Asked, isForced: boolean): Prompt {
  const offered = tool_choice === 'none' ? [] : tools
  const about =
    offered.length === 0
      ? ''
      : `\n\nYou have these tools: ${JSON.stringify(offered.map((tool) => tool.function))}\n${isForced ? HOW_TO_CALL_FORCED : HOW_TO_CALL}`
  const history = messages.map((message, i): ChatHistoryItem => {
    const content = textOf(message)
    if (message.role === 'system') return { type: 'system', text: content + (i === 0 ? about : '') }
    return message.role === 'assistant'
      ? { type: 'model', response: [content] }
      : { type: 'user', text: content }
  })
  const { contextText } = wrapper.generateContextState({
    chatHistory: [...history, { type: 'model', response: [] }],
  })
  return {
    tokens: contextText.tokenize(model.tokenizer),
    schema: offered.length === 0 ? null : schemaOf(offered, isForced),
  }
}

function textOf({ content }: Message): string {
  if (typeof content === 'string' || content === null) return content ?? ''
  return content.map(({ text = '' }) => text).join('')
}

async function answer(asked: Asked) {
  const { tool_choice, ...limits } = asked
  const isForced = tool_choice === 'required' || typeof tool_choice === 'object'
  const { tokens, schema } =
    template === null ? plainPromptOf(asked, isForced) : promptOf(template, asked, isForced)
  const maxTokens = Math.min(
    limits.max_tokens ?? limits.max_completion_tokens ?? ANSWER_TOKENS_MAX,
    ANSWER_TOKENS_MAX,
  )
  const { response, metadata } = await completion.generateCompletionWithMeta(tokens, {
    maxTokens,
    temperature,
    seed: seed + answers++,
    ...(schema === null ? {} : { grammar: await llama.createGrammarForJsonSchema(schema as never) }),
  })
  return {
    message:
      template === null ? messageOf(response, schema !== null) : taggedMessageOf(response, schema !== null),
    usage: { prompt_tokens: tokens.length, completion_tokens: model.tokenize(response).length },
    finish: metadata.stopReason === 'maxTokens' ? 'length' : 'stop',
  }
}
/** Each answer has a seed of its own, or one that is asked for again would come again. */
let answers = 0

interface Answered {
  readonly role: 'assistant'
  readonly content: string | null
  readonly tool_calls?: readonly object[]
}

function toolCall({ name, arguments: args }: { name: string; arguments: object }): object {
  return {
    id: `call_${randomUUID()}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(args) },
  }
}

/** Of a template that puts calls into tags. A tag that cannot be read stays a part of the words. */
function taggedMessageOf(response: string, isCall: boolean): Answered {
  const tool_calls: object[] = []
  const read = (text: string): boolean => {
    try {
      const call = JSON.parse(text)
      if (typeof call.name !== 'string' || typeof call.arguments !== 'object') return false
      return tool_calls.push(toolCall(call)) > 0
    } catch {
      return false
    }
  }
  const words = isCall
    ? read(response)
      ? ''
      : response
    : response.replace(/<tool_call>([\s\S]*?)(<\/tool_call>|$)/g, (all, text: string) =>
        read(text) ? '' : all,
      )
  const content = words.trim()
  if (tool_calls.length === 0) return { role: 'assistant', content }
  return { role: 'assistant', content: content === '' ? null : content, tool_calls }
}

/** The message of an answer; what the limit cut off is given as words. */
function messageOf(response: string, isJson: boolean): Answered {
  if (!isJson) return { role: 'assistant', content: response }
  try {
    const { tool_call, response: words } = JSON.parse(response)
    if (tool_call === undefined) return { role: 'assistant', content: words }
    return { role: 'assistant', content: null, tool_calls: [toolCall(tool_call)] }
  } catch {
    return { role: 'assistant', content: response }
  }
}

async function complete(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const asked = (await json(request)) as Asked
  const answered = await inTurn(() => answer(asked))
  const { message } = answered
  const finish_reason = message.tool_calls === undefined ? answered.finish : 'tool_calls'
  const about = { id: `chatcmpl-${randomUUID()}`, created: Math.floor(Date.now() / 1000), model: 'local' }
  if (asked.stream !== true) {
    const choices = [{ index: 0, message, finish_reason }]
    return send(response, 200, { ...about, object: 'chat.completion', choices, usage: answered.usage })
  }
  const calls = message.tool_calls?.map((call, index) => ({ index, ...call }))
  const delta = {
    role: 'assistant',
    content: message.content,
    ...(calls === undefined ? {} : { tool_calls: calls }),
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const event = (choices: unknown, more = {}) =>
    response.write(
      `data: ${JSON.stringify({ ...about, object: 'chat.completion.chunk', choices, ...more })}\n\n`,
    )
  event([{ index: 0, delta, finish_reason: null }])
  event([{ index: 0, delta: {}, finish_reason }])
  event([], { usage: answered.usage })
  response.end('data: [DONE]\n\n')
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

const server = createServer((request, response) => {
  const path = new URL(request.url ?? '/', 'http://localhost').pathname
  if (request.method === 'GET' && path === '/v1/models')
    return send(response, 200, { object: 'list', data: [{ id: 'local', object: 'model' }] })
  if (request.method !== 'POST' || path !== '/v1/chat/completions')
    return send(response, 404, { error: { message: `there is nothing at ${path}` } })
  complete(request, response).catch((error: unknown) =>
    send(response, 500, { error: { message: error instanceof Error ? error.message : String(error) } }),
  )
})
server.listen(Number(values.port), '127.0.0.1', () =>
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`),
)
