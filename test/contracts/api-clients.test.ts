import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { apiClientFiles } from '../support/api-clients.ts'

const ROOT = join(import.meta.dirname, '../..')

it('the clients of the API are made from its description of now: `pnpm docs:clients` writes them', () => {
  for (const [path, text] of Object.entries(apiClientFiles()))
    expect(readFileSync(join(ROOT, path), 'utf8') === text, path).toBe(true)
})
