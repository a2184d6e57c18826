/**
 * A model for tests: a real HTTP server on 127.0.0.1 that speaks the part of Chat Completions a being needs
 * and misbehaves on demand. For manual trials: `node test/support/model-server.ts --port 4010`.
 */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'

/** The JSON of a request for a completion. */
export interface ModelRequest {
  readonly model: string
  readonly messages: readonly { readonly role: string; readonly content: string }[]
  readonly tools?: readonly { readonly type: string; readonly function: { readonly name: string } }[]
  readonly [field: string]: unknown
}

export interface ToolReply {
  readonly name: string
  /** an object is written as JSON, a string goes out as it is */
  readonly args: unknown
}

interface Completion {
  readonly content?: unknown
  /** null leaves it out */
  readonly usage?: { readonly prompt_tokens: number; readonly completion_tokens: number } | null
  readonly finishReason?: string
  /** how a request to stream is answered; left out: in small pieces, without a pause */
  readonly streamed?: Streamed
}

export interface Streamed {
  /** waited for before each piece, by its number from 0 */
  readonly before?: (piece: number) => Promise<unknown> | undefined
  /** after so many pieces the stream ends: the line is cut, the body ends, or an event tells of an error */
  readonly breaks?: { readonly after: number; readonly how: 'reset' | 'end' | 'error' }
  /** answers whole, as a server that does not know streams */
  readonly whole?: true
  /** sends no usage, as a server that does not know `stream_options` */
  readonly noUsage?: true
}

type Answering =
  | (Completion & { readonly tool: ToolReply })
  | (Completion & { readonly tools: readonly ToolReply[] })
  | (Completion & { readonly content: unknown })
  /** any JSON as the answer to a completion */
  | { readonly completion: unknown }

export type Reply =
  | Answering
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: unknown }
  /** these bytes as the body of a 200 */
  | { readonly raw: string | Uint8Array; readonly headers?: Record<string, string> }
  /** never ends: without a byte, or after the first half of the default answer */
  | { readonly hang: true | 'mid-body' }
  /** the default answer, this slowly */
  | { readonly drip: { readonly bytesPerSecond: number } }
  /** hangs up */
  | { readonly reset: 'at-once' | 'mid-body' }
  /** this many bytes of a completion whose content does not end */
  | { readonly huge: number }

/** Undefined stands for the default answer. */
export type Handler = (request: ModelRequest) => Reply | undefined | Promise<Reply | undefined>

export interface RecordedRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** null when it was not JSON */
  readonly body: ModelRequest | null
  /** bytes of the body handed to the socket so far */
  bytesSent: number
}

export interface ModelServer {
  /** as OPENAI_BASE_URL wants it, with /v1 */
  readonly url: string
  /** everything asked of the server, in order, lists of models included */
  readonly requests: RecordedRequest[]
  /** Answers by function, or by a queue of replies with the default answer after its end. */
  script(answers: Handler | readonly Reply[]): void
  /** What GET /v1/models answers: ids, or any reply. `['test-model']` at first. */
  scriptModels(models: readonly string[] | Reply): void
  /** Back to the default answers, with no requests recorded. */
  reset(): void
  close(): Promise<void>
}

export async function startModelServer({ port = 0 }: { port?: number } = {}): Promise<ModelServer> {
  const requests: RecordedRequest[] = []
  let handler: Handler = answerByDefault
  let models: Reply = listOf(['test-model'])

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readJson(request)
    const path = new URL(request.url ?? '/', 'http://localhost').pathname
    const record = { method: request.method ?? '', path, headers: request.headers, body, bytesSent: 0 }
    requests.push(record)
    if (record.method === 'GET' && path === '/v1/models') return send(models, null, response, record)
    if (record.method !== 'POST' || path !== '/v1/chat/completions')
      return send({ status: 404 }, null, response, record)
    if (body === null) return send({ status: 400 }, null, response, record)
    return send((await handler(body)) ?? answerByDefault(body), body, response, record)
  }

  const server = createServer((request, response) => {
    // A handler that throws is a mistake in a test: the client gets a 500, the console the error.
    serve(request, response).catch((error: unknown) => {
      if (response.destroyed) return
      console.error(error)
      response.writeHead(500).end()
    })
  })
  await new Promise<void>((done, failed) => {
    server.once('error', failed).listen(port, '127.0.0.1', done)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    script(answers) {
      if (typeof answers === 'function') handler = answers
      else {
        const queue = [...answers]
        handler = () => queue.shift()
      }
    },
    scriptModels(answer) {
      models = Array.isArray(answer) ? listOf(answer) : (answer as Reply)
    },
    reset() {
      requests.length = 0
      handler = answerByDefault
      models = listOf(['test-model'])
    },
    close() {
      const closed = new Promise<void>((done) => void server.close(() => done()))
      server.closeAllConnections() // those that hang would keep it open for ever
      return closed
    },
  }
}

