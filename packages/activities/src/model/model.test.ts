import { inspect } from 'node:util'
import { describe, expect, it, vi } from 'vitest'
import {
  ask,
  failure,
  KEY,
  mind,
  outcome,
  prompt,
  SENTINEL,
  server,
  spoke,
  startModelServer,
  tools,
  useServer,
} from '../../test/asked-model.ts'
import { EndpointClient } from './endpoint-client.ts'
import { createModel, modelEndpoint } from './model.ts'

useServer()

describe('what is asked', () => {
  const bodyOf = async (request: Partial<Parameters<ReturnType<typeof createModel>['decide']>[0]>) => {
    server.reset()
    await createModel(mind, { timeoutSeconds: 10 }).decide({ ...ask, ...request })
    return server.requests[0]?.body
  }
  const messages = [
    { role: 'system', content: prompt.system },
    { role: 'user', content: prompt.user },
  ]
  const base = { model: 'owl-1', messages }

  it('is exactly a system and a user message, and the tools', async () => {
    const offered = { tools, parallel_tool_calls: false }
    expect(await bodyOf({})).toEqual({ ...base, ...offered, tool_choice: 'auto' })
    expect(await bodyOf({ forceToolCall: true })).toEqual({ ...base, ...offered, tool_choice: 'required' })
  })

  it('has nothing about tools when there are none, forced or not', async () => {
    expect(await bodyOf({ tools: [] })).toEqual(base)
    expect(await bodyOf({ tools: [], forceToolCall: true })).toEqual(base)
  })

  it('has max_tokens when a request gives a bound, and no such field otherwise', async () => {
    expect(await bodyOf({ tools: [], maxTokens: 77 })).toEqual({ ...base, max_tokens: 77 })
    expect(await bodyOf({ tools: [] })).toEqual(base)
  })

  it.each([
    [KEY, `Bearer ${KEY}`],
    [null, undefined],
  ])('is sent under the key %s, where there is one', async (apiKey, authorization) => {
    vi.stubEnv('OPENAI_API_KEY', 'sk-of-another-endpoint')
    vi.stubEnv('OPENAI_ADMIN_KEY', 'sk-admin')
    vi.stubEnv('OPENAI_ORG_ID', 'org-1')
    vi.stubEnv('OPENAI_BASE_URL', 'http://127.0.0.1:9')
    try {
      const one = createModel(modelEndpoint({ ...mind, apiKey }), { timeoutSeconds: 10 })
      await one.decide(ask)
    } finally {
      vi.unstubAllEnvs()
    }
    expect(server.requests).toHaveLength(1)
    expect(server.requests[0]?.headers.authorization).toBe(authorization)
    expect(server.requests[0]?.headers).not.toHaveProperty('openai-organization')
  })
})

describe('the name of the limit of an answer', () => {
  const bounded = { ...ask, maxTokens: 77 }
  const sent = () =>
    server.requests.map(({ body }) => Object.keys(body ?? {}).filter((field) => field.startsWith('max_')))
  const refuses = (name: string, status: number) => ({
    status,
    body: {
      error: { message: `${SENTINEL}: Unsupported parameter: '${name}' is not supported with this model.` },
    },
  })
  const FINE = { content: 'hm' }

  it.each([400, 422])(
    'is the other one after a refusal by %i that names it, from then on',
    async (status) => {
      server.script([refuses('max_tokens', status), FINE, FINE])
      const model = createModel(mind, { timeoutSeconds: 10 })
      const answer = await model.decide(bounded)
      expect(answer).toMatchObject({ decision: { content: 'hm' } })
      expect(inspect(answer, { showHidden: true })).not.toContain(SENTINEL)
      await model.decide(bounded)
      expect(sent()).toEqual([['max_tokens'], ['max_completion_tokens'], ['max_completion_tokens']])
    },
  )

  it('is the first one again when no answer followed: the refusal may have quoted a prompt', async () => {
    server.script([refuses('max_tokens', 400), { status: 400 }, { status: 400 }, FINE])
    const model = createModel(mind, { timeoutSeconds: 10 })
    expect(await model.decide(bounded)).toMatchObject({ decision: { kind: 'failure' } })
    await model.decide(bounded)
    expect(sent()).toEqual([
      ['max_tokens'],
      ['max_completion_tokens'],
      ['max_completion_tokens'],
      ['max_tokens'],
    ])
  })

  it('stays after a refusal that names something else', async () => {
    server.script([FINE, refuses('temperature', 422), FINE])
    const model = createModel(mind, { timeoutSeconds: 10 })
    for (let i = 0; i < 3; i++) await model.decide(bounded)
    expect(sent().flat()).toEqual(['max_tokens', 'max_tokens', 'max_tokens'])
  })

  it('never goes away: a refusal of both names is a failure', async () => {
    server.script((body) =>
      'max_tokens' in body ? refuses('max_tokens', 400) : refuses('max_completion_tokens', 400),
    )
    const model = createModel(mind, { timeoutSeconds: 10 })
    expect(await model.decide(bounded)).toMatchObject({ decision: { kind: 'failure' }, refused: true })
    expect(sent()).toEqual([['max_tokens'], ['max_completion_tokens']])
  })

  it.each([
    ['https://api.openai.com/v1', 'max_completion_tokens'],
    ['https://x.openai.azure.com/openai/v1', 'max_completion_tokens'],
    ['https://api.mistral.ai/v1', 'max_tokens'],
    ['https://notopenai.com/v1', 'max_tokens'],
  ])('at %s is %s first', (baseUrl, name) => {
    const client = new EndpointClient(modelEndpoint({ ...mind, baseUrl, apiKey: KEY }), 10)
    expect(client.bodyOf(bounded)).toHaveProperty(name, 77)
  })
})

