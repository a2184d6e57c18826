import { inspect } from 'node:util'
import { toldPastProxy } from '@treeos/egress'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { faultOfEndpoint, modelEndpoint, resolveModelEndpoint } from './endpoint.ts'

// By a computed address: packages import nothing of test/, their tests only start what is there.
const { startModelServer } = (await import(
  new URL('../../../../test/support/model-server.ts', import.meta.url).href
)) as typeof import('../../../../test/support/model-server.ts')

let server: Awaited<ReturnType<typeof startModelServer>>
let host: string
beforeAll(async () => {
  server = await startModelServer()
  host = new URL(server.url).host
})
afterEach(() => {
  expect(server.requests.filter(({ path }) => path !== '/v1/models')).toEqual([]) // never a completion
  server.reset()
})
afterAll(() => server.close())

/** Stands in for the network where nothing may go out: it records what was asked for, and nobody is there. */
function nobody() {
  const asked: string[] = []
  const fetch: typeof globalThis.fetch = async (url) => {
    asked.push(String(url))
    throw new TypeError('fetch failed')
  }
  return { asked, fetch }
}

describe('a named endpoint', () => {
  it('is a key, an address and a model', async () => {
    const env = { OPENAI_API_KEY: ' sk-1 ', OPENAI_BASE_URL: `${server.url}/`, TREEOS_MODEL: 'owl-1' }
    const mind = await resolveModelEndpoint(env)
    expect(mind).toMatchObject({ model: 'owl-1', baseUrl: server.url })
    expect(mind?.apiKey).toBe('sk-1')
    expect(server.requests).toEqual([])
  })

  it.each([
    ['http://model.example/v1', 'sk-1', {}],
    ['http://10.0.0.7:8080/v1', 'sk-1', {}],
    ['http://[fd00::7]/v1', 'sk-1', {}],
    ['http://127.0.0.1.example/v1', 'sk-1', {}],
    ['http://localhost.example/v1', 'sk-1', {}],
    ['HTTP://MODEL.EXAMPLE/v1', 'sk-1', {}],
    ['http://model.example/v1?api-key=sk-1', '', {}],
    ['http://model.example/v1', 'sk-1', { TREEOS_KEYS_OVER_HTTP: 'other.example' }],
    ['http://model.example:8080/v1', 'sk-1', { TREEOS_KEYS_OVER_HTTP: 'model.example:8081' }],
  ])('a key is not taken to %s, and nothing is sent', async (OPENAI_BASE_URL, OPENAI_API_KEY, more) => {
    const { fetch, asked } = nobody()
    const taken = resolveModelEndpoint({ OPENAI_BASE_URL, OPENAI_API_KEY, ...more }, { fetch })
    await expect(taken).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining('the key would cross the network in clear'),
    })
    await expect(taken).rejects.not.toThrow('sk-1')
    expect(asked).toEqual([])
  })

  it.each([
    ['https://model.example/v1', 'sk-1', {}],
    ['http://127.0.0.1:8080/v1', 'sk-1', {}],
    ['http://127.9.9.9:8080/v1', 'sk-1', {}],
    ['http://[::1]:8080/v1', 'sk-1', {}],
    ['http://localhost:8080/v1', 'sk-1', {}],
    ['http://model.example/v1', '', {}],
    ['http://model.example/v1', 'sk-1', { TREEOS_KEYS_OVER_HTTP: 'other, Model.example' }],
    ['http://model.example:8080/v1', 'sk-1', { TREEOS_KEYS_OVER_HTTP: 'model.example:8080' }],
    ['http://[fd00::7]:8080/v1', 'sk-1', { TREEOS_KEYS_OVER_HTTP: 'fd00::7' }],
    ['http://[fd00::7]:8080/v1', 'sk-1', { TREEOS_KEYS_OVER_HTTP: '[fd00::7]' }],
  ])('the control: %s with the key %j is taken (%j)', async (OPENAI_BASE_URL, OPENAI_API_KEY, more) => {
    const { fetch, asked } = nobody()
    const env = { OPENAI_BASE_URL, OPENAI_API_KEY, TREEOS_MODEL: '', ...more }
    expect((await resolveModelEndpoint(env, { fetch }))?.baseUrl).toBe(OPENAI_BASE_URL)
    expect(asked).toHaveLength(1) // it asked for the list of models
  })

  it.each([
    ['https://host/v1/chat/completions', 'https://host/v1'],
    ['https://host/v1/chat/completions/', 'https://host/v1'],
    ['https://host/v1/messages', 'https://host/v1'],
    ['https://host/v1/responses?api-version=1', 'https://host/v1?api-version=1'],
    ['https://host.services.ai.azure.com/models', 'https://host.services.ai.azure.com/models'],
    ['https://host/v1/', 'https://host/v1'],
    ['https://host/completions-proxy/v1', 'https://host/completions-proxy/v1'],
  ])('of the address %s the base is %s', async (OPENAI_BASE_URL, baseUrl) => {
    const env = { OPENAI_BASE_URL, OPENAI_API_KEY: 'sk-1', TREEOS_MODEL: 'm' }
    expect((await resolveModelEndpoint(env, nobody()))?.baseUrl).toBe(baseUrl)
  })

  it('a key alone is OpenAI, an address alone needs no key', async () => {
    const { fetch, asked } = nobody()
    const openai = await resolveModelEndpoint({ OPENAI_API_KEY: 'sk-1', TREEOS_MODEL: 'm' }, { fetch })
    expect(openai?.baseUrl).toBe('https://api.openai.com/v1')
    const local = await resolveModelEndpoint(
      { OPENAI_BASE_URL: 'http://127.0.0.1:8080', TREEOS_MODEL: 'm' },
      { fetch },
    )
    expect(local?.baseUrl).toBe('http://127.0.0.1:8080')
    expect(local?.apiKey).toBeNull()
    expect(asked).toEqual([])
  })

  it.each([
    ['the first one listed', ['owl-1', 'owl-2'], 'owl-1'],
    ['our default where it is listed', ['whisper-1', 'gpt-4o-mini'], 'gpt-4o-mini'],
    ['our default when none is', [], 'gpt-4o-mini'],
    ['our default when it cannot be listed', { status: 500 }, 'gpt-4o-mini'],
    ['our default when the list is garbage', { raw: '<html>' }, 'gpt-4o-mini'],
    ['our default when the list is not a list', { completion: { data: {} } }, 'gpt-4o-mini'],
    ['our default when there is nothing', { completion: null }, 'gpt-4o-mini'],
    [
      'our default when the list leads elsewhere',
      { status: 302, headers: { location: '/v1/elsewhere' } },
      'gpt-4o-mini',
    ],
    ['our default when the list is endless', { huge: 100_000_000 }, 'gpt-4o-mini'],
    [
      'the first that can be a name',
      { completion: { data: [null, {}, { id: 3 }, { id: 'a\nb' }, { id: 'owl' }] } },
      'owl',
    ],
  ])('without TREEOS_MODEL the model is %s', async (_, models, model) => {
    server.scriptModels(models)
    const mind = await resolveModelEndpoint({
      OPENAI_BASE_URL: server.url,
      OPENAI_API_KEY: 'sk-1',
      TREEOS_MODEL: '',
    })
    expect(mind?.model).toBe(model)
    expect(server.requests).toHaveLength(1)
    expect(server.requests[0]?.headers.authorization).toBe('Bearer sk-1')
  })

  it.each([{ hang: true }, { hang: 'mid-body' }] as const)(
    'waits 2 s for a list, no longer: %j',
    async (reply) => {
      server.scriptModels(reply)
      const startedAt = performance.now()
      const mind = await resolveModelEndpoint({ OPENAI_BASE_URL: server.url })
      expect(mind?.model).toBe('gpt-4o-mini')
      expect(performance.now() - startedAt).toBeLessThan(3500)
    },
  )

  it.each([
    [{ OPENAI_BASE_URL: 'localhost' }, 'OPENAI_BASE_URL is not an http(s) URL: write https://host/v1'],
    [{ OPENAI_BASE_URL: 'ftp://host/v1' }, 'OPENAI_BASE_URL is not an http(s) URL: write https://host/v1'],
    [
      { OPENAI_BASE_URL: 'http://me:hush@host/v1' },
      'OPENAI_BASE_URL holds a password: put the key into OPENAI_API_KEY',
    ],
    [
      { OPENAI_API_KEY: 'hush hush' },
      expect.stringMatching(/^OPENAI_API_KEY has white space or characters outside ASCII/),
    ],
  ])('%j is refused, without a word of it', async (env, message) => {
    const { fetch, asked } = nobody()
    const refusal = await resolveModelEndpoint(env, { fetch }).catch((error: unknown) => error)
    expect(refusal).toMatchObject({ code: 'INVALID_INPUT', message })
    expect(inspect(refusal)).not.toContain('hush')
    expect(asked).toEqual([])
  })
})

