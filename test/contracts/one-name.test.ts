import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join, posix } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')

/** `@treeos/verify` imports nothing of ours, so it has types of its own of the same shape. */
const MADE_TWICE = new Set(['Json', 'JsonObject'])
/** What an extension is loaded by. */
const NOT_A_NAME = new Set(['default'])

interface Sources {
  /** files that packages export, by what imports call them */
  readonly doors: ReadonlyMap<string, string>
  read(file: string): string
  /** cache: what files export */
  readonly known: Map<string, Map<string, string>>
}

const LIST = /\b(?:export|import)\s+(?:type\s+)?(?:\w+\s*,\s*)?\{([^}]*)\}(?:\s*from\s*'([^']+)')?/g
const DECLARED =
  /^export\s+(?:declare\s+)?(?:async\s+)?(?:abstract\s+)?(?:const|let|function\*?|class|interface|type)\s+(\w+)/gm
const STAR = /^export\s+(?:type\s+)?\*\s+from\s+'([^']+)'/gm

/** The names in braces: what the other file calls each, by its name here. */
function namesOf(list: string): [name: string, there: string][] {
  const items = list.replace(/\/\*.*?\*\/|\/\/.*$/gm, '').split(',')
  return items
    .map((item) => item.trim().replace(/^type\s+/, ''))
    .filter((item) => item !== '')
    .map((item) => {
      const [there = '', name = there] = item.split(/\s+as\s+/)
      return [name, there]
    })
}

const fileOf = ({ doors }: Sources, from: string, specifier: string): string | undefined =>
  specifier.startsWith('.') ? posix.join(posix.dirname(from), specifier) : doors.get(specifier)

/** All that a file exports: by its name the file and name under which it is declared. */
function exportsOf(sources: Sources, file: string): Map<string, string> {
  const known = sources.known.get(file) ?? readExports(sources, file)
  sources.known.set(file, known)
  return known
}

function readExports(sources: Sources, file: string): Map<string, string> {
  const text = sources.read(file)
  const found = new Map<string, string>()
  const origin = (specifier: string, name: string) => {
    const target = fileOf(sources, file, specifier)
    return target === undefined ? `${specifier}#${name}` : (exportsOf(sources, target).get(name) ?? null)
  }
  const imported = new Map<string, [specifier: string, there: string]>()
  const lists = [...text.matchAll(LIST)]
  for (const [whole, list = '', specifier] of lists)
    if (whole.startsWith('import') && specifier !== undefined)
      for (const [name, there] of namesOf(list)) imported.set(name, [specifier, there])
  for (const [, specifier = ''] of text.matchAll(STAR)) {
    const target = fileOf(sources, file, specifier)
    if (target !== undefined) for (const [name, at] of exportsOf(sources, target)) found.set(name, at)
  }
  for (const [, name = ''] of text.matchAll(DECLARED)) found.set(name, `${file}#${name}`)
  for (const [whole, list = '', specifier] of lists) {
    if (!whole.startsWith('export')) continue
    for (const [name, there] of namesOf(list)) {
      const [from, theirs] = specifier === undefined ? (imported.get(there) ?? []) : [specifier, there]
      const at = from === undefined || theirs === undefined ? `${file}#${there}` : origin(from, theirs)
      if (at === null) throw new Error(`${file} exports ${name} from ${from}, which does not export it`)
      found.set(name, at)
    }
  }
  return found
}

/** Names under which packages export different things, with where each is declared. */
function namesWithTwoMeanings(sources: Sources): string[] {
  const meanings = new Map<string, Set<string>>()
  for (const file of sources.doors.values())
    for (const [name, at] of exportsOf(sources, file))
      if (!NOT_A_NAME.has(name)) meanings.set(name, (meanings.get(name) ?? new Set()).add(at))
  return [...meanings]
    .filter(([name, all]) => all.size > 1 && !MADE_TWICE.has(name))
    .map(([name, all]) => `${name}: ${[...all].join(', ')}`)
}

function ourDoors(): Map<string, string> {
  const doors = new Map<string, string>()
  for (const top of ['packages', 'extensions', 'apps'])
    for (const folder of readdirSync(join(root, top))) {
      const file = join(root, top, folder, 'package.json')
      if (!existsSync(file)) continue
      const { name, exports = {} } = JSON.parse(readFileSync(file, 'utf8')) as {
        name: string
        exports?: Record<string, string>
      }
      for (const [door, path] of Object.entries(exports))
        if (path.endsWith('.ts')) doors.set(posix.join(name, door), posix.join(top, folder, path))
    }
  return doors
}

const DECLARED_TYPE =
  /^(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:class|interface|type)\s+(\w+)/gm

/** Participles that end neither in -ed nor in -ing. */
const PARTICIPLES = new Set(
  `born begun brought driven done found forgiven given gone heard held kept known left lost made meant met paid said seen sent shown sought
  spoken stuck taken told understood woken worn written`.split(/\s+/),
)
/**
 * Other words that are not nouns. As a file's name, `read` is a verb and `lately` is an operation of the API.
 */
