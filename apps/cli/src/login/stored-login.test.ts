import { chmodSync, mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { loginFile, readLogin, removeLogin, storeLogin } from './stored-login.ts'
import { elsewhereAs, loginAs, needsDatabase } from './who-acts.ts'

const login = { url: 'https://portal.example', token: 'treeos_x', being: '@ann', reality: 'home' }
const newFile = () => join(mkdtempSync(join(tmpdir(), 'treeos-login-')), 'treeos', 'login.json')

it('a login is kept where only its user may read it, until it is removed', () => {
  const file = newFile()
  expect(readLogin(file)).toBeNull()
  storeLogin({ ...login, being: '@old' }, file)
  storeLogin(login, file)
  expect(readLogin(file)).toEqual(login)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(statSync(dirname(file)).mode & 0o777).toBe(0o700)
  expect(readdirSync(dirname(file))).toEqual(['login.json'])
  expect([removeLogin(file), removeLogin(file), readLogin(file)]).toEqual([true, false, null])
})

it('a login that others may read, and a damaged one, are refused with what to do', () => {
  const file = newFile()
  storeLogin(login, file)
  chmodSync(file, 0o640)
  expect(() => readLogin(file)).toThrow(`chmod 600 ${file}`)
  chmodSync(file, 0o600)
  for (const text of ['{', '{}', JSON.stringify({ ...login, token: '' })]) {
    writeFileSync(file, text)
    expect(() => readLogin(file), text).toThrow('`treeos logout` removes it')
  }
})

it('it is in the folder of the settings of its user', () => {
  expect(loginFile({ XDG_CONFIG_HOME: '/own' })).toBe('/own/treeos/login.json')
  expect(loginFile({})).toMatch(/\/\.config\/treeos\/login\.json$/)
})

it.each([null, '~', 'ann', '@ann'])('--as %s is the person itself', (named) => {
  expect(loginAs(login, named)).toBe(login)
})

it('--as another says how else, and a command that needs the database says so', () => {
  expect(loginAs(login, 'bob')).toEqual({ ...login, as: '@bob' })
  expect(elsewhereAs('@bob', login.url)).toContain('`treeos login https://portal.example` as that person')
  expect(needsDatabase('verify', login, null).message).toContain('`--data DIR` names it')
})
