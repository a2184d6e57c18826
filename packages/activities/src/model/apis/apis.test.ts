import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import { carry } from '@treeos/signature'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { ask, KEY, SECRET, SENTINEL } from '../../../test/asked-model.ts'
import { createModel, faultOfEndpoint, ModelTransientError, modelEndpoint } from '../model.ts'
import { apiOf } from './api.ts'
import type { ApiName } from './shape.ts'

interface Recorded {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  // biome-ignore lint/suspicious/noExplicitAny: the JSON of another API
  readonly body: any
}
/** What a server answers: JSON under a status, or events. */
type Says =
  | { readonly status?: number; readonly json: unknown; readonly headers?: object }
  | { readonly events: readonly object[] }

let server: Server
let requests: Recorded[] = []
let says: (request: Recorded, n: number) => Says
beforeAll(async () => {
  server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request.setEncoding('utf8')) text += chunk
    const recorded = {
      path: request.url ?? '',
      headers: request.headers,
      body: text === '' ? null : JSON.parse(text),
    }
    requests.push(recorded)
    const said = says(recorded, requests.length)
    if ('events' in said) {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (const event of said.events) {
        const name = 'type' in event ? `event: ${event.type}\n` : ''
        response.write(`${name}data: ${JSON.stringify(event)}\n\n`)
      }
      return response.end()
    }
    response.writeHead(said.status ?? 200, { 'content-type': 'application/json', ...said.headers })
    response.end(JSON.stringify(said.json))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
})
afterEach(() => {
  requests = []
})
afterAll(() => new Promise((done) => server.close(done)))

const endpointOf = (api: ApiName, more: object = {}) =>
  modelEndpoint({
    api,
    model: api === 'gemini' ? 'gemini-3.5-flash' : 'claude-sonnet-5',
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    apiKey: KEY,
    ...more,
  })

async function decide(api: ApiName, request: object = {}, more: object = {}) {
  const model = createModel(endpointOf(api, more), { timeoutSeconds: 5 })
  const result = await model.decide({ ...ask, ...request }).catch((error: unknown) => error)
  const told = inspect(result, { depth: 10, showHidden: true })
  for (const secret of [KEY, SECRET, SENTINEL]) expect(told).not.toContain(secret)
  return result
}

const seen = (content: string | null = null) => ({
  kind: 'call',
  call: { verb: 'see', address: '/a' },
  content,
})
const failure = (message: unknown) => ({ kind: 'failure', code: 'LLM_FAILED', message })
const SPENT = expect.stringMatching(/^model used up its tokens before it said anything/)
const FILTERED = "model's answer was withheld by its provider's filter"

interface Case {
  readonly what: string
  readonly whole: object
  readonly events: readonly object[]
  readonly comes: object
}

const usage = {
  input_tokens: 8,
  cache_read_input_tokens: 30,
  cache_creation_input_tokens: 2,
  output_tokens: 7,
}
const USED = { promptTokens: 40, completionTokens: 7, cachedTokens: 30 }
const claude = (content: object[], stop_reason: string) => ({
  type: 'message',
  role: 'assistant',
  content,
  stop_reason,
  usage,
})
const start = { type: 'message_start', message: { usage: { ...usage, output_tokens: 1 } } }
const end = (stop_reason: string) => [
  { type: 'message_delta', delta: { stop_reason }, usage: { output_tokens: 7 } },
  { type: 'message_stop' },
]
const block = (index: number, content_block: object, ...deltas: object[]) => [
  { type: 'content_block_start', index, content_block },
  ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
  { type: 'content_block_stop', index },
]
const SEE = { type: 'tool_use', id: 't1', name: 'see' }

