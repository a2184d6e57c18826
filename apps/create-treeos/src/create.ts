import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'

const TEMPLATE = resolve(import.meta.dirname, '../template')
/** The name that stands in the template. */
const PLACEHOLDER = 'hello'
/**
 * The version that stands in the template for our packages: all of them are released together, in the version
 * of this one.
 */
const VERSION = '"^0.0.0"'
/** The prefix of every name an extension brings. */
const NAME = /^(?=.{1,32}$)[a-z][a-z0-9]*(-[a-z0-9]+)*$/
/** Files that npm would leave out of a package under their own name. */
const RENAMED: Readonly<Record<string, string>> = {
  gitignore: '.gitignore',
  env: '.env',
  npmrc: '.npmrc',
}

/** The arguments are wrong. Nothing was written. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/**
 * Writes the template into a new folder.
 * @param path the folder; its last part becomes the extension's name
 * @param from a checkout of TreeOS, whose packages are linked; without it they come from the registry
 * @returns the folder, and the files in it
 * @throws {UsageError}
 */
export function create(
  path: string,
  { from }: { readonly from?: string | undefined } = {},
): { readonly folder: string; readonly files: readonly string[] } {
  const folder = resolve(path)
  const name = basename(folder)
  if (!NAME.test(name))
    throw new UsageError(
      `${JSON.stringify(name)} is not a name: use lower case letters, digits and dashes, at most 32, and begin with a letter`,
    )
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new UsageError(`${folder} exists and is not empty`)
  if (from !== undefined && !existsSync(join(from, 'packages/sdk/package.json')))
    throw new UsageError(`${resolve(from)} is not a checkout of TreeOS: it has no packages/sdk`)
  const files = filesIn(TEMPLATE)
  const version = JSON.stringify(`^${ownVersion()}`)
  const written = files.map((file) => {
    const target = RENAMED[file] ?? file
    const text = named(readFileSync(join(TEMPLATE, file), 'utf8'), name).replaceAll(VERSION, version)
    mkdirSync(dirname(join(folder, target)), { recursive: true })
    writeFileSync(join(folder, target), from === undefined ? text : forCheckout(file, text, resolve(from)))
    return target
  })
  return { folder, files: written }
}

const named = (text: string, name: string): string => text.replaceAll(PLACEHOLDER, name)

function ownVersion(): string {
  return JSON.parse(readFileSync(resolve(import.meta.dirname, '../package.json'), 'utf8')).version
}

/** npm cannot install packages that are linked from a checkout; pnpm can. */
function forCheckout(file: string, text: string, checkout: string): string {
  if (file === 'README.md') return text.replace('npm install', 'npx pnpm@12.21.0 install')
  return file === 'package.json' ? linked(text, checkout) : text
}

/** The same package.json with each package of TreeOS linked from a checkout. */
function linked(text: string, checkout: string): string {
  const manifest = JSON.parse(text) as Record<string, Record<string, string>>
  for (const kind of ['dependencies', 'devDependencies']) {
    const wanted = manifest[kind] ?? {}
    for (const name of Object.keys(wanted)) {
      const [, part] = name.split('@treeos/')
      if (part === undefined) continue
      const place = [`packages/${part}`, `apps/${part}`].find((path) => existsSync(join(checkout, path)))
      if (place !== undefined) wanted[name] = `link:${join(checkout, place)}`
    }
  }
  return `${JSON.stringify(manifest, null, 2)}\n`
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort()
}