it('another model of the endpoint is asked with the same key', async () => {
  const endpoint = modelEndpoint({ ...mind, apiKey: KEY })
  await createModel(endpoint, { timeoutSeconds: 10 }).as('owl-2').decide(ask)
  expect(server.requests[0]?.body?.model).toBe('owl-2')
  expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`)
})

it('names the connection whose key is refused', async () => {
  server.script([{ status: 401 }])
  const endpoint = modelEndpoint({ ...mind, apiKey: KEY, connection: 'judge' })
  expect(await createModel(endpoint, { timeoutSeconds: 10 }).decide(ask)).toMatchObject({
    decision: { message: 'model answered 401: check the key of the model connection judge' },
  })
})

describe('what is answered', () => {
  it('the default of the server speaks back to whoever asked', async () => {
    expect(await outcome()).toEqual({
      decision: spoke('ok: hello'),
      usage: { promptTokens: expect.any(Number), completionTokens: expect.any(Number) },
      ignoredCalls: 0,
    })
  })

  it('a call and prose', async () => {
    server.script([{ tool: { name: 'summon', args: { content: 'hi' } }, content: 'I greet.' }])
    expect(await outcome()).toMatchObject({ decision: { ...spoke('hi'), content: 'I greet.' } })
  })

  it('prose', async () => {
    server.script(() => ({ content: 'hm' }))
    expect(await outcome()).toMatchObject({ decision: { kind: 'see', content: 'hm' }, ignoredCalls: 0 })
  })

  it('two calls', async () => {
    const call = (content: string) => ({ name: 'summon', args: { content } })
    server.script([{ tools: [call('one'), call('two')] }])
    expect(await outcome()).toMatchObject({ decision: spoke('one'), ignoredCalls: 1 })
  })

  it('a call in text, only of a tool that was offered', async () => {
    const text = (name: string, args: unknown) =>
      `<tool_call>${JSON.stringify({ name, arguments: args })}</tool_call>`
    server.script([{ content: text('summon', { content: 'hi' }) }])
    expect(await outcome()).toMatchObject({ decision: spoke('hi') })
    server.reset()
    const content = text('do', { operation: 'tick' })
    server.script([{ content }])
    expect(await outcome()).toMatchObject({ decision: { kind: 'see', content } })
  })

  it.each([
    ['an unknown tool', { name: 'fly', args: { to: SENTINEL } }],
    ['__proto__', { name: 'see', args: `{"address":"/","__proto__":{"x":"${SENTINEL}"}}` }],
    ['arguments cut off', { name: 'see', args: `{"address":"${SENTINEL}` }],
    ['5 MB of arguments', { name: 'see', args: { address: 'x'.repeat(5_000_000) } }],
  ])('a failure for %s', async (_, tool) => {
    server.script([{ tool }])
    const result = await outcome()
    expect(result).toMatchObject({ decision: { kind: 'failure', code: 'LLM_FAILED' } })
  })

  it.each([
    ['none', null, null],
    ['negative', { prompt_tokens: -1, completion_tokens: 1 }, null],
    ['no whole number', { prompt_tokens: 1.5, completion_tokens: 1 }, null],
    ['a prompt of nothing', { prompt_tokens: 0, completion_tokens: 0 }, null],
    ['as told', { prompt_tokens: 9, completion_tokens: 4 }, { promptTokens: 9, completionTokens: 4 }],
  ])('usage: %s', async (_, usage, expected) => {
    server.script([{ content: 'hm', usage }])
    expect(await outcome()).toMatchObject({ usage: expected })
  })

  it('usage is told of a bad answer too: it was paid for', async () => {
    server.script([{ tool: { name: 'fly', args: {} }, usage: { prompt_tokens: 9, completion_tokens: 4 } }])
    expect(await outcome()).toMatchObject({ decision: { kind: 'failure' }, usage: { promptTokens: 9 } })
  })
})