describe('an Ollama', () => {
  it('is asked for where it lives by default, and when nobody is there, there is no endpoint', async () => {
    const { fetch, asked } = nobody()
    expect(await resolveModelEndpoint({ OPENAI_API_KEY: '', OPENAI_BASE_URL: ' ' }, { fetch })).toBeNull()
    expect(await resolveModelEndpoint({ TREEOS_MODEL: 'owl-1' }, { fetch })).toBeNull()
    expect(asked).toEqual(Array(2).fill('http://127.0.0.1:11434/v1/models'))
  })

  it('that answers is a mind without a key', async () => {
    server.scriptModels(['llama', 'qwen'])
    const mind = await resolveModelEndpoint({ OLLAMA_HOST: host })
    expect(mind).toMatchObject({ model: 'llama', baseUrl: server.url })
    expect(mind?.apiKey).toBeNull()
    expect((await resolveModelEndpoint({ OLLAMA_HOST: host, TREEOS_MODEL: 'qwen' }))?.model).toBe('qwen')
    expect(server.requests[0]?.headers).not.toHaveProperty('authorization')
  })

  it.each([
    ['has no model', { completion: { data: [] } }],
    ['says so by null', { completion: { data: null } }],
    ['is something else', { status: 404 }],
    ['is a web page', { raw: '<html>' }],
    ['does not answer in time', { hang: true as const }],
  ])('that %s is not an endpoint', async (_, models) => {
    server.scriptModels(models)
    const startedAt = performance.now()
    expect(await resolveModelEndpoint({ OLLAMA_HOST: host })).toBeNull()
    expect(performance.now() - startedAt).toBeLessThan(2500)
  })

  it.each([[], null])('that lists %j may still be sent for the model that is named', async (data) => {
    server.scriptModels({ completion: { data } })
    expect((await resolveModelEndpoint({ OLLAMA_HOST: host, TREEOS_MODEL: 'qwen' }))?.model).toBe('qwen')
  })

  it.each([
    ['0.0.0.0', 'http://127.0.0.1:11434/v1'],
    ['0.0.0.0:8000', 'http://127.0.0.1:8000/v1'],
    [':8000', 'http://127.0.0.1:8000/v1'],
    ['box', 'http://box:11434/v1'],
    ['box:80', 'http://box/v1'],
    ['[::1]:8000', 'http://[::1]:8000/v1'],
    ['[::]', 'http://[::1]:11434/v1'],
    ['http://box', 'http://box/v1'],
    ['https://box/ollama/', 'https://box/ollama/v1'],
  ])('OLLAMA_HOST=%s is %s', async (OLLAMA_HOST, url) => {
    const { fetch, asked } = nobody()
    await resolveModelEndpoint({ OLLAMA_HOST }, { fetch })
    expect(asked).toEqual([`${url}/models`])
  })

  it.each(['http://', 'ssh://box', 'a b'])('OLLAMA_HOST=%s is nobody', async (OLLAMA_HOST) => {
    const { fetch, asked } = nobody()
    expect(await resolveModelEndpoint({ OLLAMA_HOST }, { fetch })).toBeNull()
    expect(asked).toEqual([])
  })

  it('is not looked for when a mind is named', async () => {
    const { fetch, asked } = nobody()
    await resolveModelEndpoint({ OPENAI_API_KEY: 'sk-1' }, { fetch })
    expect(asked).toEqual(['https://api.openai.com/v1/models'])
  })
})

