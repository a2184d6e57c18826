import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { LocalError } from '../machine/error.ts'
import { acquireLock } from '../machine/lock.ts'
import { type FindOptions, findExecutable, type TemporalBinary } from './executables.ts'

// beside src in a checkout, beside dist in an install
const SOURCE = resolve(import.meta.dirname, '../../temporal')
const PROGRESS_MS = 5_000
const WAIT_MS = 3_600_000
const FLAGS = [
  // as Temporal builds its own releases: without what an archive in the cloud would need
  '-tags=disable_grpc_modules',
  '-trimpath',
  '-ldflags=-s -w',
  '-gcflags=all=-dwarf=false', // it would be stripped
]

/** The server that an earlier start built from the same sources. */
export function builtTemporal(cacheDir: string, source = SOURCE): TemporalBinary | null {
  const path = buildTarget(cacheDir, source)
  return existsSync(path) ? { kind: 'built', path } : null
}

/**
 * Builds packages/local/temporal into the cache: minutes the first time, seconds when Go's own cache is warm.
 * Of several starts, one builds and the others wait.
 * @throws LocalError without Go, or with the end of its output
 */
export async function buildTemporal(
  { env, path, cacheDir, onProgress }: FindOptions,
  source = SOURCE,
): Promise<TemporalBinary> {
  const go = findExecutable('go', path)
  if (go === null) throw new LocalError(NOTHING_FOUND)
  mkdirSync(cacheDir, { recursive: true })
  const target = buildTarget(cacheDir, source)
  const lock = await acquireLock(`${target}.lock`, {
    waitMs: WAIT_MS,
    onWait: ({ pid }) => onProgress(`process ${pid} is building Temporal's server, waiting for it`),
  })
  const draft = `${target}.new` // always the same name, so that the next build overwrites what a killed one left
  try {
    if (existsSync(target)) return { kind: 'built', path: target }
    onProgress("building Temporal's server with Go, once: about 5 minutes on two cores")
    const args = ['build', '-v', ...FLAGS, '-o', draft, '.']
    await runGo(go, args, { cwd: source, env: { ...env, PATH: path } }, onProgress)
    renameSync(draft, target)
    return { kind: 'built', path: target }
  } finally {
    rmSync(draft, { force: true })
    lock.release()
  }
}

const NOTHING_FOUND = `Temporal's server was not found: there is no \`temporal\` on PATH, none could be downloaded, and
there is no \`go\` on PATH to build one with. One of these will do:
  Temporal's CLI   brew install temporal, or the archive of https://docs.temporal.io/cli unpacked into a folder of PATH
  Go 1.26          brew install go, or https://go.dev/doc/install, then start again
  a server         TEMPORAL_ADDRESS=host:port, such as the one of infra/compose (docker compose up --detach)`

/**
 * The name contains a hash of everything that decides what the server does. The version of Go is left out:
 * go.mod pins every source, and an upgrade of Go should not cost a user ten minutes.
 */
function buildTarget(cacheDir: string, source: string): string {
  const hash = createHash('sha256').update(`${process.platform}/${process.arch} ${FLAGS.join(' ')}`)
  for (const name of readdirSync(source, { recursive: true, encoding: 'utf8' }).sort())
    if (/(\.go|go\.mod|go\.sum)$/.test(name)) hash.update(name).update(readFileSync(join(source, name)))
  return join(cacheDir, `temporal-${hash.digest('hex').slice(0, 16)}`)
}

async function runGo(
  command: string,
  args: readonly string[],
  options: { cwd: string; env: NodeJS.ProcessEnv },
  onProgress: (line: string) => void,
): Promise<void> {
  const startedAt = Date.now()
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'ignore', 'pipe'] })
  let [output, packages, current] = ['', 0, 'reading modules']
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-8_000)
    const lines = text.split('\n').filter((line) => line !== '')
    packages += lines.filter((line) => !line.startsWith('go: ')).length
    current = lines.at(-1) ?? current
  })
  const tick = setInterval(() => {
    const seconds = Math.round((Date.now() - startedAt) / 1000)
    onProgress(`building Temporal's server: ${seconds} s, ${packages} packages, now ${current}`)
  }, PROGRESS_MS)
  const [code] = await once(child, 'close').finally(() => clearInterval(tick))
  if (code === 0) return
  const end = output.trimEnd().split('\n').slice(-10).join('\n')
  throw new LocalError(
    `Temporal's server could not be built (\`${command} ${args.join(' ')}\` in ${options.cwd} ended with ${code}). ` +
      `Fix what it says, or install Temporal's CLI, and start again:\n${end}`,
  )
}
