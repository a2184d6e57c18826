/**
 * The packages that are published: every workspace package that is not private.
 *   node scripts/packages.ts                    lists them
 *   node scripts/packages.ts --write            brings their package.json into the form that `manifestOf` gives
 *   node scripts/packages.ts --repository URL   writes it and the address of the repository, which npm's provenance compares
 *   node scripts/packages.ts --pack FOLDER      packs them into a folder, as they were built last, and removes what lay in it
 */
import { execFile } from 'node:child_process'
import { globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
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
  readonly scripts?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly [field: string]: unknown
}

export interface Package {
  /** from the root of the repository */
  readonly folder: string
  readonly manifest: Manifest
}

export const root = resolve(import.meta.dirname, '..')
/** kysely and openai need 22, commander 22.12. */
const ENGINES = { node: '>=22.12' }

/** In the order of their folders. */
export function publishable(): Package[] {
  const patterns = readFileSync(join(root, 'pnpm-workspace.yaml'), 'utf8').matchAll(/^ {2}- (\S+)$/gm)
  return [...patterns]
    .flatMap(([, pattern]) => globSync(`${pattern}/package.json`, { cwd: root }))
    .sort()
    .map((file) => ({ folder: dirname(file), manifest: JSON.parse(readFileSync(join(root, file), 'utf8')) }))
    .filter(({ manifest }) => manifest.private !== true)
}

/** Packs every one into a new folder, as it was built last. @returns the tarballs */
export async function packAll(folder: string): Promise<string[]> {
  mkdirSync(folder, { recursive: true })
  const pack = (cwd: string) => promisify(execFile)(pnpm, ['pack', '--pack-destination', folder], { cwd })
  await Promise.all(publishable().map((one) => pack(join(root, one.folder))))
  return readdirSync(folder).map((file) => join(folder, file))
}

/** The pnpm that runs us, else the one on PATH. */
export const pnpm = process.env.npm_execpath ?? 'pnpm'

/** What npm's provenance, its page of a package and its users need, derived from `exports` and `bin`, which name sources. */
export function manifestOf({ folder, manifest }: Package, repository?: string): Manifest {
  const { name, version, description, bin, exports, files = [], engines, scripts, ...rest } = manifest
  const { publishConfig: _, license: _license, type: _type, repository: known, ...others } = rest
  const shown =
    repository === undefined ? known : { type: 'git', url: `git+${repository}.git`, directory: folder }
  return {
    name,
    version,
    description,
    license: 'MIT',
    ...(shown !== undefined && { repository: shown }),
    type: 'module',
    engines: engines ?? ENGINES,
    ...(bin !== undefined && { bin }),
    ...(exports !== undefined && { exports }),
    files: files.includes('dist') ? files : ['dist', ...files],
    publishConfig: {
      access: 'public',
      ...(bin !== undefined && { bin: mapValues(bin, (path) => built(path, 'js')) }),
      ...(exports !== undefined && {
        exports: mapValues(exports, (path) =>
          path.endsWith('.ts') ? { types: built(path, 'd.ts'), default: built(path, 'js') } : path,
        ),
      }),
    },
    ...(scripts !== undefined && { scripts }),
    ...others,
  }
}

const built = (path: string, ending: string) => path.replace(/^\.\/src\/(.*)\.ts$/, `./dist/$1.${ending}`)

const mapValues = <T>(fields: Readonly<Record<string, string>>, change: (path: string) => T) =>
  Object.fromEntries(Object.entries(fields).map(([key, path]) => [key, change(path)]))

if (import.meta.main) {
  const { values } = parseArgs({
    options: { write: { type: 'boolean' }, repository: { type: 'string' }, pack: { type: 'string' } },
  })
  for (const one of publishable()) {
    if (values.write || values.repository !== undefined) {
      const text = `${JSON.stringify(manifestOf(one, values.repository), null, 2)}\n`
      writeFileSync(join(root, one.folder, 'package.json'), text)
    }
    console.log(`${one.manifest.name} ${one.manifest.version} ${relative('.', join(root, one.folder))}`)
  }
  if (values.pack !== undefined) {
    rmSync(values.pack, { recursive: true, force: true })
    await packAll(resolve(values.pack))
  }
}
