import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { FUNCTIONS } from './files.ts'

const folder = join(import.meta.dirname, 'functions')

it('lists every function file', async () => {
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.sql'))
  expect(files.map((file) => file.slice(0, -'.sql'.length)).sort()).toEqual([...FUNCTIONS].sort())
})

it.each(FUNCTIONS)(
  '%s.sql makes the one function it is named after, and can be applied again',
  async (name) => {
    const text = await readFile(join(folder, `${name}.sql`), 'utf8')
    const made = [...text.matchAll(/^create.*$/gm)].map(([line]) => line)
    const own = name.split('/').at(-1)?.replaceAll('-', '_')
    expect(made).toEqual([expect.stringContaining(`create or replace function treeos.${own}(`)])
  },
)
