/**
 * Publishes the packages that the registry does not have in this version, as they were built last, and tags
 * them: `node scripts/publish.ts [URL]`. URL is the address of the repository, which npm's provenance
 * compares. changesets plans and publishes; the tarballs are ours.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packAll, root } from './packages.ts'

interface Release {
  readonly kind: 'publish' | 'tag-only'
  readonly name: string
  readonly version: string
}

const folder = mkdtempSync(join(tmpdir(), 'treeos-published-'))
const planFile = join(folder, 'publish-plan.json')
const changeset = (...args: string[]) =>
  execFileSync(join(root, 'node_modules/.bin/changeset'), args, { cwd: root, stdio: 'inherit' })
try {
  await packAll(join(folder, 'packages'), process.argv[2])
  changeset('publish-plan', '--output', planFile)
  const { plan, ...rest }: { plan: Release[][] } = JSON.parse(readFileSync(planFile, 'utf8'))
  const packed = plan.map((chunk) => chunk.map((one) => (one.kind === 'publish' ? withTarball(one) : one)))
  writeFileSync(planFile, JSON.stringify({ ...rest, plan: packed }))
  changeset('publish', '--from-pack-dir', folder)
} finally {
  rmSync(folder, { recursive: true })
}

/** Where changesets finds what it publishes. */
function withTarball(release: Release): Release & { tarball: { path: string; integrity: string } } {
  const path = `packages/${release.name.replace('@', '').replace('/', '-')}-${release.version}.tgz`
  const digest = createHash('sha256')
    .update(readFileSync(join(folder, path)))
    .digest('base64')
  return { ...release, tarball: { path, integrity: `sha256-${digest}` } }
}
