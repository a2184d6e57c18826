import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { secretsFolder, secretsOf } from './secrets.ts'

it('a secret is a variable or a file of the instance, which is read anew', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'treeos-secrets-'))
  mkdirSync(secretsFolder(dataDir))
  const secret = secretsOf({ TREEOS_DATA: dataDir, TREEOS_SECRET_MY_MAIL: 'v' })
  expect(secret('my-mail')).toBe('v')
  expect(secret('github')).toBeNull()
  writeFileSync(join(secretsFolder(dataDir), 'github'), 'one\n')
  expect(secret('github')).toBe('one')
  writeFileSync(join(secretsFolder(dataDir), 'github'), 'two')
  expect(secret('github')).toBe('two')
  expect(() => secret('../instance.json')).toThrow(/kebab-case/)
  rmSync(dataDir, { recursive: true })
})