/** Answers the asker by a call, or as plain text when there is no such tool. */
/** The user message without its last line, where that says how to answer. */
export function wordsIn({ messages }: Pick<ModelRequest, 'messages'>): string {
  const said: unknown = messages.findLast(({ role }) => role === 'user')?.content ?? ''
  // of parts the words are the last one
  const user = Array.isArray(said) ? String(said.at(-1)?.text ?? '') : String(said)
  return user.replace(HOW_TO_ANSWER, '')
}
const HOW_TO_ANSWER =
  /\n\n(@[a-z][a-z0-9-]* (may be waiting|does not wait|wants no answer)|First call a tool|Answer in plain words|Your role answers nobody|If nothing is left to do)[^\n]*$/

function answerByDefault({ messages, tools = [] }: ModelRequest): Answering {
  const content = `ok: ${wordsIn({ messages })}`
  const maySpeak = tools.some((tool) => tool.function.name === 'summon')
  return maySpeak ? { tool: { name: 'summon', args: { content } } } : { content }
}

const listOf = (ids: readonly string[]): Reply => ({
  completion: { object: 'list', data: ids.map((id) => ({ id, object: 'model' })) },
})

async function readJson(request: IncomingMessage): Promise<ModelRequest | null> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += chunk
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

async function send(
  reply: Reply,
  request: ModelRequest | null,
  response: ServerResponse,
  record: RecordedRequest,
): Promise<void> {
  const json = { 'content-type': 'application/json' }
  const write = (bytes: string | Uint8Array) => {
    record.bytesSent += Buffer.byteLength(bytes)
    return response.write(bytes)
  }
  const end = (bytes: string | Uint8Array) => {
    write(bytes)
    response.end()
  }
  const standing = () => JSON.stringify(complete(answerByDefault(request ?? EMPTY), request))
  const half = (text: string) => text.slice(0, text.length / 2)

  if ('status' in reply) {
    const body =
      reply.body === undefined || typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body)
    response.writeHead(reply.status, { ...json, ...reply.headers })
    end(body ?? '')
  } else if ('raw' in reply) {
    response.writeHead(200, { ...json, 'content-length': Buffer.byteLength(reply.raw), ...reply.headers })
    end(reply.raw)
  } else if ('hang' in reply) {
    if (reply.hang === 'mid-body') {
      response.writeHead(200, json)
      write(half(standing()))
    }
  } else if ('reset' in reply) {
    if (reply.reset === 'mid-body') {
      response.writeHead(200, json)
      write(half(standing()))
      await sleep(20) // so that the half is on its way before the line is cut
    }
    response.socket?.resetAndDestroy()
  } else if ('drip' in reply) {
    const pauseMs = Math.max(100, 1000 / reply.drip.bytesPerSecond)
    const step = Math.max(1, Math.round((reply.drip.bytesPerSecond * pauseMs) / 1000))
    const text = standing()
    response.writeHead(200, json)
    for (let at = 0; at < text.length && !response.destroyed; at += step) {
      write(text.slice(at, at + step))
      await sleep(pauseMs)
    }
    response.end()
  } else if ('huge' in reply) {
    response.writeHead(200, json)
    await pipeline(endless(reply.huge, record), response).catch(() => {}) // whoever asked may well hang up
  } else if (request?.stream === true && (reply as Completion).streamed?.whole !== true) {
    await sendPieces(complete(reply, request), {
      request,
      streamed: (reply as Completion).streamed ?? {},
      response,
      write,
    })
  } else {
    response.writeHead(200, json)
    end(JSON.stringify(complete(reply, request)))
  }
}

