import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const at = (pattern: string) => globSync(pattern, { cwd: import.meta.dirname, exclude: ['**/*.test.ts'] })
const linesOf = (file: string): string[] => readFileSync(join(import.meta.dirname, file), 'utf8').split('\n')
/** Lines that are neither blank nor comments. */
const codeIn = (files: readonly string[]): number =>
  files.flatMap(linesOf).filter((line) => !/^\s*(\/\/|\/?\*|$)/.test(line)).length

it('imports Node and its own files, and nothing else', () => {
  const imports = at('**/*.ts').flatMap((file) => [
    ...readFileSync(join(import.meta.dirname, file), 'utf8').matchAll(/from '([^']+)'/g),
  ])
  expect(imports.length).toBeGreaterThan(20)
  expect(imports.map(([, name]) => name).filter((name) => !/^(node:|\.{1,2}\/)/.test(name ?? ''))).toEqual([])
})

it('is short enough to be read before it is trusted: 1300 lines check bundles, 1550 derive permissions, 500 derive facts, 160 origins', () => {
  expect(at('bundle/*.ts').length).toBeGreaterThan(2)
  expect(codeIn(at('bundle/*.ts'))).toBeLessThanOrEqual(1300)
  expect(codeIn(at('receipt/*.ts'))).toBeLessThanOrEqual(1550)
  expect(codeIn(at('fact*.ts'))).toBeLessThanOrEqual(500)
  expect(codeIn(['origin.ts'])).toBeLessThanOrEqual(160)
})