const CLAUDE: readonly Case[] = [
  {
    what: 'words',
    whole: claude([{ type: 'text', text: 'It rains.' }], 'end_turn'),
    events: [
      start,
      { type: 'ping' },
      ...block(
        0,
        { type: 'text', text: '' },
        { type: 'text_delta', text: 'It ' },
        { type: 'text_delta', text: 'rains.' },
      ),
      ...end('end_turn'),
    ],
    comes: { decision: { kind: 'see', content: 'It rains.' }, usage: USED },
  },
  {
    what: 'thinking, words and a call',
    whole: claude(
      [
        { type: 'thinking', thinking: SENTINEL },
        { type: 'text', text: 'I look.' },
        { ...SEE, input: { address: '/a' } },
      ],
      'tool_use',
    ),
    events: [
      start,
      ...block(
        0,
        { type: 'thinking', thinking: '' },
        { type: 'thinking_delta', thinking: SENTINEL },
        { type: 'signature_delta', signature: 'x' },
      ),
      ...block(1, { type: 'text', text: '' }, { type: 'text_delta', text: 'I look.' }),
      ...block(
        2,
        { ...SEE, input: {} },
        { type: 'input_json_delta', partial_json: '' },
        { type: 'input_json_delta', partial_json: '{"addr' },
        { type: 'input_json_delta', partial_json: 'ess":"/a"}' },
      ),
      ...end('tool_use'),
    ],
    comes: { decision: seen('I look.'), usage: USED, ignoredCalls: 0 },
  },
  {
    what: 'two calls',
    whole: claude(
      [
        { ...SEE, input: { address: '/a' } },
        { ...SEE, id: 't2', input: { address: '/b' } },
      ],
      'tool_use',
    ),
    events: [
      start,
      ...block(0, { ...SEE, input: {} }, { type: 'input_json_delta', partial_json: '{"address":"/a"}' }),
      ...block(
        1,
        { ...SEE, id: 't2', input: {} },
        { type: 'input_json_delta', partial_json: '{"address":"/b"}' },
      ),
      ...end('tool_use'),
    ],
    comes: { decision: seen(), ignoredCalls: 1 },
  },
  {
    what: 'a limit spent on thinking',
    whole: claude([{ type: 'thinking', thinking: 'Hm' }], 'max_tokens'),
    events: [
      start,
      ...block(0, { type: 'thinking', thinking: '' }, { type: 'thinking_delta', thinking: 'Hm' }),
      ...end('max_tokens'),
    ],
    comes: { decision: failure(SPENT) },
  },
  {
    what: 'a refusal of its filter',
    whole: claude([], 'refusal'),
    events: [start, ...end('refusal')],
    comes: { decision: failure(FILTERED) },
  },
]

const counted = {
  promptTokenCount: 40,
  candidatesTokenCount: 3,
  thoughtsTokenCount: 4,
  cachedContentTokenCount: 30,
  totalTokenCount: 47,
}
const gemini = (parts: object[], finishReason: string | null, more: object = { usageMetadata: counted }) => ({
  candidates: [{ content: { parts, role: 'model' }, ...(finishReason === null ? {} : { finishReason }) }],
  ...more,
})
const LOOK = { functionCall: { name: 'see', args: { address: '/a' } } }

const GEMINI: readonly Case[] = [
  {
    what: 'words',
    whole: gemini([{ text: 'It rains.' }], 'STOP'),
    events: [
      gemini([{ text: 'It ' }], null, {}),
      gemini([{ text: 'rains.' }], null, {}),
      gemini([{ text: '' }], 'STOP'),
    ],
    comes: { decision: { kind: 'see', content: 'It rains.' }, usage: USED },
  },
  {
    what: 'thinking, words and a call',
    whole: gemini([{ text: SENTINEL, thought: true }, { text: 'I look.' }, LOOK], 'STOP'),
    events: [
      gemini([{ text: SENTINEL, thought: true }], null, {}),
      gemini([{ text: 'I look.' }], null, {}),
      gemini([LOOK], 'STOP'),
    ],
    comes: { decision: seen('I look.'), usage: USED, ignoredCalls: 0 },
  },
  {
    what: 'two calls',
    whole: gemini([LOOK, { functionCall: { name: 'see', args: { address: '/b' } } }], 'STOP'),
    events: [
      gemini([LOOK], null),
      gemini([{ functionCall: { name: 'see', args: { address: '/b' } } }], 'STOP'),
    ],
    comes: { decision: seen(), ignoredCalls: 1 },
  },
  {
    what: 'a limit spent on thinking',
    whole: gemini([], 'MAX_TOKENS'),
    events: [gemini([], 'MAX_TOKENS')],
    comes: { decision: failure(SPENT) },
  },
  {
    what: 'a call that it could not read',
    whole: gemini([], 'MALFORMED_FUNCTION_CALL'),
    events: [gemini([], 'MALFORMED_FUNCTION_CALL')],
    comes: { decision: failure('model wrote a call that its server could not read') },
  },
  {
    what: 'a prompt that its filter blocks',
    whole: { promptFeedback: { blockReason: 'SAFETY' }, usageMetadata: counted },
    events: [{ promptFeedback: { blockReason: 'SAFETY' }, usageMetadata: counted }],
    comes: { decision: failure(FILTERED) },
  },
]

