/**
 * Writes what the clients of the HTTP API are made from: its description, and its types for TypeScript.
 * `pnpm docs:clients`; `test/contracts/api-clients.test.ts` fails when they are out of date.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describeApi } from '@treeos/portal'
import { type Description, pythonOperations, pythonShapes } from './python-shapes.ts'

const ROOT = join(import.meta.dirname, '../..')
const GENERATOR = join(ROOT, 'docs/node_modules/openapi-typescript/bin/cli.js')
const HEAD = '/** Made from the description of the API by `pnpm docs:clients`. */\n'

/** The files with their texts, by their paths in the repository. */
export function apiClientFiles(): Record<string, string> {
  const described = describeApi()
  const description = `${JSON.stringify(described, null, 2)}\n`
  const folder = mkdtempSync(join(tmpdir(), 'treeos-api-'))
  try {
    const [from, to] = [join(folder, 'openapi.json'), join(folder, 'schema.ts')]
    writeFileSync(from, description)
    execFileSync(process.execPath, [GENERATOR, from, '-o', to], { stdio: 'pipe' })
    return {
      'packages/client-http/src/generated/openapi.json': description,
      'packages/client-http/src/generated/schema.ts': HEAD + readFileSync(to, 'utf8'),
      'clients/python/treeos/operations.py': pythonOperations(described as Description),
      'clients/python/treeos/shapes.py': pythonShapes(described as Description),
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

if (import.meta.main)
  for (const [path, text] of Object.entries(apiClientFiles())) writeFileSync(join(ROOT, path), text)
