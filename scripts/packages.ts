/**
 * The packages that are published: every workspace package that is not private, in the form that their users
 * get.
 *   node scripts/packages.ts lists them node scripts/packages.ts --pack FOLDER packs them into a folder, as
 *   they were built last, and removes what lay in it node scripts/packages.ts --pack FOLDER --repository URL
 *   the same, with the address of the repository, which npm's provenance compares
 *
 * Most packages of the workspace are rooms: they are published inside one package, `@treeos/runtime`, which
 * has a door for each of theirs. Its package.json lists them. Sources import a room by its own name,
 * `@treeos/core`; a build writes `@treeos/runtime/core` instead.
 */
import { execFile } from 'node:child_process'
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { parseArgs, promisify } from 'node:util'

export interface Manifest {
  readonly name: string
  readonly version: string
  readonly description: string
  readonly private?: boolean
  readonly bin?: Readonly<Record<string, string>>
  readonly exports?: Readonly<Record<string, string>>
  readonly files?: readonly string[]
  readonly engines?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
}

export interface Package {
  /** from the root of the repository */
  readonly folder: string
  readonly manifest: Manifest
}

/** A package.json as it is published. */
export interface PublishedManifest {
  readonly name: string
  readonly version: string
  readonly bin?: Readonly<Record<string, string>>
  readonly exports?: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>
  readonly files: readonly string[]
  readonly dependencies?: Readonly<Record<string, string>>
  readonly [field: string]: unknown
}

export const root = resolve(import.meta.dirname, '..')
/** The pnpm that runs us, else the one on PATH. */
export const pnpm = process.env.npm_execpath ?? 'pnpm'

const RUNTIME = '@treeos/runtime'
const SCOPE = '@treeos/'
/** kysely and openai need 22, commander 22.12. */
const ENGINES = { node: '>=22.12' }

const settings = readFileSync(join(root, 'pnpm-workspace.yaml'), 'utf8')
const catalog = readCatalog()
const workspace = new Map(readWorkspace().map((one) => [one.manifest.name, one]))
const roomNames = new Set(namesIn(requirePackage(RUNTIME).manifest.dependencies))

/** In the order of their folders. */
function readWorkspace(): Package[] {
  const [, packages = ''] = /^packages:\n((?: {2}.*\n)+)/m.exec(settings) ?? []
  return [...packages.matchAll(/^ {2}- (\S+)$/gm)]
    .flatMap(([, pattern]) => globSync(`${pattern}/package.json`, { cwd: root }))
    .sort()
    .map((file) => ({ folder: dirname(file), manifest: JSON.parse(readFileSync(join(root, file), 'utf8')) }))
}

function readCatalog(): Map<string, string> {
  const [, entries = ''] = /^catalog:\n((?: {2}.*\n)+)/m.exec(settings) ?? []
  return new Map(
    [...entries.matchAll(/^ {2}"?([^":\s]+)"?: (\S+)$/gm)].map(([, name = '', version = '']) => [
      name,
      version,
    ]),
  )
}

function requirePackage(name: string): Package {
  const found = workspace.get(name)
  if (found === undefined) throw new Error(`the workspace has no package ${name}`)
  return found
}

function namesIn(dependencies: Readonly<Record<string, string>> = {}): string[] {
  return Object.keys(dependencies)
}

export const publishable = (): Package[] =>
  [...workspace.values()].filter((one) => one.manifest.private !== true)

export const unpublished = (): Package[] =>
  [...workspace.values()].filter((one) => one.manifest.private === true)

/**
 * What lies in `@treeos/runtime`. Some are also published under their own names, with doors that lead there.
 */
const rooms = (): Package[] => [...workspace.values()].filter((one) => roomNames.has(one.manifest.name))

/** The packages whose sources a build compiles. */
export const compiled = (): Package[] => [
  ...new Set([...publishable().filter((one) => !isRuntime(one)), ...rooms()]),
]

/** The packages whose files a published one holds. */
export const packagesWithin = (one: Package): Package[] =>
  isRuntime(one) ? rooms() : isRoom(one) ? [] : [one]

const isRuntime = ({ manifest }: Package): boolean => manifest.name === RUNTIME
const isRoom = ({ manifest }: Package): boolean => roomNames.has(manifest.name)
const roomOf = (name: string): string => name.slice(SCOPE.length)

/**
 * A text of JavaScript or TypeScript whose imports name rooms as they are published: `@treeos/runtime/core`
 * for `@treeos/core`.
 * @param kept names that stay, since what they name becomes part of the package
 */
