import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { promisify } from 'node:util'
import { workflowsPath } from '@treeos/host'
import { BEING_VERSION } from '@treeos/protocol'
import type { Code } from './manifest.ts'

export const HISTORIES = join(import.meta.dirname, '../histories')
export const MANIFEST = join(HISTORIES, 'manifest.jsonl')

/** SHA-256 of every recording, by path below its folder. */
export async function digestsOf(folder: string): Promise<Map<string, string>> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = found.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  const digests = await Promise.all(
    files
      .filter((file) => file !== join(folder, 'manifest.jsonl'))
      .map(async (file) => {
        const sha256 = createHash('sha256')
          .update(await readFile(file))
          .digest('hex')
        return [relative(folder, file).split(sep).join('/'), sha256] as const
      }),
  )
  return new Map(digests.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** What the workflows of this checkout know. */
export async function presentCode(): Promise<Code> {
  const folder = dirname(workflowsPath)
  const sources = (await readdir(folder)).filter((name) => name.endsWith('.ts'))
  const texts = await Promise.all(sources.map((name) => readFile(join(folder, name), 'utf8')))
  return { version: BEING_VERSION, patches: patchesIn(texts.join('\n')) }
}

/** The names that a source passes to `patched` or `deprecatePatch`, also by a constant of the same file. */
export function patchesIn(source: string): string[] {
  const names = [...source.matchAll(/\b(?:patched|deprecatePatch)\(\s*(?:'([^']+)'|(\w+))/g)].map(
    ([, literal, constant]) =>
      literal ?? new RegExp(`const ${constant} = '([^']+)'`).exec(source)?.[1] ?? String(constant),
  )
  return [...new Set(names)].sort()
}

/**
 * The manifest as each commit has it that this clone knows, newest first; a shallow clone knows few.
 * @returns null where there are no commits: in a copy of the files, or without git
 */
export async function olderManifests(repository: string, path: string): Promise<string[] | null> {
  const git = async (...args: string[]) =>
    (await promisify(execFile)('git', ['-C', repository, ...args], { maxBuffer: 64 * 2 ** 20 })).stdout
  if (!(await git('rev-parse', 'HEAD').then(Boolean, () => false))) return null
  const commits = await git('log', '--format=%H', '--diff-filter=AM', '--', path)
  const shown = commits.split('\n').filter((commit) => commit !== '')
  return Promise.all(shown.map((commit) => git('show', `${commit}:${path}`)))
}
