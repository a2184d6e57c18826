import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** Where the built page lies, from `src` as from `dist`. */
export const PAGE_FOLDER = join(ROOT, 'dist/page')
const DIGEST = 'digest.txt'

/**
 * Builds the page of a checkout, unless it is built from the sources of now. A published package brings its
 * page along.
 */
export async function buildPage(onProgress: (line: string) => void): Promise<void> {
  const sources = join(ROOT, 'page')
  if (!existsSync(sources)) return
  const digest = sourcesDigest([sources, join(ROOT, 'package.json')])
  const stamp = join(PAGE_FOLDER, DIGEST)
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return
  onProgress('building the page')
  // Under another name first: another process may build it too, or serve from the folder.
  const made = `${PAGE_FOLDER}-${process.pid}`
  const vite = join(
    dirname(createRequire(join(ROOT, 'package.json')).resolve('vite/package.json')),
    'bin/vite.js',
  )
  const args = [vite, 'build', sources, '--outDir', made, '--emptyOutDir', '--logLevel', 'warn']
  // People and tests get the same page: a test runner sets another mode, in which React is larger and slower.
  const env = { ...process.env, NODE_ENV: 'production' }
  await promisify(execFile)(process.execPath, args, { cwd: ROOT, env })
  writeFileSync(join(made, DIGEST), digest)
  for (const line of sizesOf(join(made, 'assets'))) onProgress(line)
  replace(made)
}

/** Where another process puts its page there at the same moment, that one is as good. */
function replace(made: string): void {
  const old = `${made}-old`
  mkdirSync(dirname(PAGE_FOLDER), { recursive: true })
  try {
    if (existsSync(PAGE_FOLDER)) renameSync(PAGE_FOLDER, old)
    renameSync(made, PAGE_FOLDER)
  } catch (error) {
    if (!existsSync(join(PAGE_FOLDER, DIGEST))) throw error
    rmSync(made, { recursive: true, force: true })
  }
  rmSync(old, { recursive: true, force: true })
}

function sourcesDigest(paths: readonly string[]): string {
  const hash = createHash('sha256')
  for (const path of paths)
    for (const file of path.endsWith('.json') ? [path] : filesIn(path))
      hash.update(file).update(readFileSync(file))
  return hash.digest('hex')
}

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort()

const sizesOf = (folder: string): string[] =>
  filesIn(folder).map((file) => {
    const bytes = readFileSync(file)
    const kilobytes = (size: number) => `${(size / 1000).toFixed(0)} kB`
    return `${file.slice(folder.length + 1)}: ${kilobytes(bytes.length)}, ${kilobytes(gzipSync(bytes).length)} packed`
  })

if (import.meta.main) await buildPage((line) => console.log(line))
