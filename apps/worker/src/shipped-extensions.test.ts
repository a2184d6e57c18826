import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import manifest from '../package.json' with { type: 'json' }
import { shipped } from './shipped-extensions.ts'

const root = join(import.meta.dirname, '../../..')
const folders = readdirSync(join(root, 'extensions')).sort()

it('the list holds every folder of extensions/, in order', () => {
  expect(shipped.map(({ name }) => name)).toEqual(folders)
})

it('each shipped extension is a dependency of the worker', () => {
  expect(Object.keys(manifest.dependencies)).toEqual(
    expect.arrayContaining(folders.map((name) => `@treeos/${name}`)),
  )
})

it('the table in docs/extensions.md has a row for each shipped extension, and for no other', () => {
  const [, section = ''] = readFileSync(join(root, 'docs/extensions.md'), 'utf8').split(
    '\n## What is shipped\n',
  )
  const rows = [...(section.split('\n## ')[0] ?? '').matchAll(/^\| `([a-z-]+)` /gm)].map(([, name]) => name)
  expect(rows.sort()).toEqual(folders)
})
