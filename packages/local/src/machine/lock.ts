import { randomUUID } from 'node:crypto'
import { linkSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { LocalError, systemCode } from './error.ts'
import { readIfThere } from './files.ts'
import { isRunning, type Process, thisProcess } from './process.ts'

export interface Lock {
  release(): void
}

/** Another process holds the lock and runs. */
export class LockedError extends LocalError {
  override readonly name: string = 'LockedError'
  readonly holder: Process
  constructor(path: string, holder: Process) {
    super(`${path} is held by process ${holder.pid}`)
    this.holder = holder
  }
}

const POLL_MS = 50
const SETTLE_MS = 20

/**
 * Takes the lock at `path`: a file that names its holder and is written atomically. A killed holder does not
 * block, since its file names a process that no longer runs.
 * @param waitMs 0 asks once
 * @throws LockedError when a living process still holds it after `waitMs`
 */
export async function acquireLock(
  path: string,
  { waitMs = 0, onWait }: { waitMs?: number; onWait?: (holder: Process) => void } = {},
): Promise<Lock> {
  const content = JSON.stringify({ ...thisProcess(), token: randomUUID() })
  let waited = false
  for (const until = Date.now() + waitMs; ; await sleep(POLL_MS)) {
    const held = linkOrNull(path, content)
    if (held === null) {
      // Another process that found an older file stale may just have moved ours away. It puts it back, see
      // removeStale.
      await sleep(SETTLE_MS)
      if (readIfThere(path) === content) return { release: () => release(path, content) }
      continue
    }
    const holder = parseHolder(held)
    if (holder === null || !isRunning(holder)) {
      removeStale(path, held)
      continue
    }
    if (Date.now() >= until) throw new LockedError(path, holder)
    if (!waited) onWait?.(holder)
    waited = true
  }
}

/** @returns null when the lock is now ours, else what the file of its holder says */
function linkOrNull(path: string, content: string): string | null {
  const draft = `${path}.${randomUUID()}`
  writeFileSync(draft, content, { mode: 0o600, flag: 'wx' })
  try {
    linkSync(draft, path)
    return null
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error
    return readIfThere(path) ?? '' // it was released meanwhile
  } finally {
    rmSync(draft, { force: true })
  }
}

/** Moves the file away and reads it again. If it is by now the file of another holder, puts it back. */
function removeStale(path: string, seen: string): void {
  const moved = `${path}.${randomUUID()}`
  try {
    renameSync(path, moved)
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return
    throw error
  }
  try {
    if (readIfThere(moved) !== seen) linkSync(moved, path)
  } catch (error) {
    // a third process has the lock; the second notices after SETTLE_MS
    if (systemCode(error) !== 'EEXIST') throw error
  } finally {
    rmSync(moved, { force: true })
  }
}

function release(path: string, content: string): void {
  if (readIfThere(path) === content) rmSync(path, { force: true })
}

function parseHolder(content: string): Process | null {
  try {
    const { pid, startedAt } = JSON.parse(content) as Partial<Process>
    return typeof pid === 'number' && typeof startedAt === 'string' ? { pid, startedAt } : null
  } catch (error) {
    if (error instanceof SyntaxError) return null // not written by us, so nobody holds it
    throw error
  }
}
