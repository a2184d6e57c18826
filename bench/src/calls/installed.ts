import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { pnpm, publishable, root } from '../../../scripts/packages.ts'

/**
 * Builds the packages and lays them out as npm installs them, with the third-party packages of the checkout.
 * @returns the program of the command line
 */
export function installed(folder: string): string {
  execFileSync(pnpm, ['run', 'build'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
  const packages = publishable()
  const ours = new Set(packages.map(({ manifest }) => manifest.name))
  for (const one of packages) {
    const [from, to] = [join(root, one.folder), join(folder, 'node_modules', one.manifest.name)]
    for (const part of ['dist', 'bin', ...(one.manifest.files ?? [])])
      if (existsSync(join(from, part))) cpSync(join(from, part), join(to, part), { recursive: true })
    const manifest = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8'))
    writeFileSync(join(to, 'package.json'), JSON.stringify({ ...manifest, ...manifest.publishConfig }))
    for (const name of packagesIn(join(from, 'node_modules')).filter((name) => !ours.has(name))) {
      mkdirSync(dirname(join(to, 'node_modules', name)), { recursive: true })
      symlinkSync(realpathSync(join(from, 'node_modules', name)), join(to, 'node_modules', name))
    }
  }
  return join(folder, 'node_modules/@treeos/cli/bin/treeos.js')
}

function packagesIn(folder: string): string[] {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => !name.startsWith('.')) : []
  return names.flatMap((name) =>
    name.startsWith('@') ? readdirSync(join(folder, name)).map((inner) => `${name}/${inner}`) : [name],
  )
}