describe.each([
  ['anthropic', CLAUDE],
  ['gemini', GEMINI],
] as const)('an answer of %s', (api, cases) => {
  it.each(cases.map((one) => [one.what, one] as const))(
    'of %s is read, whole and as a stream',
    async (_, { whole, events, comes }) => {
      says = ({ body, path }) =>
        body.stream === true || path.includes('stream') ? { events } : { json: whole }
      const result = await decide(api)
      expect(result).toMatchObject(comes)
      const heard: string[] = []
      expect(await decide(api, { onSaying: ({ text }: { text: string }) => heard.push(text) })).toEqual(
        result,
      )
      expect(heard.join('')).not.toContain(SENTINEL)
    },
  )
})

describe('a request', () => {
  const { prompt, tools } = ask
  it('to Anthropic has its own form', async () => {
    says = () => ({ json: claude([], 'end_turn') })
    await decide('anthropic', { forceToolCall: true, maxTokens: 99 }, { parameters: { temperature: 0 } })
    const [request] = requests
    expect(request?.path).toBe('/v1/messages')
    expect(request?.headers).toMatchObject({ 'x-api-key': KEY, 'anthropic-version': '2023-06-01' })
    expect(request?.headers).not.toHaveProperty('authorization')
    expect(request?.body).toEqual({
      model: 'claude-sonnet-5',
      max_tokens: 99,
      temperature: 0,
      system: prompt.system,
      messages: [{ role: 'user', content: prompt.user }],
      tools: tools.map(({ function: { name, description, parameters } }) => ({
        name,
        description,
        input_schema: parameters,
      })),
      tool_choice: { type: 'any', disable_parallel_tool_use: true },
    })
  })

  it('to Gemini has its own form', async () => {
    says = () => ({ json: gemini([], 'STOP') })
    await decide('gemini', { forceToolCall: true, maxTokens: 99 }, { parameters: { temperature: 0 } })
    await decide('gemini', { onSaying: () => undefined })
    const [request, streamed] = requests
    expect(request?.path).toBe('/v1/models/gemini-3.5-flash:generateContent')
    expect(streamed?.path).toBe('/v1/models/gemini-3.5-flash:streamGenerateContent?alt=sse')
    expect(request?.headers).toMatchObject({ 'x-goog-api-key': KEY })
    expect(request?.body).toEqual({
      systemInstruction: { parts: [{ text: prompt.system }] },
      contents: [{ role: 'user', parts: [{ text: prompt.user }] }],
      generationConfig: { temperature: 0, maxOutputTokens: 99 },
      tools: [
        {
          functionDeclarations: tools.map(({ function: { name, description, parameters } }) => ({
            name,
            description,
            parametersJsonSchema: parameters,
          })),
        },
      ],
      toolConfig: { functionCallingConfig: { mode: 'ANY' } },
    })
  })

  const pictures = [{ name: carry('file', 'matter:file-1 cat.png'), mediaType: 'image/png', data: 'QUJD' }]
  const words = { text: expect.stringContaining('hello') }
  it.each([
    [
      'openai',
      { choices: [{ message: { content: 'A cat.' } }] },
      ({ messages: [, { content }] }: Recorded['body']) => content,
      [
        { type: 'text', text: '[file]\nmatter:file-1 cat.png:' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,QUJD' } },
        { type: 'text', ...words },
      ],
    ],
    [
      'anthropic',
      claude([{ type: 'text', text: 'A cat.' }], 'end_turn'),
      ({ messages: [{ content }] }: Recorded['body']) => content,
      [
        { type: 'text', text: '[file]\nmatter:file-1 cat.png:' },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'QUJD' } },
        { type: 'text', ...words },
      ],
    ],
    [
      'gemini',
      { candidates: [{ content: { parts: [{ text: 'A cat.' }] }, finishReason: 'STOP' }] },
      ({ contents: [{ parts }] }: Recorded['body']) => parts,
      [
        { text: '[file]\nmatter:file-1 cat.png:' },
        { inlineData: { mimeType: 'image/png', data: 'QUJD' } },
        words,
      ],
    ],
  ] as const)(
    'to %s shows a picture before the words, and is bounded for it',
    async (api, json, partsIn, parts) => {
      says = () => ({ json })
      await decide(api, { pictures })
      expect(partsIn(requests[0]?.body)).toEqual(parts)
      const model = createModel(endpointOf(api), { timeoutSeconds: 5 })
      expect(model.boundPrompt({ ...ask, pictures }) - model.boundPrompt(ask)).toBe(17_000)
    },
  )

  it('shows no picture to a model that is said to take none, or that refuses it, and tells that', async () => {
    const answer = { choices: [{ message: { content: 'No.' } }] }
    const sent = () => requests.map(({ body }) => body.messages[1].content)
    says = () => ({ json: answer })
    await decide('openai', { pictures }, { pictures: false })
    const told = expect.stringMatching(
      /^\[file\]\nmatter:file-1 cat\.png is not shown: this model takes no pictures\./,
    )
    expect(sent()).toEqual([told])
    requests = []
    says = ({ body }) =>
      Array.isArray(body.messages[1].content)
        ? {
            status: 400,
            json: {
              error: { message: 'Invalid content type. image_url is only supported by certain models.' },
            },
          }
        : { json: answer }
    const model = createModel(endpointOf('openai'), { timeoutSeconds: 5 })
    for (let n = 0; n < 2; n++) await model.decide({ ...ask, pictures })
    // Tried anew each time: a server may have refused that one picture.
    expect(sent()).toEqual([expect.any(Array), told, expect.any(Array), told])
  })

  it('that is refused for a forced call is sent again without', async () => {
    says = ({ body }) =>
      body.tool_choice.type === 'any'
        ? {
            status: 400,
            json: {
              type: 'error',
              error: {
                type: 'invalid_request_error',
                message: `Thinking may not be enabled when tool_choice forces tool use. ${SENTINEL}`,
              },
            },
          }
        : { json: claude([{ ...SEE, input: { address: '/a' } }], 'tool_use') }
    expect(await decide('anthropic', { forceToolCall: true })).toMatchObject({ decision: seen() })
    expect(requests.map(({ body }) => body.tool_choice.type)).toEqual(['any', 'auto'])
  })
})

