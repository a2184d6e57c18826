import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { systemCode } from './error.ts'

/** An executable that can serve: `cli` and `download` are Temporal's CLI, `built` is infra/temporal. */
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
  const suffixes = process.platform === 'win32' ? ['.exe'] : ['']
  for (const folder of path.split(delimiter).filter((one) => one.startsWith('/') || one.includes(':'))) {
    for (const suffix of suffixes) {
      const file = join(folder, name + suffix)
      if (isExecutable(file)) return file
    }
  }
  return null
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch (error) {
    const code = systemCode(error)
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EACCES') return false
    throw error
  }
}
