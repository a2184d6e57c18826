import { gzipSync } from 'node:zlib'
import { describe, expect, it, vi } from 'vitest'
import {
  ask,
  failure,
  KEY,
  mind,
  outcome,
  promptOf,
  SENTINEL,
  server,
  spoke,
  startModelServer,
  useServer,
} from '../../test/asked-model.ts'
import { createModel, ModelTransientError, modelEndpoint } from './model.ts'

useServer()

describe('an answer without end is cut while it comes', () => {
  const MB = 1024 * 1024
  const tooLong = failure(`model answered with more than ${MB} bytes`)

  it('10 MB with a length', async () => {
    server.script([
      { raw: JSON.stringify({ choices: [{ message: { content: SENTINEL.repeat(800_000) } }] }) },
    ])
    expect(await outcome()).toEqual(tooLong)
  })

  it('500 MB without one: the server is hung up on', async () => {
    server.script([{ huge: 500 * MB }])
    expect(await outcome()).toEqual(tooLong)
    await new Promise((done) => setTimeout(done, 100))
    expect(server.requests[0]?.bytesSent).toBeLessThan(50 * MB) // a few MB wait in sockets
  })

  it('100 MB in a small zip', async () => {
    const raw = gzipSync(Buffer.alloc(100 * MB, 32))
    server.script([{ raw, headers: { 'content-encoding': 'gzip' } }])
    expect(await outcome()).toEqual(tooLong)
  })

  it('exactly the bound is read', async () => {
    const text = JSON.stringify({ choices: [{ message: { content: 'hm' } }] })
    server.script([{ raw: text.padEnd(MB, ' ') }])
    expect(await outcome()).toMatchObject({ decision: { kind: 'see', content: 'hm' } })
    server.reset()
    server.script([{ raw: text.padEnd(MB + 1, ' ') }])
    expect(await outcome()).toEqual(tooLong)
  })

  it('of the body of an error only the start is read', async () => {
    server.script([{ status: 500, body: SENTINEL.repeat(1_000_000) }])
    expect(await outcome()).toBeInstanceOf(ModelTransientError)
  })
})

