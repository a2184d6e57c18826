/**
 * Makes the JavaScript of a package as it is published: a file for each of its doors and programs, and chunks
 * that they share. A command of the command line loads most packages, and Node reads and compiles one file
 * far quicker than the hundred sources in it.
 */
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, posix, relative } from 'node:path'
import { type OutputChunk, type Plugin, rolldown } from 'rolldown'
import { type Package, root, withPublishedNames } from './packages.ts'

/**
 * Third parties of many modules. They become part of the package that is named first; each has its licence in
 * `dist/licenses.txt`.
 */
const TAKEN_IN: Readonly<Record<string, readonly string[]>> = {
  '@treeos/store': ['kysely', 'kysely/migration', 'lru-cache'],
  '@treeos/postgres': ['pg'],
  '@treeos/cli': ['commander'],
  // it installs alone
  '@treeos/verify': ['@treeos/core', '@treeos/roles', '@treeos/signature', '@treeos/world'],
}
/** Other packages take Kysely from there, so that there is one. */
const KYSELY = '@treeos/runtime/store/kysely'

/** Sources that run as processes of their own, beside those that a package names in `bin` and `exports`. */
const PROGRAMS: readonly string[] = ['packages/local/src/temporal/download-child.ts']

/** Writes it into `dist`, with source maps that hold the sources. */
export async function bundle({ folder, manifest }: Package): Promise<void> {
  const sources = join(root, folder, 'src')
  const doors = [...Object.values(manifest.exports ?? {}), ...Object.values(manifest.bin ?? {})]
    .filter((path) => path.startsWith('./src/') && path.endsWith('.ts'))
    .map((path) => path.slice('./src/'.length))
  const programs = PROGRAMS.map((path) => relative(sources, join(root, path))).filter(
    (path) => !path.startsWith('..'),
  )
  if (doors.length === 0) return
  const input = Object.fromEntries(
    [...doors, ...programs].map((path) => [path.slice(0, -'.ts'.length), join(sources, path)]),
  )
  const bundled = await rolldown({
    input,
    // What is made for Node may import `node:module`, which no workflow may.
    platform: manifest.name in TAKEN_IN ? 'node' : 'neutral',
    plugins: [
      publishedNames(sources, TAKEN_IN[manifest.name] ?? []),
      thirdParties(manifest.name, manifest.dependencies ?? {}),
      placesOfSources(sources),
    ],
  })
  const { output } = await bundled.write({
    dir: join(root, folder, 'dist'),
    sourcemap: true,
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
  })
  writeLicenses(join(root, folder, 'dist/licenses.txt'), output)
}

/** Sources name rooms as the workspace does, in imports and where they ask for the file of a door. */
function publishedNames(sources: string, takenIn: readonly string[]): Plugin {
  return {
    name: 'published-names',
    transform(code, id) {
      if (!id.startsWith(sources)) return null
      const told = withPublishedNames(code, takenIn)
      return told === code ? null : { code: told, map: null }
    },
  }
}

/** What is in another package stays there. */
function thirdParties(name: string, dependencies: Readonly<Record<string, string>>): Plugin {
  const takenIn = TAKEN_IN[name] ?? []
  return {
    name: 'third-parties',
    resolveId(id, importer) {
      if (importer === undefined || /^[./]/.test(id) || importer.includes('/node_modules/')) return null
      if (takenIn.includes(id)) return null
      if (!/^kysely(\/|$)/.test(id)) return { id, external: true }
      if (!('@treeos/store' in dependencies)) this.error(`${name} needs @treeos/store, where kysely is`)
      return { id: KYSELY, external: true }
    },
  }
}

const PLACE = /"at:([^"]+)"/g

/**
 * Sources find files by their own place, `import.meta`. In a bundle that is replaced by the place that the
 * source would have in `dist`.
 */
function placesOfSources(sources: string): Plugin {
  return {
    name: 'places-of-sources',
    transform(code, id) {
      if (!id.startsWith(sources) || !/\bimport\.meta\.(url|dirname|filename)\b/.test(code)) return null
      const built = relative(sources, id).replaceAll('\\', '/').replace(/\.ts$/, '.js')
      const place = `const here$ = new URL("at:${built}", import.meta.url), place$ = {url: here$.href, filename: pathOf$(here$), dirname: pathOf$(new URL(".", here$)).replace(/[\\\\/]$/, "")};`
      const told = code.replace(/\bimport\.meta\.(url|dirname|filename)\b/g, 'place$.$1')
      return { code: `import {fileURLToPath as pathOf$} from 'node:url';${place}${told}`, map: null }
    },
    renderChunk(code, { fileName }) {
      const from = posix.dirname(fileName)
      const told = code.replace(PLACE, (_, built: string) =>
        JSON.stringify(`./${posix.relative(from, built)}`),
      )
      return told === code ? null : { code: told, map: null }
    },
  }
}

/** The licences of the third parties whose code is in a package. */
function writeLicenses(file: string, output: readonly { readonly type: string }[]): void {
  const modules = output.flatMap((one) => (one.type === 'chunk' ? (one as OutputChunk).moduleIds : []))
  const folders = new Set(
    modules.flatMap((path) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0] ?? []),
  )
  if (folders.size === 0) return
  const texts = [...folders].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const [text] = globSync('{LICEN[SC]E,licen[sc]e}*', { cwd: folder }).sort()
    const said = text === undefined ? `Licence: ${license}` : readFileSync(join(folder, text), 'utf8').trim()
    return `${name} ${version}\n\n${said}\n`
  })
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, texts.join(`\n${'-'.repeat(80)}\n\n`))
}
