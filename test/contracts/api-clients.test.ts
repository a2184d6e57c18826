import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ANSWER_SCHEMAS, answerSchemas } from '../support/answer-schemas.ts'
import { apiClientFiles } from '../support/api-clients.ts'

const ROOT = join(import.meta.dirname, '../..')

it('the schemas of answers are made from their types of now', () => {
  expect(readFileSync(join(ROOT, ANSWER_SCHEMAS), 'utf8') === answerSchemas(), ANSWER_SCHEMAS).toBe(true)
}, 120_000)

it('the clients of the API are made from its description of now: `pnpm docs:clients` writes them', () => {
  for (const [path, text] of Object.entries(apiClientFiles()))
    expect(readFileSync(join(ROOT, path), 'utf8') === text, path).toBe(true)
})
