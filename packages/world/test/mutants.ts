import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { World } from './authority-play.ts'

/** A guard, and this package without it: the text that guards, once in its file, and what stands in its place. */
export interface Mutation {
  readonly guard: string
  readonly file: string
  readonly text: string
  readonly instead: string
}

/**
 * Loads a copy of this package's sources in which one guard is gone, from a folder of its own: nothing in the sources
 * themselves can be switched off.
 * @throws {Error} when the guard's text is not there exactly once
 */
export async function withoutGuard<T>(
  { guard, file, text, instead }: Mutation,
  use: (code: World) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'treeos-mutant-'))
  try {
    cpSync(resolve(import.meta.dirname, '../src'), join(folder, 'src'), {
      recursive: true,
      filter: (path) => !path.endsWith('.test.ts'),
    })
    cpSync(resolve(import.meta.dirname, '../package.json'), join(folder, 'package.json'))
    symlinkSync(resolve(import.meta.dirname, '../node_modules'), join(folder, 'node_modules'))
    const path = join(folder, 'src', file)
    const parts = readFileSync(path, 'utf8').split(text)
    if (parts.length !== 2)
      throw new Error(`${guard}: its text is ${parts.length - 1} times in ${file}, not once:\n${text}`)
    writeFileSync(path, parts.join(instead))
    return await use((await import(pathToFileURL(join(folder, 'src/index.ts')).href)) as World)
  } finally {
    rmSync(folder, { recursive: true })
  }
}
