import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { parseServer, readToolsFile, writeToolsFile } from './file.ts'

const folder = mkdtempSync(join(tmpdir(), 'treeos-tools-'))
const file = join(folder, 'tools.json')
afterAll(() => rmSync(folder, { recursive: true }))

it('no file names no server, and what is written is read again, by its owner alone', () => {
  expect(readToolsFile(file)).toEqual({})
  const entry = parseServer('files', { command: ['npx', 'server'], secrets: { github: 'GITHUB_TOKEN' } })
  writeToolsFile(file, { files: entry })
  expect(readToolsFile(file)).toEqual({ files: entry })
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

it.each([
  ['neither command nor url', 'files', {}, /takes a command or a url/],
  ['both', 'files', { command: ['a'], url: 'https://a.example' }, /takes a command or a url/],
  ['a url of another kind', 'files', { url: 'file:///etc/passwd' }, /url/],
  ['a name that is not kebab-case', 'Files', { command: ['a'] }, /kebab-case/],
  [
    'a secret that is not kebab-case',
    'files',
    { command: ['a'], secrets: { '../x': 'A' } },
    /secrets: \.\.\/x/,
  ],
  ['a field that it does not have', 'files', { command: ['a'], shell: true }, /shell/],
  ['a timeout beyond the bound', 'files', { command: ['a'], timeoutSeconds: 3001 }, /3000/],
])('a server with %s is refused', (_what, name, given, why) => {
  expect(() => parseServer(name, given)).toThrow(why)
})

it('a malformed file is refused by its name', () => {
  writeFileSync(file, '{"servers": {"files": {"command": "npx"}}}')
  expect(() => readToolsFile(file)).toThrow(/tools\.json does not list tool servers: servers\.files\.command/)
  writeFileSync(file, '{')
  expect(() => readToolsFile(file)).toThrow(/tools\.json does not list tool servers/)
})
