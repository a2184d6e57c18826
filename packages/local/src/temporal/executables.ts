import { delimiter, isAbsolute } from 'node:path'
import which from 'which'

/**
 * An executable that can serve: `cli` and `download` are Temporal's CLI, `built` is packages/local/temporal.
 */
export interface TemporalBinary {
  kind: 'cli' | 'download' | 'built'
  path: string
}

export interface FindOptions {
  env: NodeJS.ProcessEnv
  /** Folders, as PATH lists them. */
  path: string
  cacheDir: string
  onProgress: (line: string) => void
}

/** @param path folders, as PATH lists them; relative and empty ones are passed over */
export function findExecutable(name: string, path: string): string | null {
  const folders = path.split(delimiter).filter(isAbsolute)
  return folders.length === 0 ? null : which.sync(name, { path: folders.join(delimiter), nothrow: true })
}
