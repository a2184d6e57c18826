import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { goToInstance, loadEnvironment, userFolder } from './folder.ts'

describe('a relative path is read from where the user stands', () => {
  const pnpm = { INIT_CWD: '/home/me/docs', npm_package_json: '/repo/package.json' }
  it.each([
    { why: 'pnpm put us into its package', env: pnpm, cwd: '/repo', folder: '/home/me/docs' },
    { why: 'we run elsewhere, and the variables are inherited', env: pnpm, cwd: '/tmp', folder: '/tmp' },
    { why: 'no pnpm is there', env: {}, cwd: '/repo', folder: '/repo' },
    {
      why: 'another runner tells no folder',
      env: { npm_package_json: '/repo/package.json' },
      cwd: '/repo',
      folder: '/repo',
    },
  ])('when $why', ({ env, cwd, folder }) => {
    expect(userFolder(env, cwd)).toBe(folder)
  })
})

describe('the folder of the instance', () => {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'treeos-folders-')))
  const world = join(top, 'world')
  const below = join(world, 'src', 'deep')
  const inner = join(below, 'inner')
  mkdirSync(inner, { recursive: true })
  for (const folder of [world, inner]) {
    mkdirSync(join(folder, '.treeos'))
    writeFileSync(join(folder, '.treeos', 'instance.json'), '{}')
  }
  afterAll(() => rmSync(top, { recursive: true }))
  afterEach(() => void vi.restoreAllMocks())

  it.each([
    {
      why: 'is the nearest one above that holds an instance',
      from: below,
      args: ['beings'],
      env: {},
      to: world,
    },
    { why: 'is the current one when it holds an instance', from: inner, args: [], env: {}, to: null },
    { why: 'is the current one when none above holds an instance', from: top, args: [], env: {}, to: null },
    {
      why: 'is not searched when --data names it',
      from: below,
      args: ['see', '/', '--data', 'x'],
      env: {},
      to: null,
    },
    {
      why: 'is not searched when --data= names it',
      from: below,
      args: ['--data=x', 'beings'],
      env: {},
      to: null,
    },
    {
      why: 'is not searched when TREEOS_DATA names it',
      from: below,
      args: [],
      env: { TREEOS_DATA: '/x' },
      to: null,
    },
  ])('$why', ({ from, args, env, to }) => {
    vi.spyOn(process, 'cwd').mockReturnValue(from)
    const went = vi.spyOn(process, 'chdir').mockReturnValue()
    goToInstance(args, env)
    expect(went.mock.calls).toEqual(to === null ? [] : [[to]])
  })

  it('of somebody else is passed by, since its settings name code to load', () => {
    vi.spyOn(process, 'cwd').mockReturnValue(below)
    const went = vi.spyOn(process, 'chdir').mockReturnValue()
    const me = process.getuid?.() ?? 0
    vi.spyOn(process as { getuid(): number }, 'getuid').mockReturnValue(me + 1)
    goToInstance([], {})
    expect(went).not.toHaveBeenCalled()
  })
})

it('adds what .env says, but for what is set and what is empty', () => {
  const folder = mkdtempSync(join(tmpdir(), 'treeos-env-'))
  const env: NodeJS.ProcessEnv = { TREEOS_MODEL: 'mine' }
  writeFileSync(
    join(folder, '.env'),
    '# a comment\nTREEOS_MODEL=other\nOPENAI_BASE_URL=\nTREEOS_TIME_ZONE="Europe/Berlin"\n',
  )
  loadEnvironment(env, join(folder, '.env'))
  expect(loadEnvironment(env, join(folder, 'none'))).toBeNull()
  expect(env).toEqual({ TREEOS_MODEL: 'mine', TREEOS_TIME_ZONE: 'Europe/Berlin' })
  rmSync(folder, { recursive: true })
})

describe('a .env file that an editor wrote with another encoding', () => {
  const folder = mkdtempSync(join(tmpdir(), 'treeos-env-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const text = 'OPENAI_BASE_URL=http://127.0.0.1:11434/v1\r\nTREEOS_MODEL=größer\r\n'
  const settings = { OPENAI_BASE_URL: 'http://127.0.0.1:11434/v1', TREEOS_MODEL: 'größer' }
  const bigEndian = Buffer.from(`\ufeff${text}`, 'utf16le').swap16()

  it.each([
    { what: 'UTF-8', bytes: Buffer.from(text) },
    { what: 'UTF-8 with a byte order mark', bytes: Buffer.from(`\ufeff${text}`) },
    { what: 'UTF-16', bytes: Buffer.from(`\ufeff${text}`, 'utf16le') },
    { what: 'UTF-16, big end first', bytes: bigEndian },
  ])('is read: $what', ({ bytes }) => {
    writeFileSync(join(folder, '.env'), bytes)
    const env = {}
    expect(loadEnvironment(env, join(folder, '.env'))).toBeNull()
    expect(env).toEqual(settings)
  })

  it.each([
    { what: 'UTF-16 without a mark', bytes: Buffer.from(text, 'utf16le') },
    { what: 'Latin-1', bytes: Buffer.from(text, 'latin1') },
  ])('is refused where the encoding cannot be told: $what', ({ bytes }) => {
    writeFileSync(join(folder, '.env'), bytes)
    const env = {}
    expect(loadEnvironment(env, join(folder, '.env'))).toBe(
      `the settings in ${join(folder, '.env')} cannot be read: it is not UTF-8 text`,
    )
    expect(env).toEqual({})
  })
})