export function withPublishedNames(text: string, kept: readonly string[] = []): string {
  return text.replace(/(['"])(@treeos\/[^'"\s]+)\1/g, (found, quote, name) =>
    kept.includes(name) ? found : quote + publishedName(name) + quote,
  )
}

/** The name by which a published package imports a door. */
function publishedName(door: string): string {
  const [, name = ''] = /^(@treeos\/[^/]+)/.exec(door) ?? []
  return roomNames.has(name) ? `${RUNTIME}/${door.slice(SCOPE.length)}` : door
}

/**
 * The package.json that is published, derived from the one of the workspace, whose `exports` and `bin` name
 * sources.
 */
export function manifestOf(one: Package, repository?: string): PublishedManifest {
  const { name, version, description, bin, files = [], engines = ENGINES } = one.manifest
  const exports = exportsOf(one)
  const dependencies = dependenciesOf(one)
  return {
    name,
    version,
    description,
    license: 'MIT',
    ...(repository !== undefined && {
      repository: { type: 'git', url: `git+${repository}.git`, directory: one.folder },
    }),
    type: 'module',
    engines,
    ...(bin !== undefined && { bin: mapValues(bin, (path) => built(path, 'js')) }),
    ...(exports !== undefined && { exports }),
    files: isRuntime(one) ? ['rooms'] : [...new Set(['dist', ...files])],
    publishConfig: { access: 'public' },
    ...(Object.keys(dependencies).length > 0 && { dependencies }),
  }
}

function exportsOf(one: Package): PublishedManifest['exports'] {
  if (!isRuntime(one)) return one.manifest.exports && mapValues(one.manifest.exports, (path) => doorAt(path))
  const doors = rooms().flatMap(({ manifest: { name, exports = {} } }) => {
    const room = roomOf(name)
    return Object.entries(exports).map(([door, path]) => [
      `./${room}${door.slice(1)}`,
      doorAt(path, `./rooms/${room}/`),
    ])
  })
  return Object.fromEntries(doors)
}

const doorAt = (path: string, folder = './') =>
  path.endsWith('.ts')
    ? { types: built(path, 'd.ts', folder), default: built(path, 'js', folder) }
    : path.replace(/^\.\//, folder)

const built = (path: string, ending: string, folder = './') =>
  path.replace(/^\.\/src\/(.*)\.ts$/, `./dist/$1.${ending}`).replace(/^\.\//, folder)

const mapValues = <T>(fields: Readonly<Record<string, string>>, change: (path: string) => T) =>
  Object.fromEntries(Object.entries(fields).map(([key, path]) => [key, change(path)]))

/** Exact versions. What lies in the runtime comes with it. */
function dependenciesOf(one: Package): Record<string, string> {
  const within = packagesWithin(one)
  const asked = within.flatMap(({ manifest }) => Object.entries(manifest.dependencies ?? {}))
  const [inRuntime, others] = [
    within.length === 0 || asked.some(([name]) => roomNames.has(name)),
    asked.filter(([name]) => !roomNames.has(name)),
  ]
  const versions = others.map(([name, version]) => [name, exactVersion(one, name, version)] as const)
  if (inRuntime && !isRuntime(one)) versions.push([RUNTIME, requirePackage(RUNTIME).manifest.version])
  return Object.fromEntries(versions.sort(([a], [b]) => (a < b ? -1 : 1)))
}

function exactVersion(one: Package, name: string, version: string): string {
  if (version.startsWith('workspace:')) {
    const { manifest } = requirePackage(name)
    if (manifest.private !== true) return manifest.version
    throw new Error(
      `${one.manifest.name} needs ${name}, which is private: packages/runtime/package.json does not list it`,
    )
  }
  if (version !== 'catalog:') return version
  const known = catalog.get(name)
  if (known === undefined) throw new Error(`the catalog of pnpm-workspace.yaml has no ${name}`)
  return known
}

/** Writes what is published of a package, as it was built last, into a new folder. */
export function stage(one: Package, folder: string, repository?: string): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifestOf(one, repository), null, 2)}\n`)
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
  for (const file of ['README.md', 'CHANGELOG.md']) copy(join(root, one.folder), file, folder)
  if (isRoom(one)) writeDoors(one, folder)
  for (const part of packagesWithin(one)) {
    const { name, bin = {}, files = [] } = part.manifest
    const to = isRuntime(one) ? join(folder, 'rooms', roomOf(name)) : folder
    for (const pattern of new Set([
      'dist',
      ...files,
      ...Object.values(bin).filter((path) => !isSource(path)),
    ]))
      copy(join(root, part.folder), pattern, to)
  }
}

const isSource = (path: string): boolean => path.startsWith('./src/')

function copy(from: string, pattern: string, to: string): void {
  for (const path of globSync(pattern, { cwd: from }))
    cpSync(join(from, path), join(to, path), { recursive: true })
}

/**
 * A published room has nothing of its own: each door opens the one of the runtime, so that both are one
 * module.
 */
function writeDoors({ manifest: { name, exports = {} } }: Package, folder: string): void {
  for (const [door, path] of Object.entries(exports))
    for (const ending of ['js', 'd.ts']) {
      const file = join(folder, built(path, ending))
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, `export * from '${publishedName(name + door.slice(1))}'\n`)
    }
}

/** Packs every published package into a folder, as it was built last. @returns the tarballs */
export async function packAll(folder: string, repository?: string): Promise<string[]> {
  mkdirSync(folder, { recursive: true })
  const staging = mkdtempSync(join(tmpdir(), 'treeos-staged-'))
  try {
    await Promise.all(
      publishable().map((one) => {
        const cwd = join(staging, one.manifest.name)
        stage(one, cwd, repository)
        return promisify(execFile)(pnpm, ['pack', '--pack-destination', folder], { cwd })
      }),
    )
  } finally {
    rmSync(staging, { recursive: true })
  }
  return readdirSync(folder).map((file) => join(folder, file))
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { repository: { type: 'string' }, pack: { type: 'string' } } })
  for (const { manifest, folder } of publishable())
    console.log(`${manifest.name} ${manifest.version} ${relative('.', join(root, folder))}`)
  if (values.pack !== undefined) {
    rmSync(values.pack, { recursive: true, force: true })
    await packAll(resolve(values.pack), values.repository)
  }
}
