/**
 * Builds `dist` of every package that is published by itself or in the runtime: `pnpm build`. One run of the
 * compiler makes the declarations of all of them: a run for each would check the packages below it again.
 * `bundle.ts` makes the JavaScript. SQL and JSON files beside the sources are copied, and the portal's page
 * is built.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { bundle } from './bundle.ts'
import { compiled, root, withPublishedNames } from './packages.ts'

const COMPILED = join(root, 'node_modules/.cache/built') // `outDir` of tsconfig.build.json

rmSync(COMPILED, { recursive: true, force: true })
try {
  execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', 'tsconfig.build.json'], {
    cwd: root,
    stdio: 'inherit',
  })
} catch {
  process.exit(1) // the compiler has said why
}
for (const one of compiled()) {
  const { folder } = one
  const [sources, dist] = [join(root, folder, 'src'), join(root, folder, 'dist')]
  const declarations = join(COMPILED, folder, 'src')
  // The built page stays: whether it is of now, its digest tells.
  for (const old of globSync('*', { cwd: dist, exclude: ['page'] }))
    rmSync(join(dist, old), { recursive: true, force: true })
  for (const file of globSync('**/*.d.ts', { cwd: declarations })) {
    mkdirSync(dirname(join(dist, file)), { recursive: true })
    writeFileSync(join(dist, file), withBuiltNames(readFileSync(join(declarations, file), 'utf8')))
  }
  await bundle(one)
  for (const file of globSync('**/*.{sql,json}', { cwd: sources }))
    cpSync(join(sources, file), join(dist, file))
}
execFileSync(process.execPath, [join(root, 'apps/portal/src/build-page.ts')], { stdio: 'inherit' })

/**
 * The compiler leaves the names of sources and rooms in declarations: `from './row.ts'`,
 * `import('@treeos/core')`.
 */
function withBuiltNames(text: string): string {
  return withPublishedNames(text).replace(/((?:from|import\()\s*['"]\.{1,2}\/[^'"\n]*)\.ts(?=['"])/g, '$1.js')
}
