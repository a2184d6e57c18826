import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { buildTemporal, builtTemporal } from './build.ts'
import { DOWNLOADED, downloadTemporal } from './download.ts'
import { type FindOptions, findExecutable, type TemporalBinary } from './executables.ts'

/**
 * The database file of each kind of server, relative to the instance's folder. One kind cannot read the file
 * of another: their schemas and shards differ.
 */
export function databaseOf(kind: TemporalBinary['kind']): string {
  return join('temporal', kind === 'built' ? 'server.db' : 'cli.db')
}

/**
 * The kind of server that made this instance's database. It is used again, so that beings go on where they
 * were, even if a preferred kind is available by now.
 * @returns null when there is no database yet, or nothing here can open it
 */
export async function formerTemporal(dataDir: string, options: FindOptions): Promise<TemporalBinary | null> {
  const { path, cacheDir, onProgress } = options
  const has = (kind: TemporalBinary['kind']) => existsSync(join(dataDir, databaseOf(kind)))
  if (!has('built') && !has('cli')) return null
  const built = has('built') ? builtTemporal(cacheDir) : null
  if (built !== null) return built
  if (has('built') && findExecutable('go', path) !== null) return buildTemporal(options)
  const cli = has('cli') ? (onPath(path) ?? downloaded(cacheDir)) : null
  if (cli === null)
    onProgress(`the server that made Temporal's database in ${dataDir} is gone: starting a new database`)
  return cli
}

/**
 * Our own server if an earlier start built it, since it asks callers for a credential; else `temporal` on
 * PATH, else the pinned download, else built with Go. Neither of the others can ask, but they start at once,
 * and a build takes minutes.
 * @throws LocalError with what is missing and the commands that install it
 */
export async function findTemporal(options: FindOptions): Promise<TemporalBinary> {
  const { path, cacheDir } = options
  return readyTemporal(cacheDir, path) ?? (await downloadAndFind(options)) ?? (await buildTemporal(options))
}

/** Our own server, whatever else is there. @throws LocalError without Go */
export const ownTemporal = async (options: FindOptions): Promise<TemporalBinary> =>
  builtTemporal(options.cacheDir) ?? buildTemporal(options)

/**
 * The server that the next start of a new instance takes without a download or a build; null when there is
 * none.
 */
export const readyTemporal = (cacheDir: string, path: string): TemporalBinary | null =>
  builtTemporal(cacheDir) ?? onPath(path) ?? downloaded(cacheDir)

async function downloadAndFind(options: FindOptions): Promise<TemporalBinary | null> {
  if (options.env.TREEOS_NO_DOWNLOAD === '1') return null
  await downloadTemporal(downloadDir(options.cacheDir), options)
  return downloaded(options.cacheDir)
}

/** The first executable `temporal`. */
export function onPath(path: string): TemporalBinary | null {
  const file = findExecutable('temporal', path)
  return file === null ? null : { kind: 'cli', path: file }
}

/** The pinned version only; what another version of TreeOS downloaded is left alone. */
function downloaded(cacheDir: string): TemporalBinary | null {
  const path = join(downloadDir(cacheDir), DOWNLOADED)
  return existsSync(path) ? { kind: 'download', path } : null
}

function downloadDir(cacheDir: string): string {
  return join(cacheDir, 'temporal-cli')
}
