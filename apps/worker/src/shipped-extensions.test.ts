import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import manifest from '../package.json' with { type: 'json' }
import { loadExtensions } from './extensions.ts'
import { shipped } from './shipped-extensions.ts'
import { findWorld, keepWorld, worldNames } from './worlds.ts'

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

it('worlds.ts lists every folder of examples/worlds/, in order, and each lies there', () => {
  const worlds = readdirSync(join(root, 'examples/worlds')).sort()
  expect(worldNames).toEqual(worlds)
  for (const name of worlds) expect(findWorld(name)).toBe(join(root, 'examples/worlds', name, 'src/index.ts'))
  expect(findWorld('constructor')).toBe(null)
})

it('a worker loads no world but those that were asked for', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'treeos-worlds-'))
  const loaded = async (env: NodeJS.ProcessEnv) =>
    (await loadExtensions({ TREEOS_DATA: dataDir, ...env })).map(({ name }) => name)
  try {
    expect(await loaded({})).toEqual(folders)
    expect(keepWorld(dataDir, 'food')).toBe(true)
    expect(keepWorld(dataDir, 'food'), 'kept already').toBe(false)
    expect(keepWorld(dataDir, 'lineage'), 'no world').toBe(false)
    expect(await loaded({})).toEqual([...folders, 'food'])
    expect(await loaded({ TREEOS_EXTENSIONS: 'court,food' })).toEqual([...folders, 'court', 'food'])
  } finally {
    rmSync(dataDir, { recursive: true })
  }
})

it.each([
  { heading: 'What is shipped', names: folders },
  { heading: 'Worlds to start from', names: worldNames },
])(
  'the table "$heading" in docs/extensions.md has a row for each of them, and for no other',
  ({ heading, names }) => {
    const [, section = ''] = readFileSync(join(root, 'docs/extensions.md'), 'utf8').split(`\n## ${heading}\n`)
    const rows = [...(section.split('\n## ')[0] ?? '').matchAll(/^\| `([a-z-]+)` /gm)].map(([, name]) => name)
    expect(rows.sort()).toEqual(names)
  },
)