describe('a key', () => {
  const mind = modelEndpoint({ model: 'owl-1', baseUrl: 'https://host/v1?api-key=hush', apiKey: 'hush' })

  it('is there for whoever asks for it', () => {
    expect(mind.apiKey).toBe('hush')
  })

  it('shows in no print, JSON, copy or message', () => {
    const shown = [
      inspect(mind),
      inspect({ mind }, { showHidden: true }),
      JSON.stringify({ mind }),
      `${mind}`,
    ]
    for (const text of shown) expect(text).not.toContain('hush')
    expect(Object.keys({ ...mind })).toEqual(['model', 'baseUrl'])
    expect(JSON.parse(JSON.stringify(mind))).toEqual({
      model: 'owl-1',
      baseUrl: 'https://host/v1',
      apiKey: '(hidden)',
    })
  })

  it('that is not there is not said to be hidden', () => {
    const free = modelEndpoint({ model: 'owl-1', baseUrl: 'https://host/v1', apiKey: null })
    expect(JSON.parse(JSON.stringify(free))).toMatchObject({ apiKey: null })
  })
})

describe('the model of a list', () => {
  it.each([
    [['text-embedding-3-small', 'whisper-1', 'owl'], 'owl'],
    [['nomic-embed-text:latest', 'bge-m3:latest', 'qwen2.5:0.5b'], 'qwen2.5:0.5b'],
    [
      [
        { id: 'a', type: 'embeddings' },
        { id: 'b', type: 'llm' },
      ],
      'b',
    ],
    [[{ id: 'a', capabilities: { completion_chat: false } }, { id: 'b' }], 'b'],
    [['embed-a'], 'embed-a'],
  ])('of %j is %s', async (models, model) => {
    server.scriptModels({
      completion: { data: models.map((one) => (typeof one === 'string' ? { id: one } : one)) },
    })
    expect((await resolveModelEndpoint({ OPENAI_BASE_URL: server.url }))?.model).toBe(model)
  })
})

