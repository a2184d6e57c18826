import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

/**
 * The frameworks and libraries that benchmarks compare with: a workspace of its own, which `pnpm install` of
 * the repository leaves out.
 */
export const CONTESTANTS_FOLDER = resolve(import.meta.dirname, '../contestants')
const ROOT = resolve(import.meta.dirname, '../..')

/** Installs what the lock file of the folder names. Takes a second when all is there. */
export async function installContestants(onProgress: (line: string) => void): Promise<void> {
  onProgress('installing the contestants')
  await installWorkspace(CONTESTANTS_FOLDER)
}

/** Installs a workspace which `pnpm install` of the repository leaves out. */
export async function installWorkspace(folder: string): Promise<void> {
  const { devEngines } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const pnpm = `pnpm@${devEngines.packageManager.version}`
  const args = ['-y', pnpm, 'install', '--frozen-lockfile', '--prefer-offline']
  const installing = spawn('npx', args, { cwd: folder, stdio: ['ignore', 2, 2] })
  const [code] = await once(installing, 'exit')
  if (code !== 0) throw new Error(`pnpm install in ${folder} ended with ${code}`)
}

/**
 * @param file of the folder; its path is computed, so that `tsc` of the repository does not look for its
 *   dependencies
 */
export function loadContestants<Module>(file: string): Promise<Module> {
  return import(join(CONTESTANTS_FOLDER, file))
}
