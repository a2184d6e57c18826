/** Programs in Python from their registry, for tests that try what others wrote. */
import { spawnSync } from 'node:child_process'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * An environment with some packages, which stays for later runs.
 * @param packages pinned, as in `openai==3.57.0`
 * @returns the folder of its programs; null where there is no Python, or the registry cannot be reached
 */
export function pythonWith(packages: readonly string[]): string | null {
  const name = packages.join('-').replaceAll(/[^\w.-]/g, '_')
  const place = join(tmpdir(), `treeos-python-${process.getuid?.() ?? 0}-${name}`)
  const [programs, done] = [join(place, 'bin'), join(place, 'done')]
  if (existsSync(done)) return programs
  const run = (program: string, ...args: string[]) =>
    spawnSync(program, args, { stdio: 'ignore', timeout: 300_000 }).status === 0
  const pip = join(programs, 'pip')
  if (
    run('python3', '-m', 'venv', place) &&
    run(pip, 'install', '--disable-pip-version-check', ...packages)
  ) {
    writeFileSync(done, '')
    return programs
  }
  rmSync(place, { recursive: true, force: true })
  return null
}
