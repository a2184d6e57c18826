import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'

const TEMPLATE = resolve(import.meta.dirname, '../template')
/** The name that stands in the template. */
const PLACEHOLDER = 'hello'
/** The prefix of everything that an extension brings. */
const NAME = /^(?=.{1,32}$)[a-z][a-z0-9]*(-[a-z0-9]+)*$/
/** What is published under another name, since npm would leave it out. */
const RENAMED: Readonly<Record<string, string>> = { gitignore: '.gitignore', env: '.env' }

/** What was asked for cannot be made; nothing is written. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/**
 * Writes the template into a new folder.
 * @param path of the folder; its last part names the extension
 * @param from a checkout of TreeOS whose packages are linked; undefined takes them from the registry
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
      `${JSON.stringify(name)} is no name: lower case letters, digits and dashes, at most 32, a letter first`,
    )
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new UsageError(`${folder} is there already, and is not empty`)
  if (from !== undefined && !existsSync(join(from, 'packages/sdk/package.json')))
    throw new UsageError(`${resolve(from)} is no checkout of TreeOS: it has no packages/sdk`)
  const files = filesIn(TEMPLATE)
  const written = files.map((file) => {
    const target = RENAMED[file] ?? file
    const text = named(readFileSync(join(TEMPLATE, file), 'utf8'), name)
    mkdirSync(dirname(join(folder, target)), { recursive: true })
    writeFileSync(
      join(folder, target),
      file === 'package.json' && from !== undefined ? linked(text, resolve(from)) : text,
    )
    return target
  })
  return { folder, files: written }
}

const named = (text: string, name: string): string => text.replaceAll(PLACEHOLDER, name)

/** The same with every package of ours taken from a checkout. */
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
