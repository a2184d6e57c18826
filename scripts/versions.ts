/**
 * Writes the version of the packages into what is released beside them: `node scripts/versions.ts`, after
 * `changeset version`. Packages that are not published have that version too, but no changelog.
 * `test/contracts/versions.test.ts` compares.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { publishable, root, unpublished } from './packages.ts'

/** What each file says before the version of the release. */
export const STATED: readonly { readonly file: string; readonly before: RegExp }[] = [
  { file: 'clients/python/pyproject.toml', before: /^version = "/m },
  { file: 'clients/python-verify/pyproject.toml', before: /^version = "/m },
  { file: 'infra/compose/.env.example', before: /^TREEOS_IMAGE=treeos:/m },
  { file: 'infra/compose/compose.yaml', before: /^ {2}image: \$\{TREEOS_IMAGE:-treeos:/m },
  { file: 'infra/helm/treeos/Chart.yaml', before: /^appVersion: "/m },
  { file: 'infra/helm/treeos/values.yaml', before: /^ {2}tag: "/m },
]
const VERSION = /[\w.+-]+/y

/** The one version of all packages. */
export function releasedVersion(): string {
  const versions = new Set(publishable().map(({ manifest }) => manifest.version))
  const [version] = versions
  if (version === undefined || versions.size > 1)
    throw new Error(`the packages have several versions: ${[...versions].join(', ')}`)
  return version
}

/** The text of a file with another version in its place. @throws where the file states none */
export function withVersion(text: string, before: RegExp, version: string): string {
  const found = before.exec(text)
  if (found === null) throw new Error(`no version after ${before}`)
  const start = found.index + found[0].length
  VERSION.lastIndex = start
  const stated = VERSION.exec(text)?.[0] ?? ''
  return text.slice(0, start) + version + text.slice(start + stated.length)
}

if (import.meta.main) {
  const version = releasedVersion()
  for (const { file, before } of STATED) {
    const path = join(root, file)
    writeFileSync(path, withVersion(readFileSync(path, 'utf8'), before, version))
  }
  for (const { folder } of unpublished()) rmSync(join(root, folder, 'CHANGELOG.md'), { force: true })
}
