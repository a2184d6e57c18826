import { randomUUID } from 'node:crypto'
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { systemCode } from './error.ts'

/** Replaces a file atomically: a reader finds the old content or the new, never a part. */
export function writeWhole(path: string, content: string, mode = 0o600): void {
  const draft = `${path}.${randomUUID()}`
  try {
    writeFileSync(draft, content, { mode, flag: 'wx' })
    renameSync(draft, path)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
}

/** @returns null when there is no such file; any other failure is thrown */
export function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null
    throw error
  }
}
