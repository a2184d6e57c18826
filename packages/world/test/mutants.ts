import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { World } from './authority-play.ts'

/** Loads by Node itself: vitest takes four times as long to load the fifty files of a copy (measured: 250 ms, now 60). */
const load = createRequire(import.meta.url)

/** One guard: its text, which stands once in its file, and the text that replaces it. */
export interface Mutation {
  readonly guard: string
  readonly file: string
  readonly text: string
  readonly instead: string
}

/**
 * Loads a copy of this package's sources without one guard. The sources themselves have no switch for a guard.
 * @throws {Error} when the guard's text does not stand in its file exactly once
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
    return await use(load(join(folder, 'src/index.ts')) as World)
  } finally {
    rmSync(folder, { recursive: true })
  }
}
