/**
 * What reaches a model in one moment of each shipped role, byte for byte: @ann wears it, and @bo asks her
 * what this place is. It is kept in test/contracts/prompts. `pnpm run prompts` writes it again;
 * test/contracts/golden-prompts.test.ts compares them with what the code makes now.
 */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CitedFact, Json } from '@treeos/core'
import type { RoleSpec } from '@treeos/roles'
import { being, matter, space } from '@treeos/sdk/testing'
import {
  buildFace,
  buildRegistry,
  composeMoment,
  DEFAULT_ROLE,
  memoryRows,
  openTime,
  type PromptMoment,
  type Row,
  seed,
  WorldReader,
} from '@treeos/world'
import { ours } from './worlds.ts'

export const FOLDER = join(import.meta.dirname, '../contracts/prompts')
const registry = buildRegistry([seed, ...ours])
const OPENED_AT = Date.UTC(2026, 10, 22, 21, 45)

/** Roles that see the library alone are shown there, all others in `/hall`. */
const IN_LIBRARY: ReadonlySet<string> = new Set(['librarian', 'library:reader'])

/** A place in which @ann wears the role, and @bo has come to speak with her. */
const annAt = (home: string) =>
  being({
    name: 'ann',
    home,
    cognition: { kind: 'llm', script: null },
    coord: { x: 1, y: 1, z: 0 },
    qualities: { mood: { tone: 'calm' } },
  })
const placeAt = (path: string) =>
  space({
    path,
    type: path.slice(1),
    size: { x: 4, y: 4, z: 1 },
    qualities: {
      ambient: { tone: 'quiet' },
      permissions: { do: { take: { requires: ['owner', 'contributor'] } } },
    },
  })
const rowsAt = (path: string): readonly [string, Row][] => [
  ['space:/', space({ path: '/', type: 'root' })],
  [`space:${path}`, placeAt(path)],
  [`space:${path}/garden`, space({ path: `${path}/garden`, type: 'garden' })],
  ['being:operator', being({ name: 'operator', parent: null, cognition: { kind: 'human', script: null } })],
  ['being:ann', annAt(path)],
  ['being:bo', being({ name: 'bo', home: path, cognition: { kind: 'human', script: null } })],
  ['matter:globe', matter({ id: 'globe', type: 'globe', place: path, content: 'of brass' })],
  [
    'matter:notes',
    matter({ id: 'notes', type: 'paper', owner: 'ann', place: '@ann', content: 'Ask @bo his name.' }),
  ],
]
const EARLIER: CitedFact = {
  ref: ['being:bo', 1, ''],
  kind: 'being:summoned',
  payload: { to: 'ann', root: 'd3f0', content: 'Good evening.' },
}
const ANSWER: CitedFact = {
  ref: ['being:ann', 1, ''],
  kind: 'being:summoned',
  payload: { to: 'bo', root: 'd3f0', content: 'Good evening, and welcome.' },
}

/** A text for each role, by file name. */
export async function goldenPrompts(): Promise<Map<string, string>> {
  const texts = new Map<string, string>()
  for (const name of registry.roles.keys()) texts.set(fileOf(name), await textFor(name))
  return texts
}

const fileOf = (role: string): string => `${role.replace(':', '-')}.txt`

async function textFor(name: string): Promise<string> {
  const spec = specOf(name)
  const specs = isMood(spec) ? [specOf(DEFAULT_ROLE), spec] : [spec]
  const composed = await composeFor(specs)
  const tools = composed.tools.map((tool) => tool.function)
  const choice = composed.role.forceToolCall
    ? 'The model must call one of these tools.'
    : 'The model may call a tool or none.'
  const part = (title: string, text: string) => [`======== ${title}`, text]
  return [
    ...part('roles', specs.map((worn) => worn.name).join(', ')),
    ...part('system message', composed.prompt.system),
    ...part('user message', composed.prompt.user),
    ...part('tools', tools.length === 0 ? 'none' : choice),
    ...tools.map((tool) => JSON.stringify(tool, null, 2)),
    '',
  ].join('\n')
}

/** A role with only a prompt is worn on top of another. */
const isMood = ({ canSee, canDo, canSummon, canBe, see }: RoleSpec): boolean =>
  [canSee, canDo, canSummon, canBe, see].every((list: readonly Json[]) => list.length === 0)

function specOf(name: string): RoleSpec {
  const role = registry.roles.get(name)
  if (role === undefined) throw new Error(`no role ${name} is shipped`)
  return role.spec
}

async function composeFor(specs: readonly RoleSpec[]) {
  const place = specs.some(({ name }) => IN_LIBRARY.has(name)) ? '/library' : '/hall'
  const source = memoryRows(new Map(rowsAt(place)), new Map(), {
    wore: async () => ({ bo: 'operator' }),
    did: async () => [ANSWER],
    said: async () => ({ facts: [EARLIER, ANSWER], earlier: 0 }),
  })
  const { face } = await buildFace(new WorldReader(source), registry, {
    me: annAt(place),
    asker: 'bo',
    specs,
    forModel: true,
    lastSealed: { sealedAt: OPENED_AT - 60_000, primary: specs[0]?.name ?? '' },
  })
  const moment: PromptMoment = {
    wake: { id: 'd3f1', kind: 'summon', root: 'd3f0', inReplyTo: null },
    caller: { name: 'bo', role: 'operator', cognition: 'human' },
    verb: 'summon',
    ...openTime(OPENED_AT, 'Europe/Berlin'),
    content: 'What is this place?',
  }
  return composeMoment(registry, specs, face, moment)
}

/** The texts as they are kept. */
export async function keptPrompts(): Promise<Map<string, string>> {
  const files = (await readdir(FOLDER)).sort()
  return new Map(
    await Promise.all(files.map(async (file) => [file, await readFile(join(FOLDER, file), 'utf8')] as const)),
  )
}

if (import.meta.main) {
  await rm(FOLDER, { recursive: true, force: true })
  await mkdir(FOLDER, { recursive: true })
  const texts = await goldenPrompts()
  for (const [file, text] of texts) await writeFile(join(FOLDER, file), text)
  console.log(`${texts.size} prompts in test/contracts/prompts`)
}
