import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { listFunctions } from './files.ts'

const files = await listFunctions()

it('finds the functions', () => expect(files.length).toBeGreaterThan(50))

it.each(files)('%s makes the one function it is named after, and can be applied again', async (file) => {
  const text = await readFile(join(import.meta.dirname, file), 'utf8')
  const made = [...text.matchAll(/^create.*$/gm)].map(([line]) => line)
  const own = file.slice(0, -'.sql'.length).split('/').at(-1)?.replaceAll('-', '_')
  expect(made).toEqual([expect.stringContaining(`create or replace function treeos.${own}(`)])
})
