import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { LAW } from '@treeos/world'
import { expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../../..')

it.each([
  { file: 'clients/python-verify/treeos_verify/moment.py', says: /^LAW = (\d+)$/m },
  { file: 'docs/formats.md', says: /^A _law_ .* This page is law (\d+);/m },
])('$file states the law of the worker', ({ file, says }) => {
  const [, number] = says.exec(readFileSync(join(ROOT, file), 'utf8')) ?? []
  expect(number).toBe(String(LAW))
})