describe('an error', () => {
  it.each([
    [
      'anthropic',
      529,
      { type: 'error', error: { type: 'overloaded_error', message: SENTINEL } },
      'model answered 529',
    ],
    [
      'anthropic',
      429,
      { type: 'error', error: { type: 'rate_limit_error', message: SENTINEL } },
      'model answered 429',
    ],
    ['gemini', 503, { error: { code: 503, message: SENTINEL, status: 'UNAVAILABLE' } }, 'model answered 503'],
  ] as const)('of %s by %i may be asked again', async (api, status, json, message) => {
    says = () => ({ status, json })
    const error = await decide(api)
    expect(error).toBeInstanceOf(ModelTransientError)
    expect(error).toMatchObject({ message, isFree: true })
  })

  it('of a credit that is used up is a failure at once', async () => {
    says = () => ({
      status: 400,
      json: {
        type: 'error',
        error: {
          type: 'invalid_request_error',
          message: 'Your credit balance is too low to access the Anthropic API.',
        },
      },
    })
    expect(await decide('anthropic')).toMatchObject({
      decision: failure('model answered 400: the account of OPENAI_API_KEY has no quota or credit left'),
    })
  })

  it('in the middle of a stream may be asked again, and costs what came', async () => {
    says = () => ({
      events: [
        start,
        ...block(0, { type: 'text', text: '' }, { type: 'text_delta', text: 'It ' }),
        { type: 'error', error: { type: 'overloaded_error', message: SENTINEL } },
      ],
    })
    expect(await decide('anthropic', { onSaying: () => undefined })).toMatchObject({
      name: 'ModelTransientError',
      message: 'model answered with an error inside (503)',
      isFree: false,
    })
  })
})

it.each([
  ['anthropic', { data: [{ id: 'claude-sonnet-5' }] }, 'x-api-key'],
  ['gemini', { models: [{ name: 'models/gemini-3.5-flash' }] }, 'x-goog-api-key'],
] as const)('the models of %s are asked for with its own header', async (api, json, header) => {
  says = () => ({ json })
  expect(await faultOfEndpoint(endpointOf(api))).toBeNull()
  expect(requests[0]?.path).toBe('/v1/models')
  expect(requests[0]?.headers).toHaveProperty(header, KEY)
})

it.each([
  ['https://api.anthropic.com/v1', 'messages'],
  ['https://generativelanguage.googleapis.com/v1beta', 'models/owl:generateContent'],
  ['https://generativelanguage.googleapis.com/v1beta/openai', 'chat/completions'],
  ['https://api.openai.com/v1', 'chat/completions'],
  ['https://anthropic.example/v1', 'chat/completions'],
])('%s is asked at %s', (baseUrl, path) => {
  expect(apiOf({ baseUrl }).urlOf({ baseUrl, model: 'owl' }, false).href).toBe(`${baseUrl}/${path}`)
})
