import { execFileSync } from 'node:child_process'
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /**
     * the program bwrap; null where it cannot be had: tests that need it are then skipped, and the check
     * counts them
     */
    bwrap: string | null
  }
}

/** Runs once for a project of vitest.config.ts. */
export default function setup({ provide }: TestProject): void {
  provide('bwrap', findBubblewrap())
}

const INSTALLED = '/usr/bin/bwrap'
const APT_TIMEOUT_MS = 60_000

/**
 * The program bwrap for tests: that of the machine, or else one out of Debian's package, unpacked into a
 * folder for temporary files. It installs nothing and needs no rights.
 * @returns null where there is neither
 */
function findBubblewrap(): string | null {
  if (process.platform !== 'linux') return null
  if (existsSync(INSTALLED)) return INSTALLED
  try {
    // A sandbox runs as a user without rights, who must reach the program: a cache below a home would not do.
    const folder = ownFolder(join(tmpdir(), `treeos-check-${process.getuid?.()}`))
    const unpacked = join(folder, 'bubblewrap')
    const bwrap = join(unpacked, 'usr/bin/bwrap')
    if (!existsSync(bwrap)) unpack(folder, unpacked)
    accessSync(bwrap, constants.X_OK)
    return bwrap
  } catch (error) {
    console.error(`no bubblewrap for the tests of the sandbox: ${(error as Error).message}`)
    return null
  }
}

/** Anybody may make a folder of this name there, so it counts only when it is ours. */
function ownFolder(path: string): string {
  mkdirSync(path, { recursive: true, mode: 0o755 })
  const { uid, mode } = lstatSync(path)
  if (uid !== process.getuid?.() || (mode & 0o170_022) !== 0o040_000)
    throw new Error(`${path} is not a folder that only this user writes`)
  chmodSync(path, 0o755)
  return path
}

/** Several test files may do this at once: the first one wins. */
function unpack(folder: string, to: string): void {
  const made = mkdtempSync(join(folder, 'fetch-'))
  try {
    download(made)
    const file = readdirSync(made).find((name) => name.endsWith('.deb'))
    execFileSync('dpkg', ['-x', join(made, String(file)), join(made, 'unpacked')], { stdio: 'pipe' })
    renameSync(join(made, 'unpacked'), to)
  } catch (error) {
    if (!existsSync(to)) throw error
  } finally {
    rmSync(made, { recursive: true, force: true })
  }
}

/** A bare machine has no list of packages, so one is fetched into the folder when the first try fails. */
function download(folder: string): void {
  const apt = (...args: string[]) =>
    execFileSync('apt-get', args, { cwd: folder, stdio: 'pipe', timeout: APT_TIMEOUT_MS })
  try {
    apt('download', 'bubblewrap')
  } catch {
    const lists = ['-o', `Dir::State::lists=${join(folder, 'lists')}`]
    mkdirSync(join(folder, 'lists/partial'), { recursive: true })
    apt(...lists, 'update')
    apt(...lists, 'download', 'bubblewrap')
  }
}
