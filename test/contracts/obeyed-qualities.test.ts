/** Every namespace of qualities that code of TreeOS reads by its name has an owner. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')
const sources = execFileSync('git', ['ls-files', 'packages', 'apps'], { cwd: root, encoding: 'utf8' })
  .trim()
  .split('\n')
  .filter((file) => /\/src\/.*\.(ts|sql)$/.test(file) && !/\.test\.ts$|\/generated\//.test(file))

/** What a namespace is called where a constant names it. */
const NAMED: Readonly<Record<string, string>> = {
  ACCEPTED_TOOLS: 'tools',
  LLM: 'llm',
  NAMESPACE: 'tools',
  PASSKEYS: 'passkeys',
  QUALITY: 'a2a',
  SCENE_NAMESPACE: 'scene',
  SCHEDULES: 'schedule',
  SHADOW: 'shadow',
  STANDARD_BUDGET: 'budget',
  SUBSCRIPTIONS: 'subscription',
}

/** By namespace: who alone writes it. */
const OWNERS: Readonly<Record<string, string>> = {
  a2a: 'a person, by set-being: requirePersonToOpen',
  budget: 'set-budget, of /',
  chat: 'a person, by set-being: requirePersonToOpen',
  llm: 'set-being and set-roleflow: WRITERS',
  passkeys: 'a person of its own, by set-being: requirePasskeyChange',
  permissions: 'set-space: WRITERS',
  roleFlow: 'set-roleflow: WRITERS',
  scene: 'whoever may set qualities of /; it says only which scenes were played',
  schedule: 'set-schedule and delete-schedule: WRITERS',
  shadow: 'set-space and set-being: WRITERS',
  subscription: 'subscribe and its kin: WRITERS',
  tools: 'the extension tools and the operator: requireOwnQualities',
  wake: 'set-being: WRITERS; its workflows a person: requirePersonToOpen',
}

/** How a namespace is read: in TypeScript as a field or a path, in SQL as a path. */
const READS = [
  /\bqualities\??\.([a-zA-Z][a-zA-Z0-9]*)\b(?!\s*\()/g,
  /\breadPath\([^,()]*(?:\([^()]*\))?[^,()]*qualities[^,[\]]*,\s*\[\s*(?:'([a-zA-Z0-9-]+)'|([A-Z_]+))/g,
  /\bqualities(?:\?\.)?\[\s*(?:'([a-zA-Z0-9-]+)'|([A-Z_]+))/g,
  /\{qualities,([a-zA-Z0-9-]+)/g,
  /'qualities'->>?'([a-zA-Z0-9-]+)'/g,
]

function namespacesRead(text: string): string[] {
  return READS.flatMap((read) =>
    [...text.matchAll(read)].map(([, name, constant = '']) => name ?? NAMED[constant] ?? constant),
  )
}

it('code obeys no quality that belongs to nobody', () => {
  const read = new Set(sources.flatMap((file) => namespacesRead(readFileSync(join(root, file), 'utf8'))))
  read.delete('ts') // the name of a file
  expect([...read].sort()).toEqual(Object.keys(OWNERS).sort())
})

it.each([
  ['const { x } = row.qualities.front as JsonObject', 'front'],
  ["readPath(row?.qualities, ['front', 'of'])", 'front'],
  ['readPath(of(row).qualities ?? null, [SHADOW, verb])', 'shadow'],
  ["state::json #>> '{qualities,front,of}'", 'front'],
  ["state->'qualities'->'front'", 'front'],
])('a control: a new one is found in %s', (text, name) => expect(namespacesRead(text)).toEqual([name]))
