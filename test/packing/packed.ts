import { execFile } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { acquireLock } from '@treeos/local'
import { packAll, pnpm, root } from '../../scripts/packages.ts'

const WAIT_MS = 600_000

/**
 * Builds all packages and packs them into a new folder. Files that do so at the same time wait for each
 * other: a build rewrites `dist`.
 */
export async function buildAndPack(folder: string): Promise<void> {
  const lock = await acquireLock(join(tmpdir(), `treeos-build${root.replaceAll('/', '-')}`), {
    waitMs: WAIT_MS,
  })
  try {
    await promisify(execFile)(pnpm, ['run', 'build'], { cwd: root })
    await packAll(folder)
  } finally {
    lock.release()
  }
}