/** Sends a completion as chunks of a stream: the words, then the calls, each in pieces of a few letters. */
async function sendPieces(
  whole: unknown,
  {
    request,
    streamed: { before, breaks, noUsage },
    response,
    write,
  }: {
    readonly request: ModelRequest
    readonly streamed: Streamed
    readonly response: ServerResponse
    readonly write: (text: string) => boolean
  },
): Promise<void> {
  const { usage, choices, model } = whole as WholeCompletion
  const [{ message, finish_reason }] = choices
  const event = (data: unknown) => write(`data: ${JSON.stringify(data)}\n\n`)
  const chunk = (delta: unknown, finish: string | null = null) => ({
    object: 'chat.completion.chunk',
    ...(model === undefined ? {} : { model }),
    choices: [{ index: 0, delta, finish_reason: finish }],
  })
  const words = piecesOf(typeof message.content === 'string' ? message.content : '').map((content) => ({
    content,
  }))
  const calls = (message.tool_calls ?? []).flatMap(({ id, function: { name, arguments: args } }, index) => [
    { tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] },
    ...piecesOf(args).map((piece) => ({ tool_calls: [{ index, function: { arguments: piece } }] })),
  ])
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
  event(chunk({ role: 'assistant', content: '' }))
  for (const [i, delta] of [...words, ...calls].entries()) {
    if (breaks?.after === i) return void (await breakOff(breaks.how, response, event))
    await before?.(i)
    if (response.destroyed) return
    event(chunk(delta))
  }
  event(chunk({}, finish_reason))
  const { include_usage: asked } = (request.stream_options ?? {}) as { include_usage?: boolean }
  if (asked === true && noUsage !== true && usage !== undefined) event({ choices: [], usage })
  write('data: [DONE]\n\n')
  response.end()
}

interface WholeCompletion {
  readonly model?: string
  readonly usage?: unknown
  readonly choices: readonly [
    {
      readonly finish_reason: string
      readonly message: {
        readonly content: unknown
        readonly tool_calls?: readonly { id: string; function: { name: string; arguments: string } }[]
      }
    },
  ]
}

async function breakOff(
  how: 'reset' | 'end' | 'error',
  response: ServerResponse,
  event: (data: unknown) => boolean,
): Promise<void> {
  await sleep(20) // so that the first half is on its way
  if (how === 'reset') return void response.socket?.resetAndDestroy()
  if (how === 'error') event({ error: { message: 'overloaded', code: 503 } })
  response.end()
}

/** Cuts after every few letters, also within a pair of surrogates, as JSON allows. */
export const piecesOf = (text: string): string[] => text.match(/.{1,7}/gs) ?? []

const EMPTY: ModelRequest = { model: '', messages: [] }

function* endless(bytes: number, record: RecordedRequest): Generator<string> {
  const chunk = 'x'.repeat(64 * 1024)
  yield '{"choices":[{"message":{"content":"'
  for (; record.bytesSent < bytes; record.bytesSent += chunk.length) yield chunk
}

function complete(reply: Answering, request: ModelRequest | null): unknown {
  if ('completion' in reply) return reply.completion
  const { content = null, usage, finishReason } = reply as Completion
  const tools = 'tools' in reply ? reply.tools : 'tool' in reply ? [reply.tool] : []
  const calls = tools.map(({ name, args }, i) => ({
    id: `call-${i + 1}`,
    type: 'function',
    function: { name, arguments: typeof args === 'string' ? args : JSON.stringify(args) },
  }))
  const words = JSON.stringify([content, calls])
  const counted = {
    prompt_tokens: tokensOf(JSON.stringify(request?.messages ?? [])),
    completion_tokens: tokensOf(words),
  }
  return {
    id: 'completion-1',
    object: 'chat.completion',
    model: request?.model,
    choices: [
      {
        index: 0,
        finish_reason: finishReason ?? (calls.length > 0 ? 'tool_calls' : 'stop'),
        message: { role: 'assistant', content, ...(calls.length > 0 && { tool_calls: calls }) },
      },
    ],
    ...(usage !== null && { usage: usage ?? counted }),
  }
}

/** About as many as a tokenizer would count; the same for the same text. */
const tokensOf = (text: string): number => Math.ceil(text.length / 4)

if (import.meta.main) {
  const { values } = parseArgs({ options: { port: { type: 'string', default: '0' } } })
  const server = await startModelServer({ port: Number(values.port) })
  console.log(server.url)
}
