import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { expect, it } from 'vitest'
import { KEY } from '../../test/asked-model.ts'
import { keyVariables, readConnections, resolveDefaultModel } from './connections.ts'

const folder = mkdtempSync(join(tmpdir(), 'treeos-models-'))
const written = (content: unknown): string => {
  const file = join(folder, 'models.json')
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  return file
}
const SMALL = { baseUrl: 'http://127.0.0.1:11434/v1/', model: 'llama' }

it('reads connections by name, with keys from variables and files', () => {
  writeFileSync(join(folder, 'key.txt'), `${KEY}-2\n`)
  const file = written({
    connections: {
      small: SMALL,
      judge: { baseUrl: 'https://api.example/v1', model: 'owl', apiKeyEnv: 'JUDGE_KEY' },
      clerk: { baseUrl: 'https://api.example/v1', model: 'owl', apiKeyFile: 'key.txt' },
    },
  })
  const read = readConnections({ TREEOS_MODELS: file, JUDGE_KEY: KEY })
  expect(read.map(({ connection, baseUrl, model, apiKey }) => [connection, baseUrl, model, apiKey])).toEqual([
    ['small', 'http://127.0.0.1:11434/v1', 'llama', null],
    ['judge', 'https://api.example/v1', 'owl', KEY],
    ['clerk', 'https://api.example/v1', 'owl', `${KEY}-2`],
  ])
  expect(inspect(read, { showHidden: true }) + JSON.stringify(read)).not.toContain(KEY)
  expect(keyVariables({ TREEOS_MODELS: file })).toEqual(['JUDGE_KEY'])
})

it('reads which connections stand in for another, and for the model of the reality', async () => {
  const file = written({
    fallbacks: ['small'],
    connections: { small: { ...SMALL, fallbacks: ['dear', 'default'] }, dear: SMALL },
  })
  const env = {
    TREEOS_MODELS: file,
    OPENAI_BASE_URL: 'http://127.0.0.1:9/v1',
    OPENAI_API_KEY: KEY,
    TREEOS_MODEL: 'owl',
  }
  const [small, dear] = readConnections(env)
  expect(small?.fallbacks).toEqual(['dear', 'default'])
  expect(dear).not.toHaveProperty('fallbacks')
  expect(await resolveDefaultModel(env)).toMatchObject({ model: 'owl', apiKey: KEY, fallbacks: ['small'] })
})

it('reads parameters, which each request gets', () => {
  const parameters = { temperature: 0, chat_template_kwargs: { enable_thinking: false } }
  const [read] = readConnections({
    TREEOS_MODELS: written({ connections: { small: { ...SMALL, parameters } } }),
  })
  expect(read?.parameters).toEqual(parameters)
})

it('reads models.json of the data folder when TREEOS_MODELS is not set, and nothing where there is none', () => {
  written({ connections: { small: SMALL } })
  expect(readConnections({ TREEOS_DATA: folder })).toMatchObject([{ connection: 'small' }])
  expect(readConnections({ TREEOS_DATA: join(folder, 'elsewhere') })).toEqual([])
  expect(readConnections({})).toEqual([])
})

it.each([
  ['no JSON', '{', /cannot be read/],
  ['no connections', {}, /connections: takes an object of connections by name/],
  ['a bad name', { connections: { 'A B': SMALL } }, /kebab-case/],
  [
    'no model',
    { connections: { small: { baseUrl: SMALL.baseUrl } } },
    /connections.small.model: takes a text/,
  ],
  ['no URL', { connections: { small: { ...SMALL, baseUrl: 'owl' } } }, /baseUrl is not an http\(s\) URL/],
  ['a key in the file', { connections: { small: { ...SMALL, apiKey: KEY } } }, /name that in apiKeyEnv/],
  [
    'another field',
    { connections: { small: { ...SMALL, keys: 1 } } },
    /connections.small: takes baseUrl, model/,
  ],
  ['a key that is not set', { connections: { small: { ...SMALL, apiKeyEnv: 'UNSET' } } }, /UNSET .* not set/],
  ['a key file that is not there', { connections: { small: { ...SMALL, apiKeyFile: 'no' } } }, /ENOENT/],
  [
    "a parameter that is not the operator's",
    { connections: { small: { ...SMALL, parameters: { tools: [] } } } },
    /parameters: takes no field that TreeOS sets: model, messages/,
  ],
  ['both', { connections: { small: { ...SMALL, apiKeyEnv: 'A', apiKeyFile: 'b' } } }, /either/],
  [
    'a fallback that is not there',
    { connections: { small: { ...SMALL, fallbacks: ['x'] } } },
    /small.fallbacks names "x"; there is default/,
  ],
  [
    'a connection as its own fallback',
    { connections: { small: { ...SMALL, fallbacks: ['small'] } } },
    /names "small"/,
  ],
  [
    'a fallback of the reality that is not there',
    { fallbacks: ['x'], connections: { small: SMALL } },
    /fallbacks names "x"; there is small/,
  ],
  [
    'a connection with the name of the model of the reality',
    { connections: { default: SMALL } },
    /default is the model of the reality/,
  ],
  [
    'a key over HTTP to another machine',
    { connections: { small: { ...SMALL, baseUrl: 'http://10.0.0.7/v1', apiKeyFile: 'key.txt' } } },
    /connections.small.baseUrl is http:.* TREEOS_KEYS_OVER_HTTP/,
  ],
])('refuses %s, and quotes no key', (_what, content, says) => {
  const read = () => readConnections({ TREEOS_MODELS: written(content) })
  expect(read).toThrow(says)
  expect(read).not.toThrow(KEY)
})

it('refuses a file that is not there, and a key that was not copied whole', () => {
  expect(() => readConnections({ TREEOS_MODELS: join(folder, 'gone.json') })).toThrow(
    /gone.json cannot be read/,
  )
  const file = written({ connections: { small: { ...SMALL, apiKeyEnv: 'ODD' } } })
  expect(() => readConnections({ TREEOS_MODELS: file, ODD: `${KEY} x` })).toThrow(/white space/)
  expect(() => readConnections({ TREEOS_MODELS: file, ODD: `${KEY} x` })).not.toThrow(KEY)
})
