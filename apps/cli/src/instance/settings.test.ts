import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { forgetSettings, locateTemporal, saveSettings, unappliedSettings, withSettings } from '@treeos/local'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { sharedSettings } from './settings.ts'

vi.setConfig({ testTimeout: 30_000 }) // the first test loads the host, on a machine that may be busy

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'treeos-settings-'))
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))
const keep = async (env: NodeJS.ProcessEnv) => saveSettings(dataDir, await sharedSettings(dataDir, env))
const MIND = { OPENAI_API_KEY: 'sk-1', OPENAI_BASE_URL: 'http://a/v1', TREEOS_MODEL: 'owl' }

it('hands the model, its key and the other shared settings to a worker that joins without them', async () => {
  await keep({ ...MIND, TREEOS_PRICES: 'prices.json', HOME: '/root', OLLAMA_HOST: '' })
  expect(withSettings(dataDir, { PATH: '/bin' })).toEqual({
    ...MIND,
    TREEOS_PRICES: resolve('prices.json'),
    PATH: '/bin',
  })
})

it('keeps the keys of named connections, which any variable may hold', async () => {
  writeFileSync(
    join(dataDir, 'models.json'),
    JSON.stringify({ connections: { judge: { baseUrl: 'http://a/v1', model: 'owl', apiKeyEnv: 'JUDGE' } } }),
  )
  await keep({ JUDGE: 'sk-2', OTHER: 'x' })
  expect(withSettings(dataDir, {})).toEqual({ JUDGE: 'sk-2' })
})

it('keeps nothing that belongs to one process', async () => {
  const own = { TREEOS_DATA: 'x', TREEOS_METRICS_PORT: '1', TREEOS_LOG: 'debug', TREEOS_START_SECONDS: '1' }
  const secrets = {
    TREEOS_OWNER_DATABASE_URL: 'postgres://owner:s@a/b',
    TREEOS_PEOPLE_DATABASE_URL: 'postgres://people:s@a/b',
    TREEOS_SIGNALS_DATABASE_URL: 'postgres://signals:s@a/b',
    TREEOS_PORTAL_OIDC_CLIENT_SECRET: 's',
  }
  await keep({ ...own, ...secrets })
  expect(withSettings(dataDir, {})).toEqual({})
})

it('never mixes the key of one server with the address of another', async () => {
  await keep(MIND)
  const own = { OPENAI_BASE_URL: 'http://b/v1' }
  expect(withSettings(dataDir, own)).toEqual(own)
  const same = { OPENAI_BASE_URL: MIND.OPENAI_BASE_URL, OPENAI_API_KEY: '' }
  expect(withSettings(dataDir, same)).toEqual(MIND)
  expect(withSettings(dataDir, { TREEOS_MODEL: 'cat' })).toEqual({ ...MIND, TREEOS_MODEL: 'cat' })
})

it('is read by our user alone, and gone when the instance stops', async () => {
  await keep(MIND)
  const file = join(dataDir, 'settings.json')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  forgetSettings(dataDir)
  expect(existsSync(file)).toBe(false)
  expect(withSettings(dataDir, {})).toEqual({})
})

it.each([
  { what: 'no JSON', text: '{"OPENAI_API_KEY": sk-1' },
  { what: 'no object', text: '[]' },
  { what: 'a setting that is not text', text: '{"TREEOS_MODEL": 1}' },
])('names the file when it holds $what, and quotes nothing of it', ({ text }) => {
  const file = join(dataDir, 'settings.json')
  writeFileSync(file, text)
  expect(() => withSettings(dataDir, {})).toThrow(
    `${file} holds no settings: \`treeos down\`, and then \`treeos up\` writes it again`,
  )
})

it('says that the file cannot be read, when it is there', () => {
  mkdirSync(join(dataDir, 'settings.json'))
  expect(() => withSettings(dataDir, {})).toThrow('EISDIR')
})

it.each([
  { now: MIND, found: [] },
  { now: { HOME: '/', TREEOS_DATA: '/elsewhere', TREEOS_LOG: 'debug' }, found: [] },
  {
    now: { ...MIND, TREEOS_MODEL: 'cat', TREEOS_PRICES: 'p.json' },
    found: ['TREEOS_MODEL', 'TREEOS_PRICES'],
  },
])('of $now, a running instance lacks $found', async ({ now, found }) => {
  await keep(MIND)
  expect(unappliedSettings(dataDir, await sharedSettings(dataDir, now))).toEqual(found)
})

describe('the codec of an instance', () => {
  it('is that of commands of other shells, by an absolute path', async () => {
    await keep({ TREEOS_DATA_CONVERTER: './converter.mjs', TEMPORAL_CODEC_KEYS: 'k' })
    const { env } = locateTemporal(dataDir, { TEMPORAL_ADDRESS: 'temporal:7233' })
    expect(env).toEqual({
      TEMPORAL_ADDRESS: 'temporal:7233',
      TREEOS_DATA_CONVERTER: resolve('converter.mjs'),
      TEMPORAL_CODEC_KEYS: 'k',
    })
  })

  it('gives way to one that the shell names', async () => {
    await keep({ TREEOS_DATA_CONVERTER: './converter.mjs' })
    const env = { TEMPORAL_ADDRESS: 'temporal:7233', TEMPORAL_CODEC_ENDPOINT: 'https://codec.example.com' }
    expect(locateTemporal(dataDir, env).env).toEqual(env)
  })
})