describe('what cannot be mended is a failure at once', () => {
  it.each([
    [401, 'model answered 401: check OPENAI_API_KEY'],
    [403, 'model answered 403: check what OPENAI_API_KEY may use'],
    [404, 'model answered 404: check TREEOS_MODEL and OPENAI_BASE_URL'],
    [413, 'model answered 413: the prompt is longer than TREEOS_MODEL takes'],
    [422, 'model answered 422'],
    [600, 'model answered 600, which is not an HTTP status'],
    [999, 'model answered 999, which is not an HTTP status'],
  ])('status %i', async (status, message) => {
    server.script([{ status, body: { error: { message: SENTINEL } } }])
    // so would any other request be
    const away = [401, 403, 404].includes(status) ? { unavailable: true } : {}
    const refused = status < 500 ? { refused: true, ...away } : {} // whatever was asked, nobody worked on it
    expect(await outcome()).toEqual({ ...failure(message), ...refused })
  })

  it('status 400, once the same request was refused twice; what the second one gives counts', async () => {
    const refused = { status: 400, body: { error: { message: SENTINEL } } }
    server.script([refused, refused, refused, { content: 'hm' }])
    const model = createModel(mind, { timeoutSeconds: 10 })
    const why = 'model answered 400: check that TREEOS_MODEL can call tools and takes prompts of this length'
    expect(await model.decide(ask)).toEqual({ ...failure(why), refused: true })
    expect(await model.decide(ask)).toMatchObject({ decision: { content: 'hm' } })
    expect(new Set(server.requests.map(({ body }) => JSON.stringify(body))).size).toBe(1)
    expect(server.requests).toHaveLength(4)
  })

  it.each([301, 302, 303, 307, 308])('a redirect by %i is not followed', async (status) => {
    const elsewhere = await startModelServer()
    server.script([{ status, headers: { location: `${elsewhere.url}/chat/completions` } }])
    expect(await outcome()).toEqual(
      failure(`model answered ${status}: redirects are not followed, check OPENAI_BASE_URL`),
    )
    expect(elsewhere.requests).toEqual([])
    await elsewhere.close()
  })

  it.each([
    ['garbage', { raw: `<html>${SENTINEL}` }],
    ['half a JSON', { raw: `{"choices":["${SENTINEL}"` }],
    ['nothing', { raw: '' }],
    ['no content', { status: 204 }],
  ])('%s', async (_, reply) => {
    server.script([reply])
    expect(await outcome()).toEqual(failure('model answered with something that is not JSON'))
  })

  it.each([
    ['no choice', { completion: { choices: [] } }],
    ['no message', { completion: { choices: [{ message: null }] } }],
  ])('%s', async (_, reply) => {
    server.script([reply])
    expect(await outcome()).toEqual(failure('model answered without a message'))
  })

  it("what the provider's filter withheld", async () => {
    server.script([{ content: SENTINEL, finishReason: 'content_filter' }])
    expect(await outcome()).toMatchObject({
      decision: { kind: 'failure', message: expect.stringContaining('filter') },
    })
  })

  it('a good answer counts under any content type', async () => {
    const raw = JSON.stringify({ choices: [{ message: { content: 'hm' } }] })
    server.script([{ raw, headers: { 'content-type': 'text/plain' } }])
    expect(await outcome()).toMatchObject({ decision: { kind: 'see', content: 'hm' } })
  })

  it('a key or an address that HTTP cannot carry', async () => {
    const message = 'the request to the model could not be sent: check OPENAI_BASE_URL and OPENAI_API_KEY'
    const broken = createModel(
      { ...mind, baseUrl: mind.baseUrl, apiKey: `${KEY}\n${SENTINEL}` },
      { timeoutSeconds: 1 },
    )
    expect(await broken.decide(ask)).toEqual(failure(message))
    expect(server.requests).toEqual([])
  })
})