describe('faultOfEndpoint', () => {
  const answers = (response: () => Response | Promise<Response>) => ({ fetch: async () => response() })
  const endpoint = modelEndpoint({ model: 'owl', baseUrl: 'http://model.test/v1', apiKey: 'sk-1' })
  const listing = (...ids: string[]) => Response.json({ data: ids.map((id) => ({ id })) })

  it.each([
    ['lists the model', () => listing('cat', 'owl'), null],
    ['has no list', () => new Response(null, { status: 404 }), null],
    ['lists nothing', () => listing(), null],
    ['lists others', () => listing('cat'), 'does not list the model owl'],
    ['lists it with the tag of Ollama', () => listing('owl:latest'), null],
    [
      'lists it with another tag',
      () => listing('owl:0.5b', 'cat'),
      'does not list the model owl; it lists owl:0.5b',
    ],
    ['lists it as Google does', () => listing('models/owl'), null],
    ['lists it in a bare list', () => Response.json([{ id: 'owl' }]), null],
    [
      'lists others under models',
      () => Response.json({ models: [{ name: 'cat' }] }),
      'does not list the model owl',
    ],
    ['refuses the key', () => new Response(null, { status: 401 }), 'refuses the key (401)'],
    ['is down', () => new Response(null, { status: 503 }), 'answers 503'],
    [
      'is away',
      () =>
        Promise.reject(
          Object.assign(new TypeError('fetch failed'), {
            cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }),
          }),
        ),
      'cannot be reached (ECONNREFUSED)',
    ],
    [
      'was asked past the proxy, for its key',
      () => {
        vi.stubEnv('HTTP_PROXY', 'http://proxy.test:1')
        const cause = Object.assign(new Error(), { code: 'ENOTFOUND' })
        return Promise.reject(
          toldPastProxy(new TypeError('fetch failed', { cause }), new URL('http://model.test'), true),
        )
      },
      expect.stringMatching(/^cannot be reached \(ENOTFOUND\): .*past HTTP_PROXY.*write https:/),
    ],
  ])('a server that %s', async (_, response, fault) => {
    expect(await faultOfEndpoint(endpoint, answers(response))).toEqual(fault)
    vi.unstubAllEnvs()
  })
})
