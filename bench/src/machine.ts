import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { availableParallelism, cpus, loadavg, release, totalmem } from 'node:os'
import { dirname, join } from 'node:path'
import { CONTESTANTS_FOLDER } from './contestants.ts'
import { round } from './statistics.ts'

/** The machine and versions that a result belongs to. */
export function describeMachine() {
  return {
    cpus: availableParallelism(),
    model: cpus()[0]?.model ?? 'unknown',
    memoryGiB: round(totalmem() / 2 ** 30),
    kernel: `${process.platform} ${release()}`,
    load: loadavg().map((load) => round(load)),
  }
}

/** Installed versions of packages. */
export function versionsOf(packages: readonly string[]): Record<string, string> {
  return Object.fromEntries([
    ['node', process.versions.node],
    ...packages.map((name) => [name, versionOf(name)]),
  ])
}

/** Reads the package.json from disk, since most packages do not export it. */
function versionOf(name: string): string {
  const paths = createRequire(join(CONTESTANTS_FOLDER, 'package.json')).resolve.paths(name) ?? []
  for (const path of paths) {
    try {
      return JSON.parse(readFileSync(join(path, name, 'package.json'), 'utf8')).version as string
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
  throw new Error(`${name} is not installed under ${dirname(paths[0] ?? '')}`)
}
