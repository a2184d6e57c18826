import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { providerIn } from './provider.ts'

const folder = mkdtempSync(join(tmpdir(), 'treeos-provider-'))
const file = join(folder, 'secret')
writeFileSync(file, 'a secret\n')
afterAll(() => rmSync(folder, { recursive: true }))

const set = (values: Record<string, string>) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [`TREEOS_PORTAL_OIDC_${name}`, value]))

describe('the identity provider of the portal', () => {
  it('is none without settings, and empty ones count as none', async () => {
    expect(await providerIn({})).toBeNull()
    expect(await providerIn(set({ ISSUER: '', CLIENT_ID: '' }))).toBeNull()
  })

  it.each([
    ['https', { ISSUER: 'https://id.example/realms/one', CLIENT_ID: 'treeos' }, 'id.example'],
    ['http on this machine', { ISSUER: 'http://localhost:5556', CLIENT_ID: 'treeos' }, 'localhost'],
    ['a name', { ISSUER: 'https://id.example', CLIENT_ID: 'treeos', NAME: 'Our login' }, 'Our login'],
    ['a file', { ISSUER: 'https://id.example', CLIENT_ID: 'treeos', CLIENT_SECRET_FILE: file }, 'id.example'],
  ])('takes %s', async (_what, values, name) => {
    expect(await providerIn(set(values))).toMatchObject({ name })
  })

  it.each([
    ['an issuer alone', { ISSUER: 'https://id.example' }, /belong together/],
    ['a secret alone', { CLIENT_SECRET: 'x' }, /belong together/],
    ['http elsewhere', { ISSUER: 'http://id.example', CLIENT_ID: 'x' }, /takes an address of https/],
    ['no address', { ISSUER: 'id.example', CLIENT_ID: 'x' }, /takes an address of https/],
    [
      'two secrets',
      { ISSUER: 'https://id.example', CLIENT_ID: 'x', CLIENT_SECRET: 'a', CLIENT_SECRET_FILE: file },
      /keep one/,
    ],
    [
      'a file that is not there',
      { ISSUER: 'https://id.example', CLIENT_ID: 'x', CLIENT_SECRET_FILE: join(folder, 'none') },
      /cannot be read/,
    ],
    ['a scope without openid', { ISSUER: 'https://id.example', CLIENT_ID: 'x', SCOPE: 'email' }, /openid/],
  ])('refuses %s', async (_what, values, message) => {
    await expect(providerIn(set(values))).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringMatching(message),
    })
  })
})
