import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const at = (pattern: string) => globSync(pattern, { cwd: import.meta.dirname, exclude: ['**/*.test.ts'] })
it('imports Node, its own files and what is built into it, and nothing else', () => {
  const imports = at('**/*.ts').flatMap((file) => [
    ...readFileSync(join(import.meta.dirname, file), 'utf8').matchAll(/from '([^']+)'/g),
  ])
  expect(imports.length).toBeGreaterThan(20)
  expect(
    imports
      .map(([, name]) => name)
      .filter((name) => !/^(node:|\.{1,2}\/|@treeos\/(core|roles|world)$)/.test(name ?? '')),
  ).toEqual([])
})