const NOT_A_TYPE = new Set(
  'ahead around at away before beside beyond different from inside lately of read ready same stale where whose would'.split(
    ' ',
  ),
)
/** Nouns that look like participles. */
const NOUNS = new Set(['ceiling', 'deed', 'feed', 'happening', 'need', 'seed', 'string', 'thing'])
/** Files whose gerund is a noun of ours or of the field. */
const NOUN_FILES = new Set(['being', 'offspring', 'running', 'spending', 'testing', 'thinking'])

const isParticiple = (word: string): boolean =>
  PARTICIPLES.has(word) || (/^[a-z]+(?:ed|ing)$/.test(word) && !NOUNS.has(word))

/** @param name of a type, in one word or several, as in `Told` and `ToldWake` */
const isBareType = (name: string): boolean =>
  /^[A-Z][a-z]*$/.test(name) && (isParticiple(name.toLowerCase()) || NOT_A_TYPE.has(name.toLowerCase()))

function isBareFile(file: string): boolean {
  const name = basename(file).replace(/[.]tsx?$/, '')
  if (!/^[A-Za-z][a-z]*$/.test(name)) return false
  const word = name.toLowerCase()
  return isParticiple(word) && !NOUN_FILES.has(word)
}

interface TypeFaults {
  /** types, classes and interfaces that one package declares more than once */
  readonly doubled: readonly string[]
  readonly bareTypes: readonly string[]
  readonly bareFiles: readonly string[]
}

/** @param files sources from the root, as in `packages/core/src/wake.ts` */
function faultsOfTypes(files: readonly string[], read: Sources['read']): TypeFaults {
  const places = new Map<string, string[]>()
  for (const file of files)
    for (const [, name = ''] of read(file).matchAll(DECLARED_TYPE)) {
      const key = `${file.split('/', 2).join('/')} ${name}`
      places.set(key, [...(places.get(key) ?? []), file])
    }
  const all = [...places].map(([key, at]) => ({ name: key.split(' ')[1] ?? '', at }))
  return {
    doubled: all.filter(({ at }) => at.length > 1).map(({ name, at }) => `${name}: ${at.join(', ')}`),
    bareTypes: all.filter(({ name }) => isBareType(name)).map(({ name, at }) => `${name}: ${at[0]}`),
    bareFiles: files.filter(isBareFile),
  }
}

const ourFiles = (): string[] =>
  globSync('{packages,apps,extensions}/*/{src,page/src}/**/*.{ts,tsx}', { cwd: root }).filter(
    (file) => !/[.]test[.]|\/generated\//.test(file),
  )

const ours: Sources = {
  doors: ourDoors(),
  read: (file) => readFileSync(join(root, file), 'utf8'),
  known: new Map(),
}

describe('a name that packages export', () => {
  it('means one thing in all of them', () => {
    expect(ours.doors.size).toBeGreaterThan(20)
    expect(namesWithTwoMeanings(ours)).toEqual([])
  })

  const made = (files: Record<string, string>): Sources => ({
    doors: new Map([
      ['@treeos/a', 'a/index.ts'],
      ['@treeos/b', 'b/index.ts'],
    ]),
    read: (file) => files[file] ?? '',
    known: new Map(),
  })

  it('is found when two of them declare it, as in a control', () => {
    const files = {
      'a/index.ts': "export { type Watch, see } from './watch.ts'",
      'a/watch.ts': 'export interface Watch {}\nexport const see = 1',
      'b/index.ts': "export type { Own as Watch } from './own.ts'\nexport { see } from '@treeos/a'",
      'b/own.ts': 'export type Own = string',
    }
    expect(namesWithTwoMeanings(made(files))).toEqual(['Watch: a/watch.ts#Watch, b/own.ts#Own'])
  })

  it('may be handed on by another package, listed, starred or imported first', () => {
    const a = { 'a/index.ts': "export { Watch } from './watch.ts'", 'a/watch.ts': 'export class Watch {}' }
    for (const b of [
      "export { Watch } from '@treeos/a'",
      "export * from '@treeos/a'",
      "import { Watch as Own } from '@treeos/a'\nexport { Own as Watch }",
    ])
      expect(namesWithTwoMeanings(made({ ...a, 'b/index.ts': b }))).toEqual([])
  })
})

describe('a type of a package', () => {
  it('has a name of its own there, which says noun and part, as its file does', () => {
    const files = ourFiles()
    expect(files.length).toBeGreaterThan(1000)
    expect(faultsOfTypes(files, ours.read)).toEqual({ doubled: [], bareTypes: [], bareFiles: [] })
  })

  it('is found when it is declared twice or is a bare participle, as in a control', () => {
    const files: Record<string, string> = {
      'packages/a/src/told.ts': 'interface Told {}\ntype Wake = string',
      'packages/a/src/wake.ts': 'export abstract class Wake {}\ninterface AskedCall {}',
      'packages/b/src/erasing.ts': 'export interface Wake {}\nclass Posted {}\ntype Ceiling = number',
    }
    expect(faultsOfTypes(Object.keys(files), (file) => files[file] ?? '')).toEqual({
      doubled: ['Wake: packages/a/src/told.ts, packages/a/src/wake.ts'],
      bareTypes: ['Told: packages/a/src/told.ts', 'Posted: packages/b/src/erasing.ts'],
      bareFiles: ['packages/a/src/told.ts', 'packages/b/src/erasing.ts'],
    })
  })
})