describe('what may yet go well is thrown, for Temporal to try again', () => {
  const transient = (fields: object) => {
    const error = new ModelTransientError('LLM_FAILED', 'x')
    return expect.objectContaining({ name: error.name, code: error.code, ...fields })
  }

  it.each([408, 409, 429, 500, 501, 502, 503, 504, 529, 599])('status %i', async (status) => {
    server.script([{ status, body: { error: { message: SENTINEL } }, headers: { 'x-request-id': SENTINEL } }])
    const error = (await outcome()) as ModelTransientError
    expect(error).toEqual(transient({ status, message: `model answered ${status}` }))
    expect(error.retryAfterMs).toBeUndefined()
    // the provider charges for answers, and this is none
    expect(error.isFree).toBe(![408, 504, 599].includes(status))
    expect(error).not.toHaveProperty('cause')
  })

  it.each([
    [{ 'retry-after': '3' }, 3000],
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after-ms': '250', 'retry-after': '3' }, 250],
    [{ 'retry-after-ms': 'soon', 'retry-after': '3' }, 3000],
    [{ 'retry-after': '99999999' }, 3_600_000],
    [{ 'retry-after': 'Fri, 01 Jan 2999 00:00:00 GMT' }, 3_600_000],
    [{ 'retry-after': 'Fri, 01 Jan 1999 00:00:00 GMT' }, undefined],
    [{ 'retry-after': '-3' }, undefined],
    [{ 'retry-after': SENTINEL }, undefined],
    [{ 'x-should-retry': 'true' }, undefined],
  ])('429 with %j asks for %s ms', async (headers, retryAfterMs) => {
    server.script([{ status: 429, headers }])
    const error = (await outcome()) as ModelTransientError
    expect(error).toBeInstanceOf(ModelTransientError)
    expect(error.retryAfterMs).toBe(retryAfterMs)
  })

  it.each(['at-once', 'mid-body'] as const)('a connection cut %s', async (reset) => {
    server.script([{ reset }])
    const error = (await outcome()) as ModelTransientError
    expect(error).toEqual(
      transient({ message: expect.stringMatching(/^connection to the model failed \([A-Z_]+\)$/) }),
    )
    expect(error.status).toBeUndefined()
    expect(error).not.toHaveProperty('cause')
  })

  it.each([
    ['a port that was left', (left: { url: string }) => left.url, 'ECONNREFUSED'],
    ['a name that nobody has', () => 'http://model.invalid/v1', 'ENOTFOUND|EAI_AGAIN'],
  ])('nobody at %s', async (_, urlOf, code) => {
    const left = await startModelServer()
    await left.close()
    const baseUrl = urlOf(left)
    const error = await createModel(modelEndpoint({ ...mind, baseUrl, apiKey: KEY }), { timeoutSeconds: 10 })
      .decide(ask)
      .catch((caught: unknown) => caught)
    const message = expect.stringMatching(new RegExp(`^connection to the model failed \\((${code})\\)$`))
    expect(error).toEqual(transient({ message }))
  })

  it.each([
    ['says nothing', { hang: true }],
    ['stops in the middle', { hang: 'mid-body' }],
    ['drips', { drip: { bytesPerSecond: 20 } }],
    ['drips a byte a second', { drip: { bytesPerSecond: 1 } }],
  ] as const)('a model that %s ends at the timeout', async (_, reply) => {
    server.script([reply])
    const startedAt = performance.now()
    const error = await outcome(0.5)
    const message = 'model did not answer within 0.5 s'
    expect(error).toEqual(
      expect.objectContaining({ name: 'ModelTransientError', code: 'LLM_TIMEOUT', message }),
    )
    expect(error).not.toHaveProperty('cause')
    expect(performance.now() - startedAt).toBeGreaterThan(450)
    expect(performance.now() - startedAt).toBeLessThan(3000)
  })

  it('a slow answer within the time is an answer', async () => {
    server.script([{ drip: { bytesPerSecond: 400 } }])
    expect(await outcome()).toMatchObject({ decision: spoke('ok: hello') })
  })
})

describe('cancellation', () => {
  it.each([{ hang: true }, { hang: 'mid-body' }] as const)(
    'ends a call under way with its own reason: %j',
    async (reply) => {
      server.script([reply])
      const stop = new AbortController()
      const reason = new Error('the worker shuts down')
      setTimeout(() => stop.abort(reason), 200)
      const model = createModel(mind, { timeoutSeconds: 10 })
      await expect(model.decide({ ...ask, signal: stop.signal })).rejects.toBe(reason)
      expect(server.requests).toHaveLength(1)
    },
  )

  it('asks nothing when it came first', async () => {
    const reason = new Error('too late')
    const model = createModel(mind, { timeoutSeconds: 10 })
    await expect(model.decide({ ...ask, signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    expect(server.requests).toEqual([])
  })
})

it.each(['debug', 'nonsense'])('OPENAI_LOG=%s prints nothing, neither prompts nor answers', async (level) => {
  const printed = (['debug', 'info', 'log', 'warn', 'error'] as const).map((name) => vi.spyOn(console, name))
  vi.stubEnv('OPENAI_LOG', level)
  try {
    server.script([{ status: 500, body: SENTINEL }, { content: 'hm' }])
    const model = createModel(mind, { timeoutSeconds: 10 })
    await expect(model.decide(ask)).rejects.toBeInstanceOf(ModelTransientError)
    await model.decide(ask)
    for (const spy of printed) expect(spy).not.toHaveBeenCalled()
  } finally {
    vi.unstubAllEnvs()
    vi.restoreAllMocks()
  }
})

it('100 calls at once are 100 requests, each with its own answer', async () => {
  const model = createModel(mind, { timeoutSeconds: 10 })
  const users = Array.from({ length: 100 }, (_, i) => `n${i}`)
  const answers = await Promise.all(
    users.map((user) => model.decide({ ...ask, prompt: promptOf('s', user) })),
  )
  expect(answers.map(({ decision }) => decision)).toEqual(users.map((user) => spoke(`ok: ${user}`)))
  expect(server.requests).toHaveLength(100)
})
