/**
 * Makes the JSON schemas of the answers whose types the domain owns, for the description of the API.
 * `pnpm docs:clients` writes them; `test/contracts/api-clients.test.ts` fails when they are out of date.
 */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')
const GENERATOR = join(ROOT, 'docs/node_modules/ts-json-schema-generator/bin/ts-json-schema-generator.js')
const TYPES = 'AnswerTypes'
export const ANSWER_SCHEMAS = 'apps/portal/src/api/generated/answer-schemas.json'
/** What any JSON may be, so it says nothing. */
const ANY = { Json: {}, JsonObject: { type: 'object', additionalProperties: true } }

type Schema = Readonly<Record<string, unknown>>

/** Its text. @throws {Error} for a type of which there is no schema */
export function answerSchemas(): string {
  const [from, tsconfig] = ['apps/portal/src/api/answer-types.ts', 'test/support/answer-types.tsconfig.json']
  const told = execFileSync(
    process.execPath,
    [
      ...[GENERATOR, '--path', join(ROOT, from), '--tsconfig', join(ROOT, tsconfig), '--type', TYPES],
      ...['--no-type-check', '--additional-properties', '--no-ref-encode'],
    ],
    { encoding: 'utf8', maxBuffer: 2 ** 25, stdio: ['ignore', 'pipe', 'pipe'] },
  )
  const { definitions } = JSON.parse(told) as { definitions: Record<string, Schema> }
  const { [TYPES]: all, ...schemas } = definitions
  const { properties } = all as { properties: Record<string, Schema> }
  for (const [name, { $ref }] of Object.entries(properties))
    if ($ref !== `#/definitions/${name}`)
      throw new Error(
        `${name} of ${from} has no schema: is it a named type, from a package that the portal depends on?`,
      )
  const sorted = Object.fromEntries(
    Object.entries({ ...schemas, ...ANY }).sort(([a], [b]) => (a < b ? -1 : 1)),
  )
  return `${JSON.stringify(sorted, null, 2).replaceAll('#/definitions/', '#/components/schemas/')}\n`
}

if (import.meta.main) writeFileSync(join(ROOT, ANSWER_SCHEMAS), answerSchemas())
